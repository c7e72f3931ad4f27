/// The kernels for Determinism::config_independent where the order of combination matters: the
/// order is that of the elements' numbers alone, whatever the tunables and the device.
///
/// The input is cut into chunks, whose size depends on the number of elements alone. In a chunk,
/// element i belongs to lane i % kOrderedLanes; a lane combines its elements in ascending order,
/// and a halving tree combines the lanes. The chunks' partials are combined in the same way, as if
/// they were the elements of one chunk.
///
/// Compiled without contraction into fused operations, which differ from variant to variant.
#pragma once

#include "templates/reduce/final_stage.cuh"
#include "templates/reduce/share.cuh"

namespace foldtune {

inline constexpr uint32 kOrderedLanes = 1024;

template <class Op>
struct OrderedStorage {
  typename Op::Accumulator lanes[kOrderedLanes];
  uint32 is_last;
};

/// Called by all threads when the lanes are in the storage: the total, for all of them. The storage
/// may be used again after a `sync_block`.
template <class Op, uint32 kBlockSize>
FOLDTUNE_DEVICE auto fold_lanes(OrderedStorage<Op>& storage) {
  for (uint32 half = kOrderedLanes / 2; half > 0; half /= 2) {
    platform::sync_block();
    for (uint32 lane = platform::thread_index(); lane < half; lane += kBlockSize) {
      storage.lanes[lane] = Op::combine(storage.lanes[lane], storage.lanes[lane + half]);
    }
  }
  platform::sync_block();
  return storage.lanes[0];
}

/// The fold of elements [begin, end) for all threads of a block, `begin` being a multiple of
/// kOrderedLanes.
template <class Op, class Inputs, class Index, ReduceParams kParams>
struct OrderedChunk;

template <class Op, class... Ts, class Index, ReduceParams kParams>
struct OrderedChunk<Op, TypeList<Ts...>, Index, kParams> {
  using A = typename Op::Accumulator;
  static constexpr uint32 kWidth = kParams.vector_width;
  static constexpr uint32 kUnroll = kParams.unroll;
  static constexpr uint32 kBlockSize = kParams.block_size;
  /// Vectors of a row of lanes that one thread loads.
  static constexpr uint32 kVectors = kOrderedLanes / (kBlockSize * kWidth);

  using Source = RowSource<kWidth, true, Ts...>;
  using Element = RowSource<1, true, Ts...>;

  static FOLDTUNE_DEVICE A fold(OrderedStorage<Op>& storage, const void* const* pointers,
                                Index begin, Index end) {
    const uint32 thread = platform::thread_index();
    A lanes[kVectors][kWidth];
    FOLDTUNE_UNROLL
    for (uint32 v = 0; v < kVectors; ++v) {
      FOLDTUNE_UNROLL
      for (uint32 j = 0; j < kWidth; ++j) lanes[v][j] = Op::identity();
    }
    const Source source = Source::at(pointers, 0);
    Index row = begin;
    for (; row + kUnroll * kOrderedLanes <= end; row += kUnroll * kOrderedLanes) {
      Row<kWidth, Ts...> rows[kUnroll][kVectors];
      FOLDTUNE_UNROLL
      for (uint32 i = 0; i < kUnroll; ++i) {
        FOLDTUNE_UNROLL
        for (uint32 v = 0; v < kVectors; ++v) {
          rows[i][v] = source.load(
              static_cast<Index>((row + i * kOrderedLanes) / kWidth + v * kBlockSize + thread));
        }
      }
      FOLDTUNE_UNROLL
      for (uint32 i = 0; i < kUnroll; ++i) {
        FOLDTUNE_UNROLL
        for (uint32 v = 0; v < kVectors; ++v) {
          combine_row<0>(
              lanes[v], rows[i][v],
              static_cast<Index>(row + i * kOrderedLanes + (v * kBlockSize + thread) * kWidth));
        }
      }
    }
    const Element elements = Element::at(pointers, 0);
    for (; row < end; row += kOrderedLanes) {
      FOLDTUNE_UNROLL
      for (uint32 v = 0; v < kVectors; ++v) {
        FOLDTUNE_UNROLL
        for (uint32 j = 0; j < kWidth; ++j) {
          const Index index = row + (v * kBlockSize + thread) * kWidth + j;
          if (index < end) {
            lanes[v][j] = Op::combine(lanes[v][j], map_element<Op, 0>(elements.load(index), index));
          }
        }
      }
    }
    FOLDTUNE_UNROLL
    for (uint32 v = 0; v < kVectors; ++v) {
      FOLDTUNE_UNROLL
      for (uint32 j = 0; j < kWidth; ++j) {
        storage.lanes[(v * kBlockSize + thread) * kWidth + j] = lanes[v][j];
      }
    }
    return fold_lanes<Op, kBlockSize>(storage);
  }

