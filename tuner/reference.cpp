#include "tuner/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "templates/reduce/space.h"

namespace foldtune {
namespace {

/// Elements below which further threads cost more than they save.
constexpr std::uint64_t kMinElementsPerThread = 1 << 16;

/// Splits [0, count) over the cores: `work(begin, end, part)` for each part.
template <class Work>
void for_each_part(std::uint64_t count, std::size_t parts, const Work& work) {
  std::vector<std::jthread> threads;
  for (std::size_t part = 1; part < parts; ++part) {
    threads.emplace_back([=] { work(count * part / parts, count * (part + 1) / parts, part); });
  }
  work(0, count / parts, 0);
}

std::size_t part_count(std::uint64_t count) {
  const std::uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<std::size_t>(
      std::clamp<std::uint64_t>(count / kMinElementsPerThread, 1, cores));
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): 64 well-mixed bits of a counter.
std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

template <class T>
T random_element(std::uint64_t bits) {
  if constexpr (std::is_integral_v<T>) {
    constexpr std::uint64_t kRange = std::uint64_t{1} << 21;
    return static_cast<T>(static_cast<std::int64_t>(bits % kRange) -
                          static_cast<std::int64_t>(kRange / 2));
  } else {
    const double unit = static_cast<double>(bits >> 11) * 0x1p-53;  // uniform in [0, 1)
    // Rounding to T must not reach 1.
    return std::min(static_cast<T>(2 * unit - 1), std::nextafter(T{1}, T{0}));
  }
}

/// Neumaier's compensated sum: its error does not grow with the count. In long double, so that it
/// is wide also for f64.
class CompensatedSum {
 public:
  void add(long double value) {
    const long double sum = sum_ + value;
    // An infinity or NaN stays what it is; its compensation would be NaN.
    if (std::isfinite(sum)) {
      lost_ += std::fabs(sum_) >= std::fabs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
    }
    sum_ = sum;
  }
  long double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  long double sum_ = 0;
  long double lost_ = 0;
};

template <class T>
ReferenceValue sum_part(const T* input, std::uint64_t begin, std::uint64_t end) {
  ReferenceValue result;
  if constexpr (std::is_integral_v<T>) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = begin; i < end; ++i) sum += static_cast<std::uint64_t>(input[i]);
    result.is_integer = true;
    result.integer = static_cast<std::int64_t>(sum);
  } else {
    CompensatedSum sum;
    long double magnitudes = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      sum.add(input[i]);
      magnitudes += std::fabs(static_cast<long double>(input[i]));
    }
    result.floating = sum.value();
    result.sum_of_magnitudes = magnitudes;
  }
  return result;
}

/// Minimum (`kSign` 1) or maximum (-1) with the semantics' rules for NaN and signed zeros.
template <int kSign>
long double extreme(long double a, long double b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) == (kSign > 0) ? a : b;
  return (a < b) == (kSign > 0) ? a : b;
}

template <int kSign, class T>
ReferenceValue extreme_part(const T* input, std::uint64_t begin, std::uint64_t end) {
  ReferenceValue result;
  if constexpr (std::is_integral_v<T>) {
    T best = kSign > 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
    for (std::uint64_t i = begin; i < end; ++i) {
      best = kSign > 0 ? std::min(best, input[i]) : std::max(best, input[i]);
    }
    result.is_integer = true;
    result.integer = best;
  } else {
    result.floating = kSign * std::numeric_limits<long double>::infinity();
    for (std::uint64_t i = begin; i < end; ++i) {
      result.floating = extreme<kSign>(result.floating, static_cast<long double>(input[i]));
    }
  }
  return result;
}

template <class T>
ReferenceValue fold_part(Operator op, const T* input, std::uint64_t begin, std::uint64_t end) {
  switch (op) {
    case Operator::min:
      return extreme_part<1>(input, begin, end);
    case Operator::max:
      return extreme_part<-1>(input, begin, end);
    case Operator::sum:
      break;
  }
  return sum_part(input, begin, end);
}

ReferenceValue merge(Operator op, const std::vector<ReferenceValue>& parts) {
  ReferenceValue result = parts.front();
  CompensatedSum sum;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ReferenceValue& part = parts[i];
    sum.add(part.floating);
    if (i == 0) continue;
    result.sum_of_magnitudes += part.sum_of_magnitudes;
    if (op == Operator::min) {
      result.integer = std::min(result.integer, part.integer);
      result.floating = extreme<1>(result.floating, part.floating);
    } else if (op == Operator::max) {
      result.integer = std::max(result.integer, part.integer);
      result.floating = extreme<-1>(result.floating, part.floating);
    } else {
      result.integer = static_cast<std::int64_t>(static_cast<std::uint64_t>(result.integer) +
                                                 static_cast<std::uint64_t>(part.integer));
    }
  }
  if (op == Operator::sum) result.floating = sum.value();
  return result;
}

template <class T>
ReferenceValue fold(Operator op, const void* input, std::uint64_t count) {
  const T* const elements = static_cast<const T*>(input);
  std::vector<ReferenceValue> parts(part_count(count));
  for_each_part(count, parts.size(), [&](std::uint64_t begin, std::uint64_t end, std::size_t part) {
    parts[part] = fold_part(op, elements, begin, end);
  });
  return merge(op, parts);
}

