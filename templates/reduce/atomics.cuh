/// Combination into memory that other threads combine into at the same time.
#pragma once

#include "templates/operators.cuh"

namespace foldtune {

/// Combines `value` into `*target`: in global memory, or in shared memory.
template <class Op, class Output>
FOLDTUNE_DEVICE void atomic_combine(Output* target, typename Op::Accumulator value) {
  using A = typename Op::Accumulator;
  static_assert(sizeof(A) == sizeof(Output) && (sizeof(A) == 4 || sizeof(A) == 8));
  if constexpr (Op::kInstruction == Instruction::add && platform::kHasAtomicAdd) {
    platform::atomic_add(reinterpret_cast<A*>(target), value);
  } else {
    using Bits = Word<sizeof(A)>;
    Bits* const word = reinterpret_cast<Bits*>(target);
    Bits seen = platform::peek(word);
    for (;;) {
      const Bits desired = bit_cast<Bits>(Op::combine(bit_cast<A>(seen), value));
      const Bits found = platform::compare_and_swap(word, seen, desired);
      if (found == seen) return;
      seen = found;
    }
  }
}

}  // namespace foldtune
