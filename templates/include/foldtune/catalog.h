/// The names of what Foldtune reduces: the same in C++, on the command line and in the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "foldtune/export.h"

// The 16-bit types of the CUDA Toolkit's cuda_fp16.h and cuda_bf16.h, which need not be there. The
// names are theirs. NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
struct __half;
struct __nv_bfloat16;
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace foldtune {

/// What is computed. Result types and empty inputs: `default_accumulator`, `has_empty_result`.
enum class Operator {
  sum,             ///< x[0] + x[1] + ...; integers wrap
  product,         ///< x[0] * x[1] * ...; integers wrap
  min,             ///< the least element; -0 is less than +0
  max,             ///< the largest element
  argmin,          ///< the least element and its index; of equal ones the lowest index
  argmax,          ///< the largest element and its index; of equal ones the lowest index
  minmax,          ///< the least and the largest element
  bit_and,         ///< the bits that all elements have; integers alone, as the next two
  bit_or,          ///< the bits that any element has
  bit_xor,         ///< the bits that an odd number of elements have
  all,             ///< 1 if no element is zero, else 0
  any,             ///< 1 if an element is not zero, else 0
  count_nonzero,   ///< how many elements are not zero
  sum_of_squares,  ///< the sum of x[i]^2
  asum,            ///< the sum of |x[i]|: the L1 norm
  nansum,          ///< the sum of the elements that are not NaN; of integers it is the sum
  nrm2,            ///< the square root of the sum of squares: the L2 norm
  absmax,          ///< the largest |x[i]|
  argabsmax,       ///< the largest |x[i]| and its index; of equal ones the lowest index
  dot,             ///< the sum of x[i] * y[i], of two inputs
  mean,            ///< the sum over n
  variance,        ///< the mean squared distance from the mean, over n - Reduction::ddof
  stddev,          ///< the square root of the variance
  logsumexp,       ///< log(exp(x[0]) + exp(x[1]) + ...), without overflow
  custom,          ///< the user's own, custom.h
};

/// The type of a number in memory.
enum class ElementType {
  i8,    ///< signed integer of 8 bits
  u8,    ///< unsigned integer of 8 bits
  i16,   ///< signed integer of 16 bits
  u16,   ///< unsigned integer of 16 bits
  i32,   ///< signed integer of 32 bits
  u32,   ///< unsigned integer of 32 bits
  i64,   ///< signed integer of 64 bits
  u64,   ///< unsigned integer of 64 bits
  f16,   ///< IEEE half precision: CUDA's __half
  bf16,  ///< the upper half of a float: CUDA's __nv_bfloat16
  f32,   ///< float
  f64,   ///< double
};

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

/// @{
/// The enumerator as text, spelled as here. Static storage: the view stays valid.
FOLDTUNE_API std::string_view name(Operator op);
FOLDTUNE_API std::string_view name(ElementType type);
FOLDTUNE_API std::string_view name(Determinism determinism);
FOLDTUNE_API std::string_view name(Alignment alignment);
FOLDTUNE_API std::string_view name(NanPolicy policy);
/// @}

/// @{
/// The inverse of `name`; empty for an unknown name.
FOLDTUNE_API std::optional<Operator> parse_operator(std::string_view text);
FOLDTUNE_API std::optional<ElementType> parse_element_type(std::string_view text);
FOLDTUNE_API std::optional<Determinism> parse_determinism(std::string_view text);
FOLDTUNE_API std::optional<NanPolicy> parse_nan_policy(std::string_view text);
/// @}

/// The operators that have a name of their own, in the order of the catalogue: all but `custom`.
FOLDTUNE_API std::span<const Operator> operators();
/// All types, in the order of the catalogue.
FOLDTUNE_API std::span<const ElementType> element_types();

/// The most elements that a reduction or a histogram takes, and the largest extent of any shape.
inline constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 40;

FOLDTUNE_API std::size_t size_of(ElementType type);  ///< bytes
FOLDTUNE_API bool is_floating(ElementType type);     ///< f16, bf16, f32 or f64
FOLDTUNE_API bool is_signed(ElementType type);       ///< a signed integer or floating

FOLDTUNE_API int input_count(Operator op);           ///< arrays that are folded together: 2 for dot
FOLDTUNE_API ResultShape result_shape(Operator op);  ///< what one result is in memory

/// Whether the fold of nothing is a value: the identity.
FOLDTUNE_API bool has_empty_result(Operator op);

/// Whether `op` is defined for elements of this type: bit operators take integers alone.
FOLDTUNE_API bool takes(Operator op, ElementType element);

/// Whether the operator compares, so that NanPolicy says something.
FOLDTUNE_API bool has_nan_policy(Operator op);

/// Whether the operator divides by the number of elements less Reduction::ddof.
FOLDTUNE_API bool has_ddof(Operator op);

/// The type that partial results and the result have unless asked otherwise.
FOLDTUNE_API ElementType default_accumulator(Operator op, ElementType element);

/// The types that `op` over `element` can keep its partial results in, the default first; empty if
/// the operator does not take the element.
FOLDTUNE_API std::vector<ElementType> accumulators(Operator op, ElementType element);

/// Whether the order in which partial results are combined can change the result's bits.
FOLDTUNE_API bool depends_on_order(Operator op, ElementType accumulator);

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
