#include <cmath>
#include <limits>

#include "templates/fold/judge/reference.h"
#include "tuner/verify/random_elements.h"

namespace foldtune {
namespace {

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
    case Kind::some_nan:
      if (mix(bits) % 8 != 0) break;
      return store_number<T>(std::numeric_limits<double>::quiet_NaN());
    case Kind::sparse_clear_bits:
    case Kind::sparse_set_bits:
      if constexpr (std::is_integral_v<T>) {
        const T set = sparse_bits<T>(bits, count);
        return rule.kind == Kind::sparse_set_bits ? set : static_cast<T>(~set);
      }
      break;
  }
  return random_element<T>(bits);
}

}  // namespace

ElementRule element_rule(const Reduction& reduction) {
  using Kind = ElementRule::Kind;
  switch (reduction.op) {
    case Operator::product:
      return {.kind = Kind::factors,
              .in_floating_point = is_floating(reduction.accumulator_type())};
    case Operator::all:
      return {.kind = Kind::one_zero};
    case Operator::any:
      return {.kind = Kind::one_nonzero};
    case Operator::count_nonzero:
      return {.kind = Kind::half_zero};
    case Operator::nansum:
      return is_floating(reduction.type) ? ElementRule{.kind = Kind::some_nan} : ElementRule{};
    case Operator::bit_and:
      return {.kind = Kind::sparse_clear_bits};
    case Operator::bit_or:
      return {.kind = Kind::sparse_set_bits};
    default:
      return {};
  }
}

void fill_input(const Reduction& reduction, std::size_t input, std::span<std::byte> elements,
                std::uint64_t seed) {
  const ElementType type = reduction.input_types()[input];
  const ElementRule rule = element_rule(reduction);
  const std::uint64_t count = elements.size() / size_of(type);
  fill_elements(type, elements, input, seed,
                [&]<class T>(T, std::uint64_t bits) { return make_element<T>(bits, rule, count); });
}

std::vector<std::byte> make_input(const Reduction& reduction, std::size_t input,
                                  std::uint64_t count, std::uint64_t seed) {
  std::vector<std::byte> elements(count * size_of(reduction.input_types()[input]));
  fill_input(reduction, input, elements, seed);
  return elements;
}

}  // namespace foldtune
