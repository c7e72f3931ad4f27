/// The kernels of the family `axis`, one for each method. Each folds with the operator Op
/// (operator.cuh), and stores numbers of type Output, or what Op::finish gives; of operators that
/// find an element its number. Index is an unsigned type that holds every number along the axis.
/// `inputs_ready` promises that no grid that may still be running writes the inputs: they are read
/// while it runs.
#pragma once

#include "templates/axis/columns.cuh"
#include "templates/axis/meeting.cuh"
#include "templates/axis/rows.cuh"
#include "templates/axis/staged.cuh"
#include "templates/device/prefetch.cuh"

namespace foldtune {

/// Before a kernel reads.
template <AxisParams kParams, class... Ts>
FOLDTUNE_DEVICE void begin_reading(TypeList<Ts...>, const void* const* inputs, const AxisWork& work,
                                   bool inputs_ready) {
  constexpr uint32 kTile = kParams.block_size * kParams.vector_width * kParams.unroll;
  platform::let_next_grid_begin();
  if (inputs_ready && work.units > 0) return;
  if constexpr (platform::kHasPrefetch) {
    for (uint64 tile = uint64{platform::block_index()} * kTile; tile < work.prefetched;
         tile += uint64{platform::grid_size()} * kTile) {
      const auto rest = static_cast<uint32>(work.prefetched - tile);
      prefetch_elements<kParams.block_size, Ts...>(inputs, tile, rest < kTile ? rest : kTile);
    }
  }
  platform::await_previous_grid();
}
/// Before it writes, which a grid without units does not.
FOLDTUNE_DEVICE void begin_writing(bool inputs_ready) {
  if (inputs_ready) platform::await_previous_grid();
}

FOLDTUNE_DEVICE uint64 reduced_count(const AxisShape& shape) {
  return shape.extents[1] * shape.extents[3];
}

/// The units of a block: `kUnits` at a time, which no other block has, or one at a time, of which
/// it has a part.
struct BlockTurn {
  uint32 part;
  uint32 parts;
  uint64 first;  ///< unit
  uint64 step;   ///< to the first unit of its next turn
};
template <uint32 kUnits>
FOLDTUNE_DEVICE BlockTurn block_turn(const AxisWork& work) {
  const uint32 block = platform::block_index();
  const uint32 blocks = platform::grid_size();
  if constexpr (kUnits > 1) {
    return {0, 1, uint64{block} * kUnits, uint64{blocks} * kUnits};
  } else {
    return {block % work.splits, work.splits, block / work.splits, blocks / work.splits};
  }
}

/// A unit is a result.
template <class Op, class Warp, class Output, class Index, AxisLayout kLayout, ResultRows kRows,
          AxisParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
fold_along_rows(InputPointers<Op::Inputs::kSize> inputs, AxisShape shape, AxisWork work,
                Output* output, void* scratch, bool inputs_ready) {
  using A = typename Op::Accumulator;
  constexpr uint32 kBlockSize = kParams.block_size;
  constexpr uint32 kGroup = kParams.group;
  constexpr uint32 kGroups = kBlockSize / kGroup;
  using Group = GroupFold<Op, Warp, kBlockSize, kGroup>;
  FOLDTUNE_SHARED(typename Group::Storage, storage);
  begin_reading<kParams>(typename Op::Inputs{}, inputs.pointers, work, inputs_ready);
  const uint32 thread = platform::thread_index() % kGroup;
  const uint32 group = platform::thread_index() / kGroup;
  const BlockTurn turn = block_turn<kGroups>(work);
  for (uint64 base = turn.first; base < work.units; base += turn.step) {
    const uint64 unit = base + group;
    const bool is_there = unit < work.units;
    const Quotient place = divide(unit, shape.extents[2]);
    A total = Op::identity();
    if (is_there) {
      const int64 start = input_offset(shape, place.quotient, place.remainder);
      if constexpr (kLayout == AxisLayout::strided || kRows == ResultRows::joined) {
        total = fold_joined_rows<Op, Index, kLayout, kParams>(
            typename Op::Inputs{}, inputs.pointers, shape, start, thread, turn.part, turn.parts);
      } else {
        total = fold_walk<Op>(RowWalk<Op, typename Op::Inputs, Index, kLayout, kRows, kParams>{
            inputs.pointers, shape, start, thread, turn.part, turn.parts});
      }
    }
    total = Group::fold(storage, total);
    begin_writing(inputs_ready);
    if constexpr (kGroups == 1) {
      if (turn.parts > 1 &&
          !meet_for_one<Op, Group>(storage, total, unit, turn.part, turn.parts, scratch)) {
        return;
      }
    }
    if (is_there && thread == 0) {
      output[output_offset(shape, place.quotient, place.remainder)] =
          result_of_one<Op, Output>(total, reduced_count(shape));
    }
    if constexpr (kGroup > kWarpSize) platform::sync_block();
  }
}

/// A unit is a strip of the columns of a slab.
template <class Op, class Output, class Index, AxisLayout kLayout, AxisParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
fold_strips(InputPointers<Op::Inputs::kSize> inputs, AxisShape shape, AxisWork work, Output* output,
            void* scratch, bool inputs_ready) {
  using A = typename Op::Accumulator;
  constexpr uint32 kBlockSize = kParams.block_size;
  using Columns = StripColumns<kLayout, kParams>;
  constexpr uint32 kVector = kParams.vector_width;
  constexpr uint32 kColumns = Columns::kCount;
  constexpr uint32 kHeight = kParams.group;
  constexpr uint32 kUnitThreads = kParams.width * kHeight;
  constexpr uint32 kUnits = kBlockSize / kUnitThreads;
  constexpr bool kMeets = kHeight > 1;
  struct Storage {
    A values[kMeets || kUnits == 1 ? kBlockSize * kVector : 1];
  };
  FOLDTUNE_SHARED(Storage, storage);
  begin_reading<kParams>(typename Op::Inputs{}, inputs.pointers, work, inputs_ready);
  const uint32 thread = platform::thread_index() % kUnitThreads;
  const Columns own{thread % kParams.width};
  const uint32 y = thread / kParams.width;
  const BlockTurn turn = block_turn<kUnits>(work);
  A* const values = storage.values + (kMeets ? (platform::thread_index() - thread) * kVector : 0);
  for (uint64 base = turn.first; base < work.units; base += turn.step) {
    const uint64 unit = base + platform::thread_index() / kUnitThreads;
    const bool is_there = unit < work.units;
    const Quotient place = divide(unit, work.strips);
    const uint64 strip = is_there ? place.remainder * kColumns : shape.extents[2];
    A totals[kVector];
    fold_strip<Op>(typename Op::Inputs{}, inputs.pointers, shape, place.quotient, strip, own,
                   static_cast<Index>(turn.part * kHeight + y),
                   static_cast<Index>(turn.parts * kHeight), totals);
    begin_writing(inputs_ready);
    const auto output_at = [&](uint64 column) {
      return output + output_offset(shape, place.quotient, column);
    };
    const auto store = [&](uint64 column, const A& total) {
      if (column < shape.extents[2]) {
        *output_at(column) = result_of_one<Op, Output>(total, reduced_count(shape));
      }
    };
    if (!kMeets && turn.parts == 1) {
      if constexpr (Columns::kAreNeighbours) {
        const uint64 first = strip + own.at(0);
        if (first < shape.extents[2]) {
          store_neighbours<Op>(output_at(first), shape.output_strides[1], totals,
                               reduced_count(shape));
        }
      } else {
        FOLDTUNE_UNROLL
        for (uint32 j = 0; j < kVector; ++j) store(strip + own.at(j), totals[j]);
      }
      continue;
    }
    if constexpr (kMeets || kUnits == 1) {
      FOLDTUNE_UNROLL
      for (uint32 j = 0; j < kVector; ++j) values[y * kColumns + own.at(j)] = totals[j];
      platform::sync_block();
      fold_matrix<Op>(values, kHeight, kColumns, thread, kUnitThreads);
      if constexpr (kUnits == 1) {
        if (turn.parts > 1 && !meet_blocks<Op, kBlockSize, kBlockSize * kVector>(
                                  values, kColumns, unit, turn.part, turn.parts, scratch)) {
          return;
        }
      }
      for (uint32 i = thread; i < kColumns && is_there; i += kUnitThreads) {
        store(strip + i, values[i]);
      }
      platform::sync_block();
    }
  }
}

/// A unit is a slab.
template <class Op, class Output, class Index, AxisLayout kLayout, AxisParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
fold_lines(InputPointers<Op::Inputs::kSize> inputs, AxisShape shape, AxisWork work, Output* output,
           void* scratch, bool inputs_ready) {
  using A = typename Op::Accumulator;
  constexpr uint32 kBlockSize = kParams.block_size;
  constexpr uint32 kVector = kParams.vector_width;
  struct Storage {
    A values[kBlockSize * kVector];
  };
  FOLDTUNE_SHARED(Storage, storage);
  begin_reading<kParams>(typename Op::Inputs{}, inputs.pointers, work, inputs_ready);
  const auto columns = static_cast<uint32>(shape.extents[2]);
  const LineDeal deal = deal_lines<kBlockSize, kVector>(columns);
  const uint32 thread = platform::thread_index();
  const BlockTurn turn = block_turn<1>(work);
  for (uint64 k = turn.first; k < work.units; k += turn.step) {
    A totals[kVector];
    fold_whole_lines<Op, Index, kParams>(typename Op::Inputs{}, inputs.pointers, shape, k, deal,
                                         turn.part, turn.parts, totals);
    if (thread < deal.threads) {
      FOLDTUNE_UNROLL
      for (uint32 i = 0; i < kVector; ++i) storage.values[thread * kVector + i] = totals[i];
    }
    platform::sync_block();
    fold_matrix<Op>(storage.values, deal.lines, columns, thread, kBlockSize);
    begin_writing(inputs_ready);
    if (turn.parts > 1 && !meet_blocks<Op, kBlockSize, kBlockSize * kVector>(
                              storage.values, columns, k, turn.part, turn.parts, scratch)) {
      return;
    }
    for (uint32 i = thread; i < columns; i += kBlockSize) {
      output[output_offset(shape, k, i)] =
          result_of_one<Op, Output>(storage.values[i], reduced_count(shape));
    }
    platform::sync_block();
  }
}

/// A unit is a row, or a slab of lines. `kReadsVectors` says that rows begin and end at vectors,
/// and are read in these.
template <class Op, bool kReadsVectors, AxisParams kParams, class Output, class... Ts>
FOLDTUNE_DEVICE void fold_staged_units(TypeList<Ts...>, const void* const* inputs,
                                       const AxisShape& shape, const AxisWork& work, Output* output,
                                       bool inputs_ready) {
  using A = typename Op::Accumulator;
  constexpr uint32 kBlockSize = kParams.block_size;
  constexpr uint32 kGroup = kParams.group;
  constexpr uint32 kGroups = kBlockSize / kGroup;
  constexpr int kCapacity = kParams.block_size * kParams.vector_width * kParams.unroll;
  constexpr int kPiece = kReadsVectors ? kParams.vector_width : 1;
  using Group = GroupFold<Op, ShuffleWarp<Op>, kBlockSize, kGroup>;
  constexpr int kUnroll = 4;
  using Staged = StagedElements<kCapacity, kPiece, Ts...>;
  FOLDTUNE_SHARED(Staged, staged);
  typename Group::Storage no_storage;
  begin_reading<kParams>(TypeList<Ts...>{}, inputs, work, inputs_ready);
  const uint32 columns = work.columns;
  const auto lines = static_cast<uint32>(reduced_count(shape));
  const uint32 unit_elements = lines * columns;
  const bool is_dense = has_dense_output(shape);
  const uint32 thread = platform::thread_index() % kGroup;
  const uint32 group = platform::thread_index() / kGroup;
  for (uint64 first = uint64{platform::block_index()} * work.items; first < work.units;
       first += uint64{platform::grid_size()} * work.items) {
    const uint64 left = work.units - first;
    const uint32 units = left < work.items ? static_cast<uint32>(left) : work.items;
    stage<kParams>(staged, inputs, static_cast<int64>(first * unit_elements),
                   units * unit_elements);
    platform::sync_block();
    begin_writing(inputs_ready);
    const uint32 results = units * columns;
    for (uint32 base = 0; base < results; base += kGroups) {
      const uint32 result = base + group;
      const bool is_there = result < results;
      const uint32 unit = columns == 1 ? result : result / columns;
      const uint32 column = result - unit * columns;
      A total = Op::identity();
      if (is_there) {
        const uint32 begin = (unit * unit_elements + column) / kPiece;
        total = fold_pieces<Op, kUnroll, kPiece, LoadedFrom::shared_memory, uint32>(
            lines / kPiece, thread, kGroup,
            [&](uint32 piece) { return staged.load(begin + piece * columns); });
      }
      total = Group::fold(no_storage, total);
      if (is_there && thread == 0) {
        auto at = static_cast<int64>(first * columns + result);
        if (!is_dense) {
          const Quotient place = divide(static_cast<uint64>(at), shape.extents[2]);
          at = output_offset(shape, place.quotient, place.remainder);
        }
        output[at] = result_of_one<Op, Output>(total, lines);
      }
    }
    platform::sync_block();
  }
}
template <class Op, class Output, bool kReadsVectors, AxisParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
fold_staged_rows(InputPointers<Op::Inputs::kSize> inputs, AxisShape shape, AxisWork work,
                 Output* output, void*, bool inputs_ready) {
  fold_staged_units<Op, kReadsVectors, kParams>(typename Op::Inputs{}, inputs.pointers, shape, work,
                                                output, inputs_ready);
}

}  // namespace foldtune
