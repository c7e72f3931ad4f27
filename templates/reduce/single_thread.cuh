/// The plainest fold, kept for comparison: one thread takes all elements in turn.
#pragma once

#include "templates/reduce/load.cuh"

namespace foldtune {

template <class Op, class Inputs, class Index>
struct SingleThread;

template <class Op, class T, class... Rest, class Index>
struct SingleThread<Op, TypeList<T, Rest...>, Index> {
  static FOLDTUNE_DEVICE auto fold(const InputPointers<sizeof...(Rest) + 1>& inputs, Index count) {
    const auto elements = RowSource<1, true, T, Rest...>::at(inputs.pointers, 0);
    typename Op::Accumulator total = Op::identity();
    for (Index i = 0; i < count; ++i) {
      total = Op::combine(total, fold_row<Op, 0, 1>(elements.load(i), i));
    }
    return total;
  }
};

}  // namespace foldtune
