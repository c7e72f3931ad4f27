/// The names of what Foldtune reduces: the same in C++, on the command line and in the database.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

// The 16-bit types of the CUDA Toolkit's cuda_fp16.h and cuda_bf16.h, which need not be there. The
// names are theirs. NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
struct __half;
struct __nv_bfloat16;
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace foldtune {

enum class Family { reduce, histogram };

enum class Operator {
  sum,
  product,
  min,
  max,
  argmin,
  argmax,
  minmax,
  bit_and,
  bit_or,
  bit_xor,
  all,
  any,
  count_nonzero,
  sum_of_squares,
  asum,
  nrm2,
  absmax,
  argabsmax,
  dot,
  mean,
  variance,
  stddev,
  logsumexp,
  custom,     ///< the user's own, custom.h
  histogram,  ///< counts in bins; of the family of its own
};

enum class ElementType { i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64 };

/// What a result may depend on besides the input.
enum class Determinism {
  /// nothing is promised: floating-point atomics are allowed, which add in any order and, for f32,
  /// take denormal numbers as 0
  any,
  run_to_run,          ///< the same device and configuration give the same bits
  config_independent,  ///< the same bits whatever the configuration
};

/// What is known of the inputs' addresses. Every address aligned to its element works; the classes
/// are tuned and looked up apart.
enum class Alignment {
  vector,   ///< all are multiples of 16 bytes
  element,  ///< multiples of the element's size
};

/// What the operators that compare do with NaN.
enum class NanPolicy {
  propagate,  ///< a NaN among the elements is the result, as in NumPy and PyTorch
  ignore,     ///< NaNs are dropped, as fmin and fmax do; of NaNs alone nothing is left
};

/// What a result is, as one value in memory.
enum class ResultShape {
  value,          ///< one number
  indexed_value,  ///< {number value; uint64 index}: 16 bytes, the index at byte 8
  min_max,        ///< {number min; number max}
};

std::string_view name(Family family);
std::string_view name(Operator op);
std::string_view name(ElementType type);
std::string_view name(Determinism determinism);
std::string_view name(Alignment alignment);
std::string_view name(NanPolicy policy);

/// The inverse of `name`; empty for an unknown name.
std::optional<Operator> parse_operator(std::string_view text);
std::optional<ElementType> parse_element_type(std::string_view text);
std::optional<Determinism> parse_determinism(std::string_view text);
std::optional<NanPolicy> parse_nan_policy(std::string_view text);

/// The operators of the family `reduce` that have a name of their own, in the order of the
/// catalogue: all but `custom` and `histogram`.
std::span<const Operator> operators();
std::span<const ElementType> element_types();

std::size_t size_of(ElementType type);  ///< bytes
bool is_floating(ElementType type);
bool is_signed(ElementType type);

Family family_of(Operator op);
int input_count(Operator op);  ///< arrays that are folded together: 2 for dot
ResultShape result_shape(Operator op);

/// Whether the fold of nothing is a value: the identity.
bool has_empty_result(Operator op);

/// Whether `op` is defined for elements of this type: bit operators take integers alone.
bool takes(Operator op, ElementType element);

/// Whether the operator compares, so that NanPolicy says something.
bool has_nan_policy(Operator op);

/// Whether the operator divides by the number of elements less Problem::ddof.
bool has_ddof(Operator op);

/// The type that partial results and the result have unless asked otherwise.
ElementType default_accumulator(Operator op, ElementType element);

/// The types that `op` over `element` can keep its partial results in, the default first; empty if
/// the operator does not take the element.
std::vector<ElementType> accumulators(Operator op, ElementType element);

/// Whether the order in which partial results are combined can change the result's bits.
bool depends_on_order(Operator op, ElementType accumulator);

/// The catalogue's name of a C++ type; __half and __nv_bfloat16 are f16 and bf16.
template <class T>
constexpr ElementType element_type_of() {
  if constexpr (std::is_same_v<T, float>) {
    return ElementType::f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return ElementType::f64;
  } else if constexpr (std::is_same_v<T, __half>) {
    return ElementType::f16;
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return ElementType::bf16;
  } else {
    static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>, "no type of the catalogue");
    constexpr ElementType kSigned[] = {ElementType::i8, ElementType::i16, ElementType::i32,
                                       ElementType::i64};
    constexpr ElementType kUnsigned[] = {ElementType::u8, ElementType::u16, ElementType::u32,
                                         ElementType::u64};
    constexpr int kLog2Size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? kSigned[kLog2Size] : kUnsigned[kLog2Size];
  }
}

}  // namespace foldtune
