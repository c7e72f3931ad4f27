/// Operators of the user's own: CUDA C++ expressions that are tuned, cached and looked up like the
/// built-in ones.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "foldtune/catalog.h"
#include "foldtune/export.h"

namespace foldtune {

/// The most inputs that a custom operator takes.
inline constexpr std::size_t kMaxInputs = 4;

/// The most members that an accumulator has.
inline constexpr std::size_t kMaxAccumulatorFields = 8;

/// One member of an accumulator.
struct AccumulatorField {
  std::string name;                     ///< empty if the accumulator is this number alone
  ElementType type = ElementType::f32;  ///< of the number
};

/// The fold `finish(combine(map(e0), combine(map(e1), ...)))`.
///
/// Every expression is CUDA C++, of one line or several, in the namespace `foldtune`. Elements of
/// f16 and bf16 come as float, integers of 8 and 16 bits as int or unsigned int. `Accumulator`
/// names the accumulator's type; `return` is not written. `sqrt`, `fabs`, `exp` and the other
/// functions of CUDA's math library can be used.
///
/// `combine` must be associative (up to rounding) and commutative, and `identity` neutral to it:
/// elements are combined in any order, and the identity any number of times.
///
/// A value type. The result is one number.
struct FOLDTUNE_API CustomOperator {
  std::string name;  ///< for people: letters, digits and underscores, at most 100
  std::vector<ElementType> inputs{ElementType::f32};  ///< 1 to 4, of any types
  /// One unnamed field, or 1 to 8 named ones of 32 bytes in all: then the accumulator is a struct
  /// of them, in this order.
  std::vector<AccumulatorField> accumulator{{.name = "", .type = ElementType::f32}};
  std::string identity = "0";  ///< of type Accumulator
  std::string map = "x";       ///< of the elements x, y, z, w and the index i (unsigned, 64 bits)
  std::string combine = "a + b";          ///< of the accumulators a and b
  std::string finish = "a";               ///< of the accumulator a and the number of elements n
  ElementType result = ElementType::f32;  ///< the type that `finish` is converted to
  /// How far two right floating-point results may be apart, relative to the larger one: the tuner
  /// compares every variant with the plainest. Finite, and 0 or more. Results that are integers
  /// must be equal.
  double tolerance = 1e-3;

  /// Hexadecimal hash of all but the name and the tolerance: what tuning results are kept under.
  std::string hash() const;

  /// Bytes of the accumulator, with padding.
  std::size_t accumulator_bytes() const;

  /// Empty if the operator can be compiled for all that is known without a compiler, else what is
  /// wrong with it.
  std::string find_fault() const;
};

}  // namespace foldtune
