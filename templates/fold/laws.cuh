/// What a custom operator gives for a few elements in every order: is any order as good as another?
#pragma once

#include "templates/fold/load.cuh"

namespace foldtune {

/// The most elements that are combined; the results of all their pairs and triples are some
/// hundred.
inline constexpr uint32 kMaxTried = 6;

template <class Op, class Inputs>
struct MappedElements;

template <class Op, class T, class... Rest>
struct MappedElements<Op, TypeList<T, Rest...>> {
  static FOLDTUNE_DEVICE auto at(const void* const* inputs, uint64 index) {
    return fold_row<Op, 0, 1>(RowSource<1, true, T, Rest...>::at(inputs, 0).load(index), index);
  }
};

/// Writes what the operator gives for the elements at `count` indices, at most kMaxTried: for each
/// it alone, after the identity, and before it; then for each two of them in each order their
/// combination; then for each three in each order (ab)c and a(bc). One thread writes all.
template <class Op, class Output>
FOLDTUNE_KERNEL(kWarpSize)
combine_in_every_order(InputPointers<Op::Inputs::kSize> inputs, const uint64* indices, uint32 count,
                       Output* results) {
  using A = typename Op::Accumulator;
  platform::let_next_grid_begin();
  platform::await_previous_grid();
  if (platform::thread_index() > 0) return;
  const auto write = [&](const A& total, uint64 n) {
    *results++ = store_number<Output>(Op::finish(total, n));
  };
  A elements[kMaxTried];
  for (uint32 i = 0; i < count; ++i) {
    const A element = MappedElements<Op, typename Op::Inputs>::at(inputs.pointers, indices[i]);
    elements[i] = element;
    write(element, 1);
    write(Op::combine(Op::identity(), element), 1);
    write(Op::combine(element, Op::identity()), 1);
  }
  for (uint32 i = 0; i < count; ++i) {
    for (uint32 j = 0; j < count; ++j) {
      if (i != j) write(Op::combine(elements[i], elements[j]), 2);
    }
  }
  for (uint32 i = 0; i < count; ++i) {
    for (uint32 j = 0; j < count; ++j) {
      for (uint32 k = 0; k < count; ++k) {
        if (i == j || j == k || i == k) continue;
        write(Op::combine(Op::combine(elements[i], elements[j]), elements[k]), 3);
        write(Op::combine(elements[i], Op::combine(elements[j], elements[k])), 3);
      }
    }
  }
}

}  // namespace foldtune