 private:
  template <uint32 kElement, class RowType>
  static FOLDTUNE_DEVICE void combine_row(A* lanes, const RowType& row, Index index) {
    lanes[kElement] = Op::combine(
        lanes[kElement], map_element<Op, kElement>(row, static_cast<Index>(index + kElement)));
    if constexpr (kElement + 1 < kWidth) combine_row<kElement + 1>(lanes, row, index);
  }
};

/// The fold of `count` partials that are all there, for all threads of a block.
template <class Op, uint32 kBlockSize>
FOLDTUNE_DEVICE auto fold_partials_in_order(OrderedStorage<Op>& storage,
                                            Partials<typename Op::Accumulator> partials,
                                            uint32 count) {
  for (uint32 lane = platform::thread_index(); lane < kOrderedLanes; lane += kBlockSize) {
    typename Op::Accumulator total = Op::identity();
    for (uint32 chunk = lane; chunk < count; chunk += kOrderedLanes) {
      total = Op::combine(total, partials.get(chunk));
    }
    storage.lanes[lane] = total;
  }
  return fold_lanes<Op, kBlockSize>(storage);
}

/// As `reduce`, in the order of this file. `chunk` is the number of elements of a chunk, a multiple
/// of kOrderedLanes; the scratch has a slot for every chunk, and is null where there is one at
/// most.
template <class Op, class Output, class Index, ReduceParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
reduce_in_order(InputPointers<Op::Inputs::kSize> inputs, Index count, uint32 chunk, Output* output,
                void* scratch, bool inputs_ready) {
  using A = typename Op::Accumulator;
  using Chunk = OrderedChunk<Op, typename Op::Inputs, Index, kParams>;
  FOLDTUNE_SHARED(OrderedStorage<Op>, storage);
  platform::let_next_grid_begin();
  if (!inputs_ready) platform::await_previous_grid();
  const uint32 thread = platform::thread_index();
  const uint32 chunks = static_cast<uint32>((count + (chunk - 1)) / chunk);
  for (uint32 i = platform::block_index(); i < chunks; i += platform::grid_size()) {
    const Index begin = static_cast<Index>(i) * chunk;
    const Index end = count - begin < chunk ? count : begin + chunk;
    const A total = Chunk::fold(storage, inputs.pointers, begin, end);
    if (inputs_ready) platform::await_previous_grid();
    platform::sync_block();
    if (thread == 0 && chunks > 1) Partials<A>(slots_of(scratch)).put(i, total);
    if (thread == 0 && chunks == 1) store_result<Op>(output, total, count);
  }
  if (inputs_ready) platform::await_previous_grid();  // a block may have had no chunk
  if (chunks == 0 && thread == 0) store_result<Op>(output, Op::identity(), count);
  if (chunks <= 1) return;

  if constexpr (kParams.final_stage == FinalStage::last_block) {
    const uint32 last = platform::grid_size() - 1;
    if (thread == 0) {
      storage.is_last = platform::take_ticket(static_cast<uint32*>(scratch), last) == last;
    }
    platform::sync_block();
    if (storage.is_last == 0) return;
    const A total = fold_partials_in_order<Op, kParams.block_size>(
        storage, Partials<A>(slots_of(scratch)), chunks);
    if (thread == 0) store_result<Op>(output, total, count);
  } else {
    static_assert(kParams.final_stage == FinalStage::two_pass);
  }
}

/// After `reduce_in_order` with the final stage `two_pass`: one block folds the chunks' partials.
template <class Op, class Output, ReduceParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
fold_in_order(void* scratch, uint32 chunks, uint64 count, Output* output) {
  FOLDTUNE_SHARED(OrderedStorage<Op>, storage);
  platform::let_next_grid_begin();
  platform::await_previous_grid();
  const auto total = fold_partials_in_order<Op, kParams.block_size>(
      storage, Partials<typename Op::Accumulator>(slots_of(scratch)), chunks);
  if (platform::thread_index() == 0) store_result<Op>(output, total, count);
}

}  // namespace foldtune
