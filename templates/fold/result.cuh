/// The result of a fold, in memory.
#pragma once

#include "templates/device/operator.cuh"

namespace foldtune {

/// Each word of the result is stored once, so that the host need not wait for the kernel's end: a
/// word that has changed is the result's.
template <class Output>
FOLDTUNE_DEVICE void show_result(Output* output, const Output& result) {
  using ResultWord = Word<alignof(Output)>;
  struct ResultWords {
    ResultWord words[sizeof(Output) / sizeof(ResultWord)];
  };
  const auto words = bit_cast<ResultWords>(result);
  FOLDTUNE_UNROLL
  for (uint32 i = 0; i < sizeof(words) / sizeof(ResultWord); ++i) {
    platform::show(reinterpret_cast<ResultWord*>(output) + i, words.words[i]);
  }
}

/// The result of a fold of `count` elements, from its last partial result.
template <class Op, class Output>
FOLDTUNE_DEVICE Output result_of(const typename Op::Accumulator& total, uint64 count) {
  const auto result = Op::finish(total, count);
  if constexpr (kIsSame<decltype(result), const Output>) {
    return result;
  } else {
    return store_number<Output>(result);
  }
}
template <class Op, class Output>
FOLDTUNE_DEVICE void store_result(Output* output, const typename Op::Accumulator& total,
                                  uint64 count) {
  show_result(output, result_of<Op, Output>(total, count));
}

}  // namespace foldtune
