/// The names of what Foldtune reduces: the same in C++, on the command line and in the database.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace foldtune {

enum class Family { reduce };
enum class Operator { sum, min, max };
enum class ElementType { i32, i64, f32, f64 };

/// What a result may depend on besides the input.
enum class Determinism {
  /// nothing is promised: floating-point atomics are allowed, which add in any order and, for f32,
  /// take denormal numbers as 0
  any,
  run_to_run,          ///< the same device and configuration give the same bits
  config_independent,  ///< the same bits whatever the configuration
};

/// What is known of the input's address. Every address aligned to its element works; the classes
/// are tuned and looked up apart.
enum class Alignment {
  vector,   ///< a multiple of 16 bytes
  element,  ///< a multiple of the element's size
};

std::string_view name(Family family);
std::string_view name(Operator op);
std::string_view name(ElementType type);
std::string_view name(Determinism determinism);
std::string_view name(Alignment alignment);

/// The inverse of `name`; empty for an unknown name.
std::optional<Operator> parse_operator(std::string_view text);
std::optional<ElementType> parse_element_type(std::string_view text);
std::optional<Determinism> parse_determinism(std::string_view text);

/// All of them, in the order of the catalogue.
std::span<const Operator> operators();
/// The types that inputs may have; accumulators may also be i64.
std::span<const ElementType> element_types();

std::size_t size_of(ElementType type);
bool is_floating(ElementType type);

/// The type that partial results and the result have unless asked otherwise.
ElementType default_accumulator(Operator op, ElementType element);

/// Whether `op` over `element` can keep its partial results in `accumulator`.
bool accumulates_in(Operator op, ElementType element, ElementType accumulator);

/// Whether the order in which partial results are combined can change the result's bits.
bool depends_on_order(Operator op, ElementType accumulator);

/// The type and the functor as the kernel's template arguments spell them: "float",
/// "foldtune::Sum".
std::string_view device_name(ElementType type);
std::string_view device_name(Operator op);

/// The catalogue's name of a C++ type.
template <class T>
constexpr ElementType element_type_of() {
  static_assert(std::is_same_v<T, int> || std::is_same_v<T, long> || std::is_same_v<T, long long> ||
                    std::is_same_v<T, float> || std::is_same_v<T, double>,
                "no type of the catalogue");
  if constexpr (std::is_same_v<T, float>) {
    return ElementType::f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return ElementType::f64;
  } else {
    return sizeof(T) == 4 ? ElementType::i32 : ElementType::i64;
  }
}

}  // namespace foldtune
