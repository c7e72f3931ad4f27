#include "tuner/verify/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "tuner/verify/elements.h"

namespace foldtune {
namespace {

/// NaN is "nan", whatever its sign bit, which says nothing.
template <class Value>
std::string format_value(Value value) {
  if constexpr (std::is_floating_point_v<Value>) {
    if (std::isnan(value)) return "nan";
  }
  return fmt::format("{}", value);
}

}  // namespace

Number read_number(ElementType type, const void* element) {
  return with_type(type,
                   [&](auto zero) { return to_number(exact(read<decltype(zero)>(element))); });
}

std::string format_number_of(ElementType type, const Number& number) {
  return with_type(type, [&](auto zero) {
    using Value = Held<decltype(zero)>;
    return format_value(number.is_integer ? static_cast<Value>(number.integer)
                                          : static_cast<Value>(number.floating));
  });
}

std::string format_number_of(ElementType type, const void* number) {
  return with_type(
      type, [&](auto zero) { return format_value(load_number(read<decltype(zero)>(number))); });
}

bool is_near(long double a, long double b, double tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  if (!std::isfinite(a) || !std::isfinite(b)) return false;
  return std::fabs(a - b) <= tolerance * std::max(std::fabs(a), std::fabs(b));
}

}  // namespace foldtune
