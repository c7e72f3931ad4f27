#include <array>
#include <cmath>

#include "tuner/verify/elements.h"
#include "tuner/verify/reference.h"

namespace foldtune {
namespace {

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): 64 well-mixed bits of a counter.
std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// Uniform in [0, 1).
double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// The number of type T next to `value`, but less than 1.
template <class T>
T below_one(double value) {
  constexpr double kRoundoff = kIsSame<T, float16>    ? 0x1p-11
                               : kIsSame<T, bfloat16> ? 0x1p-8
                               : kIsSame<T, float>    ? 0x1p-24
                                                      : 0x1p-53;
  return store_number<T>(std::min(value, 1 - kRoundoff));
}

/// Integers of which sums do not soon leave 32 bits: 2^20, or the whole type if it is narrower.
constexpr std::uint64_t kIntegerRange = 1 << 20;

template <class T>
T random_element(std::uint64_t bits) {
  if constexpr (kIsFloating<Held<T>>) {
    return below_one<T>(2 * unit(bits) - 1);
  } else if constexpr (sizeof(T) < 4) {
    return static_cast<T>(bits);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(bits % (2 * kIntegerRange)) -
                          static_cast<std::int64_t>(kIntegerRange));
  } else {
    return static_cast<T>(bits % kIntegerRange);
  }
}

/// True for about `expected` of `count` elements.
bool is_one_of(std::uint64_t bits, double expected, std::uint64_t count) {
  return unit(bits) * static_cast<double>(count) < expected;
}

/// Elements of a product of floating-point numbers that are not 1 or -1. So few that the bound on
/// the roundings stays small, and that the product stays within the range of f32; the signs of the
/// others still show when one is lost.
constexpr double kFactors = 4096;

/// The same for integers that are multiplied in f64.
constexpr double kIntegerFactors = 64;

template <class T>
T random_factor(std::uint64_t bits, bool in_floating_point, std::uint64_t count) {
  const bool negative = bits % 2 != 0;
  const std::uint64_t more = mix(bits);
  if constexpr (kIsFloating<Held<T>>) {
    const double most =
        std::min(0.5, 8 / std::sqrt(std::min(static_cast<double>(count), kFactors)));
    const double magnitude = is_one_of(bits, kFactors, count) ? 1 + most * (2 * unit(more) - 1) : 1;
    return store_number<T>(negative ? -magnitude : magnitude);
  } else {
    // Odd, so that no number of them makes a product that wraps 0.
    const int odd = static_cast<int>(
        in_floating_point ? (is_one_of(bits, kIntegerFactors, count) ? 3 : 1) : 1 + 2 * (more % 4));
    return static_cast<T>(negative && std::is_signed_v<T> ? -odd : odd);
  }
}

/// So few bits that some are set in no element, and some in one alone.
template <class T>
T sparse_bits(std::uint64_t bits, std::uint64_t count) {
  constexpr int kBits = 8 * sizeof(T);
  return static_cast<T>(is_one_of(bits, kBits, count) ? uint64{1} << mix(bits) % kBits : 0);
}

/// The ranks of a Zipf distribution: rank r has a probability proportional to 1 / r.
constexpr int kRanks = 256;

/// For each rank the probability of a rank up to it.
std::array<double, kRanks> zipf_distribution() {
  std::array<double, kRanks> cumulative;
  double sum = 0;
  for (int i = 0; i < kRanks; ++i) cumulative[i] = sum += 1.0 / (i + 1);
  for (double& value : cumulative) value /= sum;
  return cumulative;
}

/// Where in the range of a histogram's elements one lies, from 0 to below 1.
double position(Distribution distribution, std::uint64_t bits) {
  switch (distribution) {
    case Distribution::uniform:
      return unit(bits);
    case Distribution::constant:
      return 0.5;
    case Distribution::zipf:
      break;
  }
  static const std::array<double, kRanks> cumulative = zipf_distribution();
  const auto rank = std::ranges::upper_bound(cumulative, unit(bits)) - cumulative.begin();
  // Each rank has its part of the range; the odd factor puts neighbours apart.
  const auto part = static_cast<double>(rank * 167 % kRanks);
  return (part + unit(mix(bits))) / kRanks;
}

