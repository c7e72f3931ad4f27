/// What is folded. A kernel knows an operator by these members, and none by its name:
///
///     Inputs        TypeList of the element types, one per input
///     Accumulator   a partial result: trivially copyable, whole words of 4 bytes, no constructor
///     identity()    the partial result of nothing
///     map(x, i)     of one element (as registers hold it) and its index: map(x, y, i) of two
///     inputs combine(a, b) of two partial results: associative up to rounding, and commutative
///     finish(a, n)  the result, from the last partial result and the number of elements
///     kInstruction  the hardware's instruction that combines integers, if there is one
///
/// T is the element type, A the accumulator's type in the catalogue, Held<A> what registers hold it
/// in; the catalogue's row of an operator names its template arguments.
#pragma once

#include "templates/types.cuh"

namespace foldtune {

template <class... Ts>
struct TypeList {
  static constexpr int kSize = sizeof...(Ts);
};

enum class NanPolicy { propagate, ignore };

/// What the hardware combines by itself, in a warp or in memory.
enum class Instruction { none, add, min, max, bit_and, bit_or, bit_xor };

/// What most operators have in common: one input, and a number that needs no finish.
template <class T, class A>
struct NumberFold {
  using Inputs = TypeList<T>;
  using Accumulator = Held<A>;
  static constexpr Instruction kInstruction = Instruction::none;

  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64) { return static_cast<Accumulator>(x); }
  static FOLDTUNE_DEVICE Accumulator finish(Accumulator a, uint64) { return a; }
};

/// Addition. Integers wrap.
template <class T, class A>
struct Sum : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::add;

  static FOLDTUNE_DEVICE Held<A> identity() { return 0; }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return add(a, b); }
};

/// Multiplication. Integers wrap.
template <class T, class A>
struct Product : NumberFold<T, A> {
  static FOLDTUNE_DEVICE Held<A> identity() { return 1; }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return multiply(a, b); }
};

/// The smaller of two numbers. NaN wins over every number, and -0 over +0; the NaN is always the
/// same one, so that the result's bits do not depend on the order.
template <class T>
FOLDTUNE_DEVICE T minimum(T a, T b) {
  if constexpr (platform::kHasNativeMinimum<T>) {
    return platform::native_minimum(a, b);
  } else {
    if (a < b) return a;
    if (b < a) return b;
    if constexpr (kIsFloating<T>) {
      using Bits = Word<sizeof(T)>;
      if (a == b) return bit_cast<T>(bit_cast<Bits>(a) | bit_cast<Bits>(b));  // of zeros, -0
      return Limits<T>::nan();
    } else {
      return a;
    }
  }
}

/// The larger of two numbers, with the rules of `minimum`; +0 wins over -0.
template <class T>
FOLDTUNE_DEVICE T maximum(T a, T b) {
  if constexpr (platform::kHasNativeMinimum<T>) {
    return platform::native_maximum(a, b);
  } else {
    if (b < a) return a;
    if (a < b) return b;
    if constexpr (kIsFloating<T>) {
      using Bits = Word<sizeof(T)>;
      if (a == b) return bit_cast<T>(bit_cast<Bits>(a) & bit_cast<Bits>(b));  // of zeros, +0
      return Limits<T>::nan();
    } else {
      return a;
    }
  }
}

template <class T, class A, NanPolicy kNan>
struct Min : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::min;

  static FOLDTUNE_DEVICE Held<A> identity() { return highest_element<A>(); }
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) {
    return kNan == NanPolicy::ignore && is_nan(x) ? identity() : x;
  }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return minimum(a, b); }
};

template <class T, class A, NanPolicy kNan>
struct Max : NumberFold<T, A> {
  static constexpr Instruction kInstruction = Instruction::max;

  static FOLDTUNE_DEVICE Held<A> identity() { return lowest_element<A>(); }
  static FOLDTUNE_DEVICE Held<A> map(Held<T> x, uint64) {
    return kNan == NanPolicy::ignore && is_nan(x) ? identity() : x;
  }
  static FOLDTUNE_DEVICE Held<A> combine(Held<A> a, Held<A> b) { return maximum(a, b); }
};

}  // namespace foldtune
