/// Combination into memory that other threads combine into at the same time.
#pragma once

#include "templates/device/operator.cuh"

namespace foldtune {

/// Whether the hardware combines numbers of type A in memory as Op does.
template <class Op, class A>
inline constexpr bool kHasAtomic =
    platform::kHasAtomics &&
    (Op::kInstruction == Instruction::add ||
     (!kIsFloating<A> &&
      (Op::kInstruction == Instruction::min || Op::kInstruction == Instruction::max ||
       Op::kInstruction == Instruction::bit_and || Op::kInstruction == Instruction::bit_or ||
       Op::kInstruction == Instruction::bit_xor)));

/// Combines `value` into `*target`.
template <class Op, class Output>
FOLDTUNE_DEVICE void atomic_combine(Output* target, typename Op::Accumulator value) {
  using A = typename Op::Accumulator;
  static_assert(sizeof(A) == sizeof(Output) && (sizeof(A) == 4 || sizeof(A) == 8));
  if constexpr (kHasAtomic<Op, A>) {
    constexpr Instruction kInstruction = Op::kInstruction;
    auto* const number = reinterpret_cast<A*>(target);
    auto* const bits = reinterpret_cast<Word<sizeof(A)>*>(target);
    if constexpr (kInstruction == Instruction::add) platform::atomic_add(number, value);
    if constexpr (kInstruction == Instruction::min) platform::atomic_min(number, value);
    if constexpr (kInstruction == Instruction::max) platform::atomic_max(number, value);
    if constexpr (kInstruction == Instruction::bit_and) platform::atomic_and(bits, value);
    if constexpr (kInstruction == Instruction::bit_or) platform::atomic_or(bits, value);
    if constexpr (kInstruction == Instruction::bit_xor) platform::atomic_xor(bits, value);
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