/// Calls `function` with a value of the C++ type of `type`.
template <class Function>
auto with_type(ElementType type, const Function& function) {
  switch (type) {
    case ElementType::i32:
      return function(std::int32_t{});
    case ElementType::i64:
      return function(std::int64_t{});
    case ElementType::f32:
      return function(float{});
    case ElementType::f64:
      break;
  }
  return function(double{});
}

template <class T>
T read(const void* value) {
  T result;
  std::memcpy(&result, value, sizeof(T));
  return result;
}

std::uint64_t ceil_log2(std::uint64_t value) {
  std::uint64_t log = 0;
  while ((std::uint64_t{1} << log) < value) ++log;
  return log;
}

}  // namespace

std::vector<std::byte> make_input(ElementType type, std::uint64_t count, std::uint64_t seed) {
  std::vector<std::byte> input(count * size_of(type));
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    T* const elements = reinterpret_cast<T*>(input.data());
    const std::uint64_t start = mix(seed);
    for_each_part(count, part_count(count),
                  [=](std::uint64_t begin, std::uint64_t end, std::size_t) {
                    for (std::uint64_t i = begin; i < end; ++i)
                      elements[i] = random_element<T>(mix(start + i));
                  });
  });
  return input;
}

ReferenceValue compute_reference(const Problem& problem, const void* input) {
  ReferenceValue result = with_type(problem.type, [&](auto zero) {
    return fold<decltype(zero)>(problem.op, input, problem.count);
  });
  if (problem.accumulator_type() == ElementType::i32) {
    result.integer = static_cast<std::int32_t>(static_cast<std::uint64_t>(result.integer));
  }
  return result;
}

long double error_bound(const Problem& problem, const ReduceParams& params, std::uint32_t grid_size,
                        const ReferenceValue& reference) {
  if (problem.op != Operator::sum || reference.is_integer) return 0;
  const std::uint64_t tile = tile_elements(params);
  const std::uint64_t threads = static_cast<std::uint64_t>(params.block_size);
  const std::uint64_t tiles = problem.count / tile + 1;
  // A thread: the tree over a tile's elements, then one addition per tile of its block; in the
  // block of the rest, one more per vector with its tree, and the head and the tail.
  const std::uint64_t in_thread =
      (tiles / grid_size + 1) + ceil_log2(static_cast<std::uint64_t>(params.unroll)) +
      static_cast<std::uint64_t>(params.unroll) +
      2 * ceil_log2(static_cast<std::uint64_t>(params.vector_width)) + 2;
  // A block: a tree, and the shuffles' fixed ten steps at most.
  const std::uint64_t in_block = ceil_log2(threads) + 5;
  // The grid: every final stage lets a thread fold its share of the partials before a block does;
  // the atomic one adds them in turn.
  const std::uint64_t in_grid =
      params.final_stage == FinalStage::atomic ? grid_size : grid_size / threads + 2 + in_block;
  const auto depth = static_cast<long double>(in_thread + in_block + in_grid);
  const long double unit_roundoff =
      problem.accumulator_type() == ElementType::f32 ? 0x1p-24L : 0x1p-53L;
  const long double gamma = depth * unit_roundoff / (1 - depth * unit_roundoff);
  // A GPU's atomic addition of f32 takes denormal operands, and gives denormal sums, as 0.
  const bool flushes = params.final_stage == FinalStage::atomic && grid_size > 1 &&
                       problem.accumulator_type() == ElementType::f32;
  const long double flushed =
      flushes ? 2.0L * static_cast<long double>(grid_size) * std::numeric_limits<float>::min() : 0;
  return gamma * reference.sum_of_magnitudes + flushed;
}

std::string find_difference(const Problem& problem, const void* result,
                            const ReferenceValue& reference, long double bound) {
  const ElementType type = problem.accumulator_type();
  if (reference.is_integer) {
    const std::int64_t value =
        type == ElementType::i32 ? read<std::int32_t>(result) : read<std::int64_t>(result);
    if (value == reference.integer) return {};
    return fmt::format("expected {}, got {}", reference.integer, value);
  }
  const long double value = type == ElementType::f32 ? read<float>(result) : read<double>(result);
  const long double expected = reference.floating;
  if (std::isnan(expected) && std::isnan(value)) return {};
  if (problem.op == Operator::sum && std::isfinite(expected)) {
    if (std::fabs(value - expected) <= bound) return {};
  } else if (value == expected &&
             (problem.op == Operator::sum || std::signbit(value) == std::signbit(expected))) {
    return {};
  }
  return fmt::format("expected {:.20g} within {:.3g}, got {:.20g}", static_cast<double>(expected),
                     static_cast<double>(bound), static_cast<double>(value));
}

std::string format_value(ElementType type, const void* value) {
  return with_type(type, [&](auto zero) { return fmt::format("{}", read<decltype(zero)>(value)); });
}

}  // namespace foldtune
