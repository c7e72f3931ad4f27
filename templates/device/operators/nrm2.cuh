#pragma once

#include "templates/device/operators/sum_of_squares.cuh"
#include "templates/device/wide_sums.cuh"

namespace foldtune {

/// The square root of the sum of squares.
template <class T, class A, bool kIsWide = kMayLeaveRange<T, A>>
struct Nrm2 : SumOfSquares<T, A> {
  static FOLDTUNE_DEVICE Held<A> finish(Held<A> a, uint64) { return platform::square_root(a); }
};
template <class T, class A>
struct Nrm2<T, A, true> {
  using Inputs = TypeList<T>;
  using Accumulator = WideSquares<A>;
  /// Its sum of nothing is -0, and no sum of squares is: a thread that has no element need not look
  /// for lost ones.
  struct Plain : SumOfSquares<T, A> {
    static FOLDTUNE_DEVICE A identity() { return -A{0}; }
  };
  static constexpr Instruction kInstruction = Instruction::none;

  static FOLDTUNE_DEVICE Accumulator identity() { return Accumulator::none(); }
  static FOLDTUNE_DEVICE Accumulator map(Held<T> x, uint64) { return Accumulator::of(x, 1); }
  static FOLDTUNE_DEVICE bool is_ordinary(A sum) {
    const bool is_of_nothing = bit_cast<Word<sizeof(A)>>(sum) == bit_cast<Word<sizeof(A)>>(-A{0});
    return Accumulator::is_ordinary(sum) | is_of_nothing;
  }
  static FOLDTUNE_DEVICE Accumulator of_plain(A sum) {
    return Accumulator::of_plain(sum + A{0});  // -0 becomes 0
  }
  static FOLDTUNE_DEVICE Accumulator combine(const Accumulator& a, const Accumulator& b) {
    return Accumulator::add(a, b);
  }
  template <int kCount, class Lanes>
  static FOLDTUNE_DEVICE Accumulator merge(const Accumulator* a, Lanes lanes) {
    return Accumulator::template merge<kCount>([&](int i) { return a[i]; }, lanes);
  }
  static FOLDTUNE_DEVICE A finish(const Accumulator& a, uint64) {
    return platform::square_root(a.sum) * a.unit();
  }
};

template <class T, class A>
struct PackedFold<Nrm2<T, A, false>> : PackedFold<SumOfSquares<T, A>> {};

}  // namespace foldtune
