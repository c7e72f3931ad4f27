/// The method `staged`: a block copies short rows, or slabs of a few short columns, as they lie in
/// memory into shared memory, and folds them there: whatever their length, memory is read in whole
/// vectors, one after another.
#pragma once

#include "templates/axis/lines.cuh"
#include "templates/axis/params.cuh"
#include "templates/axis/place.cuh"

namespace foldtune {

/// Elements of each input in shared memory.
template <int kCapacity, class... Ts>
struct StagedElements {
  FOLDTUNE_DEVICE Row<1> load(uint32) const { return {}; }
};
template <int kCapacity, class T, class... Rest>
struct StagedElements<kCapacity, T, Rest...> {
  alignas(16) T first[kCapacity];
  StagedElements<kCapacity, Rest...> rest;

  FOLDTUNE_DEVICE Row<1, T, Rest...> load(uint32 i) const { return {{{first[i]}}, rest.load(i)}; }
};

/// Copies `count` elements of each input from element `start` on, by all threads of the block.
template <AxisParams kParams, int kCapacity>
FOLDTUNE_DEVICE void stage(StagedElements<kCapacity>&, const void* const*, int64, uint32) {}
template <AxisParams kParams, int kCapacity, class T, class... Rest>
FOLDTUNE_DEVICE void stage(StagedElements<kCapacity, T, Rest...>& staged, const void* const* inputs,
                           int64 start, uint32 count) {
  constexpr uint32 kWidth = kParams.vector_width;
  constexpr uint32 kBlockSize = kParams.block_size;
  using Vector = Pack<T, kWidth>;
  const uint32 thread = platform::thread_index();
  const auto source = RowSource<kWidth, false, T>::at(inputs, start);
  const uint32 vectors = count / kWidth;
  Vector loaded[kParams.unroll];
  FOLDTUNE_UNROLL
  for (uint32 i = 0; i < kParams.unroll; ++i) {
    const uint32 vector = thread + i * kBlockSize;
    if (vector < vectors) loaded[i] = source.load(vector).first;
  }
  FOLDTUNE_UNROLL
  for (uint32 i = 0; i < kParams.unroll; ++i) {
    const uint32 vector = thread + i * kBlockSize;
    if (vector < vectors) reinterpret_cast<Vector*>(staged.first)[vector] = loaded[i];
  }
  if (kWidth > 1 && thread < count % kWidth) {
    const uint32 i = vectors * kWidth + thread;
    staged.first[i] = static_cast<const T*>(inputs[0])[start + static_cast<int64>(i)];
  }
  stage<kParams>(staged.rest, inputs + 1, start, count);
}

/// A thread's share of a result: of `count` elements, `step` apart, from staged element `begin` on,
/// those of number `thread` of `group` threads.
template <class Op, int kUnroll, class Staged>
FOLDTUNE_DEVICE typename Op::Accumulator fold_staged(const Staged& staged, uint32 begin,
                                                     uint32 count, uint32 step, uint32 thread,
                                                     uint32 group) {
  typename Op::Accumulator totals[1];
  const uint32 numbers[1] = {thread};
  const uint32 own = thread < count ? (count - thread + group - 1) / group : 0;
  fold_columns<Op, kUnroll>(totals, own, numbers, group, [&](uint32 i) {
    return staged.load(begin + (thread + i * group) * step);
  });
  return totals[0];
}

}  // namespace foldtune
