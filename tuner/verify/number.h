/// Numbers of any type of the catalogue, as references see them and as text.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "foldtune/catalog.h"

namespace foldtune {

/// A number of any type of the catalogue. Integers are exact, floating-point numbers wider than
/// every type.
struct Number {
  bool is_integer = false;
  std::uint64_t integer = 0;  ///< two's complement, wrapped to its type and extended to 64 bits
  long double floating = 0;
};

template <class N>
Number to_number(N value) {
  if constexpr (std::is_integral_v<N>) {
    return {.is_integer = true, .integer = static_cast<std::uint64_t>(value)};
  } else {
    return {.floating = value};
  }
}

/// The C++ value of one element: exact.
Number read_number(ElementType type, const void* element);

/// @{
/// "12345", "0.123456789" or "nan": a number of `type` as text.
std::string format_number_of(ElementType type, const Number& number);
std::string format_number_of(ElementType type, const void* number);
/// @}

/// Whether two numbers are equal, both NaN, or both finite and no further apart than `tolerance`
/// times the larger one. An infinite number is near nothing but itself.
bool is_near(long double a, long double b, double tolerance);

}  // namespace foldtune
