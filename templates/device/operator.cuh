/// What is folded. A kernel knows an operator by these members, and none by its name:
///
///     Inputs        TypeList of the element types, one per input
///     Accumulator   a partial result: trivially copyable, whole words of 4 bytes, no constructor
///     identity()    the partial result of nothing
///     map(x, i)     of an element (as registers hold it) and its index; map(x, y, i) of two inputs
///     combine(a, b) of two partial results: associative up to rounding, and commutative
///     finish(a, n)  the result, from the last partial result and the number of elements
///     Result        what finish gives, unless it is a number: stored as it is
///     kInstruction  what the hardware may combine by itself, if it knows the operator
///     Value         of an operator that finds an element: the one that gives its value
///     Plain         of an operator whose partial results seldom need what sets them apart from
///                   those of another one: that one, with which a thread folds what it loads first
///     is_ordinary(p), of_plain(p)  whether that was enough, and the partial result that it then
///                   is; else the thread looks at its elements a second time
///     of_many<k>(x), of_some<k>(x, are_in)  of an operator that is dear to combine: the partial
///                   result of k numbers at hand (a power of two), of all or of some of them
///     merge(a, lanes)  of an operator whose partial results are merged sooner many at a time than
///                   in pairs: that of `a[0]` to `a[kCount - 1]` of all lanes of a warp, in each
///                   lane; `lanes` is what it may ask them for (redux.cuh)
///
/// T is the element type, A the accumulator's type in the catalogue, Held<A> what registers hold it
/// in; the catalogue's row of an operator names its template arguments. Each operator has a file in
/// operators/, by its name: a program includes that of its own alone.
#pragma once

#include "templates/device/types.cuh"

namespace foldtune {

template <class... Ts>
struct TypeList {
  static constexpr int kSize = sizeof...(Ts);
};

enum class NanPolicy { propagate, ignore };

/// What the hardware combines by itself, in a warp or in memory. `all` and `any` are of truth
/// values; of `arg_min` and `arg_max` a warp finds the value first, then the lowest index.
enum class Instruction {
  none,
  add,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  all,
  any,
  arg_min,
  arg_max
};

/// What most operators have in common: one input, and a number that needs no finish.
template <class T, class A>
struct NumberFold {
  using Inputs = TypeList<T>;
  using Accumulator = Held<A>;
  static constexpr Instruction kInstruction = Instruction::none;

  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64) { return static_cast<Accumulator>(x); }
  static FOLDTUNE_DEVICE Accumulator finish(Accumulator a, uint64) { return a; }
};

/// An index or a count beside a Number in a partial result: of its size at least, so that they need
/// no padding.
template <class Number, class Index>
using Beside = Word<sizeof(Number) == 8 ? 8 : sizeof(Index)>;

}  // namespace foldtune
