// Folds of whole words beside folds of the elements one by one.
#include "templates/device/packed.cuh"

#include <array>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "templates/device/arg_extreme.cuh"
#include "templates/device/moments.cuh"
#include "templates/device/operators/absmax.cuh"
#include "templates/device/operators/all.cuh"
#include "templates/device/operators/any.cuh"
#include "templates/device/operators/asum.cuh"
#include "templates/device/operators/bit_and.cuh"
#include "templates/device/operators/bit_or.cuh"
#include "templates/device/operators/bit_xor.cuh"
#include "templates/device/operators/count_nonzero.cuh"
#include "templates/device/operators/dot.cuh"
#include "templates/device/operators/max.cuh"
#include "templates/device/operators/mean.cuh"
#include "templates/device/operators/min.cuh"
#include "templates/device/operators/nansum.cuh"
#include "templates/device/operators/nrm2.cuh"
#include "templates/device/operators/product.cuh"
#include "templates/device/operators/sum.cuh"
#include "templates/device/operators/sum_of_squares.cuh"
#include "templates/fold/tile.cuh"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

constexpr int kRows = 4;

/// A vector of 16 bytes of each input.
template <class T, class... Ts>
using Vectors = Row<16 / sizeof(T), T, Ts...>;

/// Random bits, or bits that are extremes, zeros and NaNs of one type or another.
template <class RowType>
std::array<RowType, kRows> make_rows(std::mt19937& random, bool special) {
  constexpr std::array<unsigned char, 6> kBytes{0x00, 0x80, 0x7f, 0xff, 0x7c, 0x01};
  std::array<RowType, kRows> rows{};
  std::vector<unsigned char> bytes(sizeof(rows));
  for (unsigned char& byte : bytes) {
    byte = special ? kBytes.at(random() % kBytes.size()) : static_cast<unsigned char>(random());
  }
  std::memcpy(rows.data(), bytes.data(), sizeof(rows));
  return rows;
}

template <class Op, class RowType>
void check_fold() {
  static_assert(PackedFold<Op>::kExists);
  constexpr int kWidth = sizeof(RowType::first) / sizeof(RowType::first.elements[0]);
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const auto rows = make_rows<RowType>(random, i % 2 == 0);
    // What a thread has before: it makes one NaN of all.
    const auto before = Op::identity();
    const auto packed = Op::combine(before, fold_tile<Op, kRows, kWidth>(rows.data(), 0u, 0u));
    const auto one_by_one = Op::combine(before, fold_rows<Op, kRows, kWidth>(rows.data(), 0u, 0u));
    REQUIRE(std::memcmp(&packed, &one_by_one, sizeof(packed)) == 0);
  }
}

template <class T>
void check_all_types() {
  check_fold<All<T, unsigned char>, Vectors<T>>();
  check_fold<Any<T, unsigned char>, Vectors<T>>();
  check_fold<CountNonzero<T, uint64>, Vectors<T>>();
  check_fold<Min<T, T, NanPolicy::propagate>, Vectors<T>>();
  check_fold<Max<T, T, NanPolicy::propagate>, Vectors<T>>();
}

template <class T, class A>
void check_integers() {
  check_all_types<T>();
  check_fold<Sum<T, A>, Vectors<T>>();
  check_fold<NanSum<T, A>, Vectors<T>>();
  check_fold<Mean<T, double>, Vectors<T>>();
  check_fold<Asum<T, A>, Vectors<T>>();
  check_fold<AbsMax<T, T, NanPolicy::propagate>, Vectors<T>>();
  check_fold<PlainMoments<T, double, uint32>, Vectors<T>>();
  check_fold<BitAnd<T, T>, Vectors<T>>();
  check_fold<BitOr<T, T>, Vectors<T>>();
  check_fold<BitXor<T, T>, Vectors<T>>();
}

template <class T, class A>
void check_bytes() {
  check_integers<T, A>();
  check_fold<Dot<T, A>, Vectors<T, T>>();
  check_fold<SumOfSquares<T, A>, Vectors<T>>();
  check_fold<Nrm2<T, double>, Vectors<T>>();
  check_fold<Product<T, A>, Vectors<T>>();
}

template <class T>
void check_floats() {
  check_all_types<T>();
  check_fold<Min<T, T, NanPolicy::ignore>, Vectors<T>>();
  check_fold<Max<T, T, NanPolicy::ignore>, Vectors<T>>();
  check_fold<AbsMax<T, T, NanPolicy::propagate>, Vectors<T>>();
  check_fold<AbsMax<T, T, NanPolicy::ignore>, Vectors<T>>();
}

