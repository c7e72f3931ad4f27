#include "bench/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <thread>

#include "foldtune/error.h"

namespace foldtune::bench {
namespace {

/// Elements that a thread generates or folds at a time.
constexpr std::uint64_t kPiece = std::uint64_t{1} << 18;

/// Calls `work(0)` ... `work(count - 1)` on all cores. `work` may not throw.
void parallel_for(std::uint64_t count, const std::function<void(std::uint64_t)>& work) {
  std::atomic<std::uint64_t> next = 0;
  const auto run = [&] {
    for (std::uint64_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> helpers;
  const std::uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
  for (std::uint64_t i = 1; i < std::min(cores, count); ++i) helpers.emplace_back(run);
  run();
}

/// Splitmix64's output for a counter (Steele, Lea, Flood 2014): random access, full 64 bits.
std::uint64_t random_bits(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

template <class T>
T random_element(std::uint64_t index) {
  const auto bits = static_cast<std::int64_t>(random_bits(index));
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits >> 43);  // 21 bits with the sign
  } else {
    // As many bits as the mantissa has, so that nothing rounds up to 1.
    constexpr int kBits = std::numeric_limits<T>::digits;
    constexpr T kScale = T{1} / static_cast<T>(std::int64_t{1} << kBits);
    return static_cast<T>(bits >> (63 - kBits)) * kScale;
  }
}

/// Calls `function` with a value of the C++ type.
template <class Function>
auto with_type(ElementType type, Function&& function) {
  switch (type) {
    case ElementType::i32:
      return function(std::int32_t{});
    case ElementType::f32:
      return function(float{});
    case ElementType::f64:
      return function(double{});
    default:
      break;
  }
  throw InvalidArgument(
      fmt::format("comparing with CUB: i32, f32 and f64 are compared, not {}", name(type)));
}

template <class T>
void fill(std::byte* data, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t i = first; i < last; ++i) {
    const T value = random_element<T>(i);
    std::memcpy(data + i * sizeof(T), &value, sizeof(T));
  }
}

long double combine(Operator op, long double a, long double b) {
  switch (op) {
    case Operator::sum:
      return a + b;
    case Operator::min:
      return std::min(a, b);
    default:
      break;
  }
  return std::max(a, b);
}

/// At least one element.
template <class T>
long double fold(Operator op, const std::byte* data, std::uint64_t count) {
  const auto element = [data](std::uint64_t i) {
    T value;
    std::memcpy(&value, data + i * sizeof(T), sizeof(T));
    return static_cast<long double>(value);
  };
  long double result = element(0);
  for (std::uint64_t i = 1; i < count; ++i) result = combine(op, result, element(i));
  return result;
}

template <class T>
std::string find_wrong(const Problem& problem, const SlicePlan& plan,
                       std::span<const std::byte> results,
                       std::span<const long double> references) {
  const bool is_exact = problem.op != Operator::sum || std::is_integral_v<T>;
  const long double allowed = is_exact ? 0 : allowed_error(problem.type, problem.count);
  for (std::uint64_t call = 0; call < plan.calls; ++call) {
    T got;
    std::memcpy(&got, results.data() + call * sizeof(T), sizeof(T));
    long double expected = references[call % plan.slices];
    if constexpr (std::is_integral_v<T>) {
      expected = static_cast<T>(static_cast<std::int64_t>(expected));  // wraps, as the GPU's does
    }
    // So written, NaN is wrong.
    if (!(std::abs(static_cast<long double>(got) - expected) <= allowed)) {
      return fmt::format("call {}: expected {} within {:.3g}, got {}", call, expected, allowed,
                         got);
    }
  }
  return "";
}

}  // namespace

HostPool::HostPool(ElementType type, std::uint64_t bytes)
    : bytes_((bytes + size_of(type) - 1) / size_of(type) * size_of(type)),
      data_(std::make_unique_for_overwrite<std::byte[]>(bytes_)) {
  with_type(type, [this](auto example) {
    using T = decltype(example);
    const std::uint64_t count = bytes_ / sizeof(T);
    parallel_for((count + kPiece - 1) / kPiece, [&](std::uint64_t piece) {
      fill<T>(data_.get(), piece * kPiece, std::min(count, (piece + 1) * kPiece));
    });
  });
}

std::vector<long double> compute_references(const Problem& problem, const SlicePlan& plan,
                                            const HostPool& pool) {
  // Pieces of all slices together, so that few large slices keep all cores busy as well.
  const std::uint64_t pieces = (problem.count + kPiece - 1) / kPiece;
  std::vector<long double> partials(plan.slices * pieces);
  with_type(problem.type, [&](auto example) {
    using T = decltype(example);
    parallel_for(partials.size(), [&](std::uint64_t i) {
      const std::uint64_t first = i % pieces * kPiece;
      const std::byte* data = pool.data() + i / pieces * plan.stride + first * sizeof(T);
      partials[i] = fold<T>(problem.op, data, std::min(kPiece, problem.count - first));
    });
  });
  std::vector<long double> references;
  references.reserve(plan.slices);
  for (std::uint64_t slice = 0; slice < plan.slices; ++slice) {
    long double result = partials[slice * pieces];
    for (std::uint64_t piece = 1; piece < pieces; ++piece) {
      result = combine(problem.op, result, partials[slice * pieces + piece]);
    }
    references.push_back(result);
  }
  return references;
}

std::string find_wrong_result(const Problem& problem, const SlicePlan& plan,
                              std::span<const std::byte> results,
                              std::span<const long double> references) {
  return with_type(problem.accumulator_type(), [&](auto example) {
    return find_wrong<decltype(example)>(problem, plan, results, references);
  });
}

// Partial sums of k elements uniform in [-1, 1) are about sqrt(k/3), and adding to one rounds by at
// most u times that. A chain of L additions has an error of variance u^2 L^2/6, so the n/L chains
// together u^2 n L/6; every level of the tree over them adds u^2 n/3, for at most 32 levels.
long double allowed_error(ElementType type, std::uint64_t count) {
  constexpr long double kDeviations = 10;
  constexpr long double kTreeLevels = 32;
  // Large inputs are summed by this many threads at least, small ones in chains no longer than
  // that.
  constexpr long double kThreads = 32768;
  constexpr long double kShortChain = 256;
  const long double unit_roundoff =
      std::ldexp(1.0L, type == ElementType::f32 ? -std::numeric_limits<float>::digits
                                                : -std::numeric_limits<double>::digits);
  const auto n = static_cast<long double>(count);
  const long double chain = n / kThreads + kShortChain;
  return kDeviations * unit_roundoff * std::sqrt(n * (chain / 6 + kTreeLevels / 3));
}

}  // namespace foldtune::bench