template <class T>
T element_at(double position) {
  if constexpr (kIsFloating<Held<T>>) {
    return below_one<T>(position);
  } else {
    constexpr double kRange =
        sizeof(T) < 4 ? static_cast<double>(1 << (8 * sizeof(T) % 32)) : double{kIntegerRange};
    const auto lowest = static_cast<double>(sizeof(T) < 4 ? lowest_element<T>() : 0);
    return static_cast<T>(lowest + std::floor(position * kRange));
  }
}

/// From 1 to 100.
template <class T>
T small_element(std::uint64_t bits) {
  return store_number<T>(static_cast<int>(1 + mix(bits) % 100));
}

template <class T>
T make_element(std::uint64_t bits, const ElementRule& rule, std::uint64_t count) {
  using Kind = ElementRule::Kind;
  switch (rule.kind) {
    case Kind::uniform:
      break;
    case Kind::factors:
      return random_factor<T>(bits, rule.in_floating_point, count);
    case Kind::one_zero:  // of one element, perhaps none or a few, depends the result
      return is_one_of(bits, 1, count) ? T{} : small_element<T>(bits);
    case Kind::one_nonzero:
      return is_one_of(bits, 1, count) ? small_element<T>(bits) : T{};
    case Kind::half_zero:
      return bits % 2 == 0 ? T{} : small_element<T>(bits);
    case Kind::sparse_clear_bits:
    case Kind::sparse_set_bits:
      if constexpr (std::is_integral_v<T>) {
        const T set = sparse_bits<T>(bits, count);
        return rule.kind == Kind::sparse_set_bits ? set : static_cast<T>(~set);
      }
      break;
    case Kind::distributed:
      return element_at<T>(position(rule.distribution, bits));
  }
  return random_element<T>(bits);
}

}  // namespace

ElementRule element_rule(const Problem& problem) {
  using Kind = ElementRule::Kind;
  switch (problem.op) {
    case Operator::product:
      return {.kind = Kind::factors, .in_floating_point = is_floating(problem.accumulator_type())};
    case Operator::all:
      return {.kind = Kind::one_zero};
    case Operator::any:
      return {.kind = Kind::one_nonzero};
    case Operator::count_nonzero:
      return {.kind = Kind::half_zero};
    case Operator::bit_and:
      return {.kind = Kind::sparse_clear_bits};
    case Operator::bit_or:
      return {.kind = Kind::sparse_set_bits};
    case Operator::histogram:
      return {.kind = Kind::distributed, .distribution = problem.histogram.distribution};
    default:
      return {};
  }
}

void fill_input(const Problem& problem, std::size_t input, std::span<std::byte> elements,
                std::uint64_t seed) {
  const ElementType type = problem.input_types()[input];
  const ElementRule rule = element_rule(problem);
  const std::uint64_t count = elements.size() / size_of(type);
  const std::uint64_t start = mix(mix(seed) + input);
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    for_each_part(count, part_count(count),
                  [&](std::uint64_t begin, std::uint64_t end, std::size_t) {
                    for (std::uint64_t i = begin; i < end; ++i) {
                      const T element = make_element<T>(mix(start + i), rule, count);
                      std::memcpy(elements.data() + i * sizeof(T), &element, sizeof(T));
                    }
                  });
  });
}

std::vector<std::byte> make_input(const Problem& problem, std::size_t input, std::uint64_t count,
                                  std::uint64_t seed) {
  std::vector<std::byte> elements(count * size_of(problem.input_types()[input]));
  fill_input(problem, input, elements, seed);
  return elements;
}

}  // namespace foldtune
