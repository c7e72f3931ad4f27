#include <fmt/format.h>

#include <cmath>

#include "templates/fold/judge/reference_row.h"
#include "tuner/verify/elements.h"

namespace foldtune {
namespace {

/// Where the index of an indexed value is, in bytes.
constexpr std::size_t kIndexOffset = 8;

/// "12345", "value 3 at index 17" or "min -1, max 5", of the numbers' texts. No index is -1.
std::string format_shape(const Reduction& reduction, const std::string& first,
                         const std::string& second, std::uint64_t index) {
  switch (result_shape(reduction.op)) {
    case ResultShape::indexed_value:
      return fmt::format("value {} at index {}", first, static_cast<std::int64_t>(index));
    case ResultShape::min_max:
      return fmt::format("min {}, max {}", first, second);
    case ResultShape::value:
      break;
  }
  return first;
}

const void* second_number(const Reduction& reduction, const void* result) {
  return static_cast<const std::byte*>(result) + size_of(reduction.result_type());
}

std::uint64_t index_of(const void* result) {
  return read<std::uint64_t>(static_cast<const std::byte*>(result) + kIndexOffset);
}

bool is_same(const Number& a, const Number& b) {
  if (a.is_integer || b.is_integer) return a.is_integer == b.is_integer && a.integer == b.integer;
  if (std::isnan(a.floating) || std::isnan(b.floating)) {
    return std::isnan(a.floating) && std::isnan(b.floating);
  }
  return a.floating == b.floating && std::signbit(a.floating) == std::signbit(b.floating);
}

bool is_close(ElementType type, long double value, long double expected, long double bound) {
  if (std::isnan(expected)) return std::isnan(value);
  if (value == expected) return true;
  if (!std::isfinite(expected)) return false;
  // What is too large for the type is infinite there.
  if (std::isinf(value)) {
    return std::signbit(value) == std::signbit(expected) &&
           std::fabs(expected) + bound >= overflow_threshold(type);
  }
  return std::fabs(value - expected) <= bound;
}

std::string find_inexact_difference(const Reduction& reduction, const void* result,
                                    const Reference& reference, long double bound) {
  const ElementType type = reduction.result_type();
  const long double value = read_number(type, result).floating;
  const long double expected = reference.numbers[0].floating;
  if (is_close(type, value, expected, bound)) return {};
  const auto format = [](long double number) {
    return std::isnan(number) ? std::string("nan")
                              : fmt::format("{:.20g}", static_cast<double>(number));
  };
  return fmt::format("expected {} within {:.3g}, got {}", format(expected),
                     static_cast<double>(bound), format(value));
}

}  // namespace

std::string find_difference(const Reduction& reduction, const void* result,
                            const Reference& reference, long double bound) {
  if (!is_exact(reduction)) return find_inexact_difference(reduction, result, reference, bound);
  const ElementType type = reduction.result_type();
  const ResultShape shape = result_shape(reduction.op);
  const bool is_right =
      is_same(read_number(type, result), reference.numbers[0]) &&
      (shape != ResultShape::indexed_value || index_of(result) == reference.index) &&
      (shape != ResultShape::min_max ||
       is_same(read_number(type, second_number(reduction, result)), reference.numbers[1]));
  if (is_right) return {};
  return fmt::format("expected {}, got {}",
                     format_shape(reduction, format_number_of(type, reference.numbers[0]),
                                  format_number_of(type, reference.numbers[1]), reference.index),
                     format_result(reduction, result));
}

std::string format_result(const Reduction& reduction, const void* result) {
  const ElementType type = reduction.result_type();
  const ResultShape shape = result_shape(reduction.op);
  return format_shape(reduction, format_number_of(type, result),
                      shape == ResultShape::min_max
                          ? format_number_of(type, second_number(reduction, result))
                          : std::string(),
                      shape == ResultShape::indexed_value ? index_of(result) : 0);
}

}  // namespace foldtune
