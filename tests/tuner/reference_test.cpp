#include "templates/fold/judge/reference.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "templates/histogram/judge/histogram_input.h"
#include "templates/reduce/judge/error_bound.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"

namespace foldtune {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class T>
Reduction problem_of(Operator op, const std::vector<T>& input) {
  return {.op = op, .type = element_type_of<T>(), .count = input.size()};
}

template <class T>
Reference reference_of(const Reduction& problem, const std::vector<T>& input) {
  return compute_reference(problem, std::array<const void*, 1>{input.data()});
}

template <class T>
Reference reference_of(Operator op, const std::vector<T>& input) {
  return reference_of(problem_of(op, input), input);
}

template <class T>
std::uint64_t integer_of(Operator op, const std::vector<T>& input) {
  const Number number = reference_of(op, input).numbers[0];
  CHECK(number.is_integer);
  return number.integer;
}

template <class T>
double value_of(Operator op, const std::vector<T>& input) {
  return static_cast<double>(reference_of(op, input).numbers[0].floating);
}

template <class T>
std::string difference(const Reduction& problem, const T& result, const Reference& reference,
                       long double bound = 0) {
  return find_difference(problem, &result, reference, bound);
}

Reference floating_reference(long double value) {
  Reference reference;
  reference.numbers[0].floating = value;
  return reference;
}

TEST_CASE("elements of every type are read exactly") {
  const auto floating = [](ElementType type, auto bits) {
    return read_number(type, &bits).floating;
  };
  CHECK(floating(ElementType::f16, std::uint16_t{0x3c01}) == 1 + 0x1p-10L);
  CHECK(floating(ElementType::f16, std::uint16_t{0x8001}) == -0x1p-24L);
  CHECK(floating(ElementType::bf16, std::uint16_t{0x3f81}) == 1 + 0x1p-7L);
  CHECK(floating(ElementType::f32, 0.1f) == static_cast<long double>(0.1f));
  CHECK(floating(ElementType::f64, 0.1) == static_cast<long double>(0.1));
  const std::int8_t minus_one = -1;
  CHECK(read_number(ElementType::i8, &minus_one).integer == ~std::uint64_t{0});
  CHECK(read_number(ElementType::u8, &minus_one).integer == 255);
}

TEST_CASE("the reference of integer sums is exact, and wraps to the accumulator") {
  const std::vector<int> input(3, std::numeric_limits<int>::max());
  CHECK(integer_of(Operator::sum, input) == 3ULL * 2147483647);
  Reduction problem = problem_of(Operator::sum, input);
  problem.accumulator = ElementType::i32;
  CHECK(reference_of(problem, input).numbers[0].integer == 2147483645);
  problem.accumulator = ElementType::f64;
  CHECK(reference_of(problem, input).numbers[0].floating == 3.0L * 2147483647);
  CHECK(integer_of(Operator::sum, std::vector<std::int8_t>{-128, -128, 1}) ==
        static_cast<std::uint64_t>(-255));
  CHECK(integer_of(Operator::sum, std::vector<std::uint8_t>{255, 255, 1}) == 511);
  CHECK(integer_of(Operator::sum, std::vector<std::uint64_t>{~std::uint64_t{0}, 3}) == 2);
}

TEST_CASE("an integer accumulator is stored in the result's type as the device stores it") {
  const std::vector<int> input{16'777'217, 0};
  Reduction problem = problem_of(Operator::sum, input);
  problem.result = ElementType::f32;
  CHECK(reference_of(problem, input).numbers[0].floating == 16'777'216);
  problem.result = ElementType::u8;
  CHECK(reference_of(problem, input).numbers[0].integer == 1);
  problem.result = ElementType::f16;
  CHECK(std::isinf(reference_of(problem, input).numbers[0].floating));
  CHECK(error_bound(problem, ReduceParams{}, 1, reference_of(problem, input)) == 0);
}

TEST_CASE("the reference of a sum survives cancellation") {
  CHECK(value_of(Operator::sum, std::vector<double>{1e300, 1, -1e300}) == 1);
}

TEST_CASE("the reference of a long sum does not depend on how it is split over threads") {
  const std::vector<float> input(1'000'003, 0.1f);
  const Reference reference = reference_of(Operator::sum, input);
  const long double expected = 1'000'003 * static_cast<long double>(0.1f);
  CHECK(std::fabs(static_cast<double>(reference.numbers[0].floating - expected)) < 1e-10);
  CHECK(static_cast<double>(reference.sum_of_magnitudes / expected) == Approx(1).epsilon(1e-12));
  CHECK(reference.count == input.size());
}

TEST_CASE("the references of min and max follow the semantics") {
  CHECK(std::isnan(value_of(Operator::min, std::vector<float>{1, kNan, -1})));
  CHECK(std::isnan(value_of(Operator::max, std::vector<float>{1, kNan, -1})));
  CHECK(std::signbit(value_of(Operator::min, std::vector<float>{0.f, -0.f})));
  CHECK_FALSE(std::signbit(value_of(Operator::max, std::vector<float>{-0.f, 0.f})));
  CHECK(value_of(Operator::min, std::vector<float>{}) == kInfinity);
  CHECK(value_of(Operator::max, std::vector<float>{}) == -kInfinity);
  CHECK(integer_of(Operator::min, std::vector<int>{}) == 2147483647);
  CHECK(integer_of(Operator::min, std::vector<std::int8_t>{}) == 127);
  CHECK(integer_of(Operator::max, std::vector<std::uint16_t>{}) == 0);
  CHECK(integer_of(Operator::max, std::vector<int>{3, -7, 5}) == 5);
  CHECK(integer_of(Operator::max, std::vector<std::uint64_t>{3, ~std::uint64_t{0}}) ==
        ~std::uint64_t{0});
}

TEST_CASE("the reference of an integer product wraps to the accumulator") {
  CHECK(integer_of(Operator::product, std::vector<int>{-3, 5, 7}) ==
        static_cast<std::uint64_t>(-105));
  CHECK(integer_of(Operator::product, std::vector<std::uint64_t>{1ULL << 63, 3}) == 1ULL << 63);
  CHECK(integer_of(Operator::product, std::vector<int>{}) == 1);
}

TEST_CASE("the bound of a product counts its multiplications by other numbers than 1 and -1") {
  const std::vector<float> input{1, 3, -1, 0.1f, 1};
  const Reference reference = reference_of(Operator::product, input);
  CHECK(reference.factors == 2);
  const long double product = -3 * static_cast<long double>(0.1f);
  CHECK(reference.numbers[0].floating == product);
  const long double bound =
      error_bound(problem_of(Operator::product, input), ReduceParams{}, 1, reference);
  CHECK(static_cast<double>(bound / -product) == Approx(0x1p-23).epsilon(0.01));
}

TEST_CASE("products of inputs stay within the range, with a bound that says something") {
  for (const ElementType type : element_types()) {
    for (const ElementType accumulator : accumulators(Operator::product, type)) {
      if (!is_floating(accumulator)) continue;
      for (const std::uint64_t count : {5, 1000, 1 << 20}) {
        const Reduction problem{
            .op = Operator::product, .type = type, .accumulator = accumulator, .count = count};
        const std::vector<std::byte> input = make_input(problem, 0, count, 1);
        const Reference reference =
            compute_reference(problem, std::array<const void*, 1>{input.data()});
        const long double product = std::fabs(reference.numbers[0].floating);
        CAPTURE(name(type), count, static_cast<double>(product));
        CHECK(product > 0x1p-100L);
        CHECK(product < 0x1p115L);
        CHECK(error_bound(problem, ReduceParams{}, 1, reference) < 1e-3L * product);
      }
    }
  }
}

TEST_CASE("the references of argmin and argmax take the first of equal elements, and NaN first") {
  const auto index_of = [](Operator op, const std::vector<float>& input) {
    return reference_of(op, input).index;
  };
  CHECK(index_of(Operator::argmin, {1, -1, 0, -1}) == 1);
  CHECK(index_of(Operator::argmax, {0, 1, 1, -1}) == 1);
  CHECK(index_of(Operator::argmax, {0, kNan, 1, kNan}) == 1);
  CHECK(index_of(Operator::argmin, {0.f, -0.f}) == 0);
  CHECK(index_of(Operator::argmax, {-0.f, 0.f}) == 0);
  CHECK(index_of(Operator::argmin, {kInfinity, kInfinity}) == 0);
  std::vector<int> long_input(1'000'000, 7);
  long_input[900'000] = long_input[999'999] = 8;
  const Reference reference = reference_of(Operator::argmax, long_input);
  CHECK(reference.index == 900'000);
  CHECK(reference.numbers[0].integer == 8);
  Reduction problem{.op = Operator::argmin, .nan_policy = NanPolicy::ignore};
  const std::vector<float> input{kNan, kInfinity, kNan};
  problem.count = 3;
  CHECK(reference_of(problem, input).index == 1);
  problem.count = 1;
  CHECK(reference_of(problem, input).index == ~std::uint64_t{0});
}

TEST_CASE("an indexed value is compared with its index, and written with it") {
  const Reduction problem{.op = Operator::argmax, .type = ElementType::f32};
  struct {
    float value;
    std::uint64_t index;
  } const result{.value = 3, .index = 17};
  Reference reference = floating_reference(3);
  reference.index = 17;
  CHECK(difference(problem, result, reference).empty());
  reference.index = 16;
  CHECK(difference(problem, result, reference) ==
        "expected value 3 at index 16, got value 3 at index 17");
}

TEST_CASE("the reference of minmax is both extremes, and so is its text") {
  const std::vector<std::int8_t> input{3, -5, 4};
  const Reduction problem = problem_of(Operator::minmax, input);
  const Reference reference = reference_of(problem, input);
  CHECK(difference(problem, std::array<std::int8_t, 2>{-5, 4}, reference).empty());
  CHECK(difference(problem, std::array<std::int8_t, 2>{-5, 3}, reference) ==
        "expected min -5, max 4, got min -5, max 3");
  const Reference nan = reference_of(Operator::minmax, std::vector<float>{1, kNan});
  CHECK(std::isnan(nan.numbers[0].floating));
  CHECK(std::isnan(nan.numbers[1].floating));
}

TEST_CASE("the references of bit operators wrap to the element") {
  const std::vector<std::int8_t> input{-1, 0x7c, 0x54};
  CHECK(integer_of(Operator::bit_and, input) == 0x54);
  CHECK(integer_of(Operator::bit_or, input) == ~std::uint64_t{0});
  CHECK(integer_of(Operator::bit_xor, input) == static_cast<std::uint64_t>(~0x28));
  CHECK(integer_of(Operator::bit_and, std::vector<std::uint8_t>{}) == 255);
}

TEST_CASE("the references of all and any take NaN for true and -0 for false") {
  CHECK(integer_of(Operator::all, std::vector<float>{1, kNan, -2}) == 1);
  CHECK(integer_of(Operator::all, std::vector<float>{1, -0.f, 3}) == 0);
  CHECK(integer_of(Operator::all, std::vector<int>{}) == 1);
  CHECK(integer_of(Operator::any, std::vector<float>{0, kNan}) == 1);
  CHECK(integer_of(Operator::any, std::vector<float>{0, 0x1p-149f}) == 1);
  CHECK(integer_of(Operator::any, std::vector<float>{0, -0.f}) == 0);
  CHECK(integer_of(Operator::any, std::vector<std::int64_t>{0, 1LL << 40}) == 1);
  CHECK(integer_of(Operator::any, std::vector<int>{}) == 0);
}

TEST_CASE("the reference of count_nonzero counts NaN, and no zero of either sign") {
  const std::vector<float> input{0, -0.f, kNan, -1, 0x1p-149f};
  CHECK(integer_of(Operator::count_nonzero, input) == 3);
  CHECK(integer_of(Operator::count_nonzero, std::vector<std::int8_t>{0, -128}) == 1);
  Reduction problem = problem_of(Operator::count_nonzero, input);
  CHECK(problem.result_type() == ElementType::u64);
  problem.result = ElementType::f16;
  CHECK(reference_of(problem, input).numbers[0].floating == 3);
  CHECK(error_bound(problem, ReduceParams{}, 1, reference_of(problem, input)) == 0);
}

TEST_CASE("the reference of a sum of squares wraps to the accumulator") {
  CHECK(integer_of(Operator::sum_of_squares, std::vector<int>{-3, 4}) == 25);
  CHECK(integer_of(Operator::sum_of_squares, std::vector<std::int64_t>{1LL << 32, -5}) == 25);
  CHECK(value_of(Operator::sum_of_squares, std::vector<float>{0.5f, -3}) == 9.25);
}

TEST_CASE("the reference of asum is the sum of magnitudes, also of the lowest integer") {
  CHECK(integer_of(Operator::asum, std::vector<std::int8_t>{-128, 127, -1}) == 256);
  CHECK(integer_of(Operator::asum, std::vector<std::int64_t>{
                                       std::numeric_limits<std::int64_t>::min()}) == 1ULL << 63);
  CHECK(value_of(Operator::asum, std::vector<double>{-1e300, 1, 1e300}) == 2e300);
}

TEST_CASE("the reference of nansum leaves out NaN, and nothing else") {
  CHECK(value_of(Operator::nansum, std::vector<float>{1, kNan, -3, -kNan}) == -2);
  CHECK(value_of(Operator::nansum, std::vector<float>{kNan, kNan}) == 0);
  CHECK(value_of(Operator::nansum, std::vector<float>{kNan, kInfinity}) == kInfinity);
  CHECK(std::isnan(value_of(Operator::nansum, std::vector<float>{-kInfinity, 1, kInfinity})));
  CHECK(integer_of(Operator::nansum, std::vector<std::int8_t>{-128, -128, 1}) ==
        static_cast<std::uint64_t>(-255));
  const std::vector<float> input{1, kNan, -3};
  CHECK(reference_of(Operator::nansum, input).sum_of_magnitudes == 4);
}

TEST_CASE("inputs of nansum hold NaN, in every type that has one") {
  for (const ElementType type : element_types()) {
    constexpr std::uint64_t kCount = 1000;
    const Reduction problem{.op = Operator::nansum, .type = type, .count = kCount};
    const std::vector<std::byte> input = make_input(problem, 0, kCount, 1);
    int nans = 0;
    for (std::size_t at = 0; at < input.size(); at += size_of(type)) {
      const Number number = read_number(type, input.data() + at);
      nans += !number.is_integer && std::isnan(number.floating) ? 1 : 0;
    }
    CAPTURE(name(type), nans);
    CHECK((nans > 60) == is_floating(type));
    CHECK(nans < 250);
  }
}

TEST_CASE("the reference of nrm2 overflows as it does itself, not as the squares do") {
  CHECK(value_of(Operator::nrm2, std::vector<float>{3, -4}) == 5);
  CHECK(value_of(Operator::nrm2, std::vector<std::int8_t>{-128}) == 128);
  CHECK(value_of(Operator::nrm2, std::vector<float>{}) == 0);
  CHECK(value_of(Operator::nrm2, std::vector<float>{1e20f, 1, 1}) == Approx(1e20));
  CHECK(value_of(Operator::nrm2, std::vector<float>{3e-23f, 4e-23f}) == Approx(5e-23));
  CHECK(value_of(Operator::nrm2, std::vector<double>{1e200, 1e200}) == Approx(1.41421356e200));
  CHECK(value_of(Operator::nrm2, std::vector<float>{3e38f, 3e38f}) == kInfinity);
  CHECK(value_of(Operator::nrm2, std::vector<double>{1e30}) == Approx(1e30));
}

TEST_CASE("the references of absmax and argabsmax compare the lowest integer as it is") {
  const std::vector<std::int8_t> input{127, -128, 5, -128};
  const Reference reference = reference_of(Operator::argabsmax, input);
  CHECK(reference.index == 1);
  CHECK(static_cast<std::int64_t>(reference.numbers[0].integer) == -128);
  Reduction problem = problem_of(Operator::absmax, input);
  problem.result = ElementType::i32;
  CHECK(reference_of(problem, input).numbers[0].integer == 128);
  CHECK(value_of(Operator::absmax, std::vector<float>{1, -3, 2}) == 3);
  CHECK(std::isnan(value_of(Operator::absmax, std::vector<float>{1, kNan})));
  CHECK_FALSE(std::signbit(value_of(Operator::absmax, std::vector<float>{-0.f})));
  CHECK(value_of(Operator::absmax, std::vector<float>{}) == 0);
}

TEST_CASE("the reference of dot takes two inputs, which differ") {
  const std::vector<float> x{1, 2, 3};
  const std::vector<float> y{4, -5, 6};
  const Reference reference = compute_reference(problem_of(Operator::dot, x),
                                                std::array<const void*, 2>{x.data(), y.data()});
  CHECK(reference.numbers[0].floating == 12);
  CHECK(reference.sum_of_magnitudes == 32);
  const Reduction problem{.op = Operator::dot, .count = 100};
  CHECK(make_input(problem, 0, 100, 5) != make_input(problem, 1, 100, 5));
}

TEST_CASE("the reference of the mean of integers is a fraction") {
  CHECK(value_of(Operator::mean, std::vector<std::uint8_t>{255, 0}) == 127.5);
  CHECK(value_of(Operator::mean, std::vector<std::int64_t>{-3, 1, 3, 0}) == 0.25);
  CHECK(value_of(Operator::mean, std::vector<float>{0.5f}) == 0.5);
  CHECK(std::isnan(value_of(Operator::mean, std::vector<float>{1, kNan})));
}

TEST_CASE("the references of variance and stddev divide by n - ddof") {
  const std::vector<double> input{1, 2, 3, 4};
  CHECK(value_of(Operator::variance, input) == 1.25);
  CHECK(value_of(Operator::stddev, input) == Approx(std::sqrt(1.25)));
  Reduction sample = problem_of(Operator::variance, input);
  sample.ddof = 1;
  CHECK(static_cast<double>(reference_of(sample, input).numbers[0].floating) == Approx(5.0 / 3));
  sample.count = 1;
  CHECK(std::isnan(reference_of(sample, input).numbers[0].floating));
  CHECK(value_of(Operator::variance, std::vector<float>{7}) == 0);
  CHECK(std::isnan(value_of(Operator::variance, std::vector<float>{1, kInfinity})));
}

TEST_CASE("the reference of a variance far from 0 is exact, and its bound is not much more") {
  std::vector<double> input(100'000);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = 1e8 + static_cast<double>(i % 2);
  const Reduction problem = problem_of(Operator::variance, input);
  const Reference reference = reference_of(problem, input);
  CHECK(static_cast<double>(reference.numbers[0].floating) == Approx(0.25).epsilon(1e-14));
  CHECK(reference.largest_magnitude == 1e8L + 1);
  CHECK(error_bound(problem, ReduceParams{}, 100, reference) < 1e-3L);
}

TEST_CASE("mean, variance and stddev are finite wherever they are in range, within their bounds") {
  const auto check = [](Operator op, const auto& input, double value, double tolerance) {
    const Reduction problem = problem_of(op, input);
    const Reference reference = reference_of(problem, input);
    CHECK(static_cast<double>(reference.numbers[0].floating) == Approx(value));
    CHECK(error_bound(problem, ReduceParams{}, 1, reference) < tolerance * value);
  };
  const std::vector<float> halves{1e20f, 1.2e20f, 1e20f, 1.2e20f};
  check(Operator::stddev, halves, 1e19, 1e-3);
  check(Operator::variance, halves, 1e38, 1e-3);
  check(Operator::stddev, std::vector<float>{1e-30f, 3e-30f}, 1e-30, 1e-4);
  check(Operator::stddev, std::vector<double>{-1e308, 1e308}, 1e308, 1e-12);
  check(Operator::mean, std::vector<float>{3e38f, 3e38f, 3e38f}, 3e38, 1e-4);
  check(Operator::nrm2, std::vector<float>{1e-30f, 1e-30f, 1e-30f, 1e-30f}, 2e-30, 1e-5);
  // Deviations in the last bits of the elements.
  check(Operator::variance, std::vector<double>{0x1p53, 0x1p53 + 2, 0x1p53 + 4}, 8.0 / 3, 1e-10);
  check(Operator::variance, std::vector<float>{1.6e7f, 1.6e7f + 1, 1.6e7f + 2}, 2.0 / 3, 1e-2);
}

TEST_CASE("the reference of logsumexp does not overflow, and takes infinities as they are") {
  const auto lse = [](const std::vector<float>& input) {
    return value_of(Operator::logsumexp, input);
  };
  CHECK(lse({1000, 1000}) == Approx(1000 + std::log(2.0)));
  CHECK(lse({0, 1, 2}) == Approx(std::log(1 + std::exp(1.0) + std::exp(2.0))));
  CHECK(lse({-kInfinity, 3}) == 3);
  CHECK(lse({kInfinity, -kInfinity, kInfinity}) == kInfinity);
  CHECK(lse({-kInfinity, -kInfinity}) == -kInfinity);
  CHECK(lse({}) == -kInfinity);
  CHECK(std::isnan(lse({kInfinity, kNan, 1})));
}

TEST_CASE("NaNs are dropped if the problem says so") {
  const std::vector<float> input{kNan, 1, kNan, -1};
  Reduction problem = problem_of(Operator::max, input);
  problem.nan_policy = NanPolicy::ignore;
  CHECK(reference_of(problem, input).numbers[0].floating == 1);
  problem.count = 1;
  CHECK(reference_of(problem, input).numbers[0].floating == -kInfinity);
}

TEST_CASE("a rounded result is compared within the bound") {
  const Reduction sum{.op = Operator::sum, .type = ElementType::f32};
  const Reference one = floating_reference(1);
  CHECK(difference(sum, 1.0001f, one, 1e-3L).empty());
  CHECK(difference(sum, 1.0001f, one, 1e-6L) ==
        "expected 1 within 1e-06, got 1.0001000165939331055");
  CHECK_FALSE(difference(sum, kNan, one, 1e-3L).empty());
  CHECK_FALSE(difference(sum, kInfinity, one, 1e30L).empty());
  CHECK(difference(sum, -0.f, floating_reference(0)).empty());
  CHECK(difference(sum, kNan, floating_reference(kNan)).empty());
  CHECK(difference(sum, kInfinity, floating_reference(kInfinity)).empty());
  CHECK_FALSE(difference(sum, -kInfinity, floating_reference(kInfinity)).empty());
}

TEST_CASE("a result that its type cannot hold is infinite") {
  const Reduction sum{
      .op = Operator::sum, .type = ElementType::f32, .result = ElementType::f16, .count = 1 << 20};
  constexpr std::uint16_t kHalfInfinity = 0x7c00;
  constexpr std::uint16_t kLargestHalf = 0x7bff;
  CHECK(difference(sum, kHalfInfinity, floating_reference(1e6L), 1).empty());
  CHECK_FALSE(difference(sum, kLargestHalf, floating_reference(1e6L), 1).empty());
  CHECK_FALSE(difference(sum, kHalfInfinity, floating_reference(-1e6L), 1).empty());
  CHECK_FALSE(difference(sum, kHalfInfinity, floating_reference(60000), 1).empty());
}

TEST_CASE("an exact result is compared bit by bit") {
  const Reduction min{.op = Operator::min, .type = ElementType::f32};
  CHECK(difference(min, -0.f, floating_reference(-0.0L)).empty());
  CHECK(difference(min, 0.f, floating_reference(-0.0L)) == "expected -0, got 0");
  CHECK(difference(min, kNan, floating_reference(kNan)).empty());

  const Reduction integers{.op = Operator::sum, .type = ElementType::i32};
  Reference answer;
  answer.numbers[0] = {.is_integer = true, .integer = 42};
  CHECK(difference(integers, std::int64_t{42}, answer).empty());
  CHECK(difference(integers, std::int64_t{41}, answer) == "expected 42, got 41");
}

TEST_CASE("the bound of a float sum grows with the chain of additions, and is 0 for the rest") {
  Reference reference;
  reference.sum_of_magnitudes = 1;
  const Reduction sum{.type = ElementType::f32, .count = 1 << 20};
  const ReduceParams params;
  const long double wide = error_bound(sum, params, 256, reference);
  const long double narrow = error_bound(sum, params, 1, reference);
  CHECK(wide > 0);
  CHECK(narrow > wide);
  const ReduceParams by_atomics{.final_stage = FinalStage::atomic};
  CHECK(error_bound(sum, by_atomics, 4096, reference) > 4096 * 0x1p-24L);
  Reduction in_double = sum;
  in_double.accumulator = ElementType::f64;
  CHECK(error_bound(in_double, params, 256, reference) < wide * 1e-8L);
  CHECK(error_bound({.op = Operator::max, .count = 1 << 20}, params, 256, reference) == 0);
}

TEST_CASE("the bound of a narrower result has its rounding") {
  Reference reference = floating_reference(8);
  reference.sum_of_magnitudes = 8;
  const Reduction sum{.type = ElementType::f32, .result = ElementType::f16, .count = 8};
  const long double bound = error_bound(sum, ReduceParams{}, 1, reference);
  CHECK(bound > 0x1p-8L);
  CHECK(bound < 0x1.1p-8L);
}

template <class T>
std::vector<T> input_of(const Reduction& problem, std::uint64_t count, std::uint64_t seed = 5) {
  const std::vector<std::byte> bytes = make_input(problem, 0, count, seed);
  std::vector<T> values(count);
  REQUIRE(bytes.size() == count * sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST_CASE("inputs are the same for the same seed, and differ between inputs") {
  const Reduction problem{.type = ElementType::f32};
  CHECK(make_input(problem, 0, 300'000, 5) == make_input(problem, 0, 300'000, 5));
  CHECK(make_input(problem, 0, 300'000, 5) != make_input(problem, 0, 300'000, 6));
}

TEST_CASE("floating-point inputs fill [-1, 1)") {
  for (const ElementType type :
       {ElementType::f16, ElementType::bf16, ElementType::f32, ElementType::f64}) {
    const Reduction problem{.type = type};
    const std::vector<std::byte> input = make_input(problem, 0, 300'000, 5);
    long double least = 1;
    long double most = -1;
    for (std::size_t i = 0; i < 300'000; ++i) {
      const Number number = read_number(type, input.data() + i * size_of(type));
      least = std::min(least, number.floating);
      most = std::max(most, number.floating);
    }
    CHECK(least >= -1);
    CHECK(least < -0.99L);
    CHECK(most < 1);
    CHECK(most > 0.99L);
  }
}

TEST_CASE("integer inputs stay within 2^20, narrow ones fill their type") {
  const auto range = [](auto zero) {
    using T = decltype(zero);
    const std::vector<T> values = input_of<T>({.type = element_type_of<T>()}, 300'000);
    const auto [least, most] = std::ranges::minmax(values);
    return std::pair<double, double>(least, most);
  };
  CHECK(range(std::int8_t{}) == std::pair(-128.0, 127.0));
  CHECK(range(std::uint8_t{}) == std::pair(0.0, 255.0));
  CHECK(range(int{}).first < -1e6);
  CHECK(range(int{}).first >= -0x1p20);
  CHECK(range(std::uint64_t{}).second > 1e6);
  CHECK(range(std::uint64_t{}).second < 0x1p20);
}

TEST_CASE("inputs of bit operators set some bits of the result and not others") {
  for (const Operator op : {Operator::bit_and, Operator::bit_or}) {
    const Reduction problem{.op = op, .type = ElementType::u64, .count = 1 << 18};
    const auto input = input_of<std::uint64_t>(problem, problem.count);
    const int set = std::popcount(integer_of(op, input));
    CHECK(set > 8);
    CHECK(set < 56);
  }
}

TEST_CASE("inputs of histograms have the problem's distribution") {
  const auto counts = [](Distribution distribution) {
    std::vector<std::byte> keys(256'000);
    fill_histogram_input({.type = ElementType::u8, .distribution = distribution}, keys, 1);
    std::vector<int> bins(256);
    for (const std::byte key : keys) ++bins[std::to_integer<std::size_t>(key)];
    std::ranges::sort(bins, std::greater{});
    return bins;
  };
  const std::vector<int> uniform = counts(Distribution::uniform);
  CHECK(uniform.front() < 1200);
  CHECK(uniform.back() > 800);
  const std::vector<int> zipf = counts(Distribution::zipf);
  CHECK(zipf.front() > 40'000);  // 256000 / H(256)
  CHECK(zipf[1] == Approx(zipf[0] / 2).epsilon(0.05));
  CHECK(zipf.back() > 0);
  CHECK(counts(Distribution::constant).front() == 256'000);

  std::vector<std::byte> halves(200'000);
  fill_histogram_input({.type = ElementType::f16, .distribution = Distribution::zipf}, halves, 1);
  for (std::size_t i = 0; i < 100'000; ++i) {
    const Number number = read_number(ElementType::f16, halves.data() + 2 * i);
    if (number.floating < 0 || number.floating >= 1) FAIL("out of range");
  }
}

TEST_CASE("results are written as their shape") {
  const Reduction sum{.op = Operator::sum, .type = ElementType::f32};
  const float tenth = 0.1f;
  CHECK(format_result(sum, &tenth) == "0.1");
  const std::int64_t integer = -5;
  CHECK(format_result({.op = Operator::sum, .type = ElementType::i32}, &integer) == "-5");
  CHECK(format_number_of(ElementType::i8, &integer) == "-5");
}

}  // namespace
}  // namespace foldtune
