/// An extreme and where it is.
#pragma once

#include "templates/device/operator.cuh"

namespace foldtune {

/// The result of an operator that finds an element. The bytes between are zero.
template <class T, int kGap = 8 - sizeof(T)>
struct IndexedValue {
  T value;
  unsigned char zeros[kGap];
  uint64 index;

  static FOLDTUNE_DEVICE IndexedValue of(T value, uint64 index) { return {value, {}, index}; }
};
template <class T>
struct IndexedValue<T, 0> {
  T value;
  uint64 index;

  static FOLDTUNE_DEVICE IndexedValue of(T value, uint64 index) { return {value, index}; }
};

/// A number and its index. Without padding.
template <class Number, class Index, bool kHasGap = sizeof(Number) < sizeof(Index)>
struct Indexed {
  Number value;
  Index index;

  static FOLDTUNE_DEVICE Indexed of(Number value, Index index) { return {value, index}; }
};
template <class Number, class Index>
struct Indexed<Number, Index, true> {
  Number value;
  uint32 zero;
  Index index;

  static FOLDTUNE_DEVICE Indexed of(Number value, Index index) { return {value, 0, index}; }
};

/// The element that Extreme prefers, and its index. Of equal ones, the first; NaN is preferred to
/// every number, and zeros are equal. Of nothing but NaNs that are ignored, the index has all bits
/// set. I is the type of an index.
template <template <class, class, NanPolicy> class Extreme, class T, class A, class I,
          NanPolicy kNan>
struct ArgExtreme {
  using Value = Extreme<T, A, kNan>;
  using Number = typename Value::Accumulator;
  using Index = Beside<Number, I>;
  using Inputs = TypeList<T>;
  using Accumulator = Indexed<Number, Index>;
  using Result = IndexedValue<A>;
  static constexpr Instruction kInstruction =
      Value::kInstruction == Instruction::min ? Instruction::arg_min : Instruction::arg_max;
  static constexpr Index kNowhere = ~Index{0};

  static FOLDTUNE_DEVICE Accumulator identity() {
    return Accumulator::of(Value::identity(), kNowhere);
  }
  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64 index) {
    if (kNan == NanPolicy::ignore && is_nan(x)) return identity();
    return Accumulator::of(Value::map(x, index), static_cast<Index>(index));
  }
  static FOLDTUNE_DEVICE Accumulator combine(const Accumulator& a, const Accumulator& b) {
    const bool b_is_better = is_preferred(b.value, a.value);
    const bool a_is_better = is_preferred(a.value, b.value);
    const bool b_is_first = b.index < a.index;
    const bool takes_b = b_is_better | (b_is_first & !a_is_better);
    return Accumulator::of(takes_b ? b.value : a.value, takes_b ? b.index : a.index);
  }
  static FOLDTUNE_DEVICE Result finish(const Accumulator& a, uint64) {
    return Result::of(store_number<A>(a.value), a.index == kNowhere ? ~uint64{0} : a.index);
  }

  /// Whether a is preferred to b, whatever their indices.
  static FOLDTUNE_DEVICE bool is_preferred(Number a, Number b) {
    const bool precedes = Value::precedes(a, b);
    const bool a_is_nan = is_nan(a);
    const bool b_is_nan = is_nan(b);
    return precedes | (a_is_nan & !b_is_nan);
  }
  /// Whether an element is one that `best`, the Value of it and others, is of.
  static FOLDTUNE_DEVICE bool is_at(Held<T> x, Number best) {
    const bool x_is_nan = is_nan(x);
    const bool is_equal = Value::map(x, 0) == best;
    return kNan == NanPolicy::ignore ? (is_equal & !x_is_nan) : (is_equal | x_is_nan);
  }
};

}  // namespace foldtune