TEST_CASE("A word of elements at a time gives the bits of one element at a time") {
  check_bytes<signed char, int64>();
  check_bytes<unsigned char, uint32>();
  check_integers<short, int64>();
  check_integers<unsigned short, uint64>();
  check_floats<float16>();
  check_floats<bfloat16>();
}

TEST_CASE("The most that a thread loads fits into the 32 bits of a packed sum") {
  constexpr int kMostRows = 32;  // of 16 bytes: kMaxBytesInFlight
  const auto check = [](auto element, auto op) {
    using T = decltype(element);
    using Op = decltype(op);
    constexpr int kWidth = 16 / sizeof(T);
    std::array<Vectors<T>, kMostRows> rows{};
    for (auto& row : rows) {
      for (T& each : row.first.elements) each = element;
    }
    CHECK(fold_tile<Op, kMostRows, kWidth>(rows.data(), 0u, 0u) ==
          fold_rows<Op, kMostRows, kWidth>(rows.data(), 0u, 0u));
  };
  check(static_cast<unsigned char>(255), SumOfSquares<unsigned char, uint64>{});
  check(static_cast<signed char>(-128), SumOfSquares<signed char, int64>{});
  check(static_cast<signed char>(-128), Sum<signed char, int64>{});
  check(static_cast<unsigned short>(65535), Sum<unsigned short, uint64>{});
  check(static_cast<short>(-32768), Sum<short, int64>{});
  check(static_cast<short>(-32768), Asum<short, int64>{});
  check(static_cast<short>(-32768), CountNonzero<short, uint64>{});
  check(static_cast<unsigned char>(255), CountNonzero<unsigned char, uint64>{});
}

/// Tiles of few values, so that many are equal, one after the other.
template <class Op, class T>
void check_search(const std::vector<T>& values) {
  constexpr int kWidth = 16 / sizeof(T);
  constexpr uint32 kStep = 40;
  std::mt19937 random(1);
  for (int run = 0; run < 500; ++run) {
    auto searched = Op::identity();
    auto one_by_one = Op::identity();
    for (uint32 tile = 0; tile < 3; ++tile) {
      std::array<Vectors<T>, kRows> rows{};
      for (auto& row : rows) {
        for (T& element : row.first.elements)
          element = values[random() % (run % values.size() + 1)];
      }
      const uint32 index = tile * kRows * kStep;
      searched = add_tile<Op, true, kRows, kWidth>(searched, rows.data(), index, kStep);
      one_by_one = add_tile<Op, false, kRows, kWidth>(one_by_one, rows.data(), index, kStep);
    }
    REQUIRE(std::memcmp(&searched, &one_by_one, sizeof(searched)) == 0);
  }
}

template <template <class, class, NanPolicy> class Extreme, class T>
void check_searches(const std::vector<T>& values) {
  check_search<ArgExtreme<Extreme, T, T, uint32, NanPolicy::propagate>>(values);
  check_search<ArgExtreme<Extreme, T, T, uint32, NanPolicy::ignore>>(values);
  const std::vector<T> reversed(values.rbegin(), values.rend());
  check_search<ArgExtreme<Extreme, T, T, uint32, NanPolicy::propagate>>(reversed);
  check_search<ArgExtreme<Extreme, T, T, uint32, NanPolicy::ignore>>(reversed);
}

template <class T>
void check_all_searches(const std::vector<T>& values) {
  check_searches<Min>(values);
  check_searches<Max>(values);
  check_searches<AbsMax>(values);
}

TEST_CASE("The index of a tile's best element is that of a search one by one") {
  using F = std::numeric_limits<float>;
  using D = std::numeric_limits<double>;
  check_all_searches<float>({F::infinity(), -F::infinity(), -0.f, 0.f, 1.f, -1.f, F::quiet_NaN(),
                             bit_cast<float>(0xffc00001u)});
  check_all_searches<double>({-D::infinity(), D::infinity(), 0., -0., -2., 2., D::quiet_NaN()});
  check_all_searches<float16>({{0x7c00}, {0xfc00}, {0x8000}, {0}, {0x3c00}, {0x7e00}, {0xfe01}});
  check_all_searches<signed char>({-128, 127, 0, -1, 1, -127});
  check_all_searches<unsigned char>({0, 255, 128, 127, 1});
  check_all_searches<short>({-32768, 32767, 0, -1, 1});
  check_all_searches<uint64>({0, ~uint64{0}, 1, uint64{1} << 32});
}

}  // namespace
}  // namespace foldtune::test
