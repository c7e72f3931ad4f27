/// The kernel of the family `segments`. Each block of the grid's first part folds tiles, segments
/// that follow one another in the list of offsets; the rest, the helpers, fold what tiles leave
/// (queue.cuh). Op is the operator (operator.cuh), Output what results are stored as, of operators
/// that find an element its number in the segment. Offset is the type of the offsets, Index an
/// unsigned one that holds every element's number.
#pragma once

#include "templates/device/prefetch.cuh"
#include "templates/fold/group.cuh"
#include "templates/fold/run.cuh"
#include "templates/segments/queue.cuh"
#include "templates/segments/window.cuh"

namespace foldtune {

/// A segment, as far as it lies within the inputs.
template <class Index>
struct Segment {
  static constexpr Index kIsLeft = ~Index{0};

  Index begin;
  Index count;  ///< kIsLeft: a helper folds it
};

/// Of a tile's segments.
template <class Index>
struct TileSummary {
  Index longest;
  Index begin;    ///< of the elements of those that are not folded by a block
  Index end;      ///< the same
  uint32 shares;  ///< of all that are not long, see SegmentWork
};
template <class Index>
struct TileSummaries {
  using Accumulator = TileSummary<Index>;

  static FOLDTUNE_DEVICE Accumulator identity() { return {0, ~Index{0}, 0, 0}; }
  static FOLDTUNE_DEVICE Accumulator combine(const Accumulator& a, const Accumulator& b) {
    return {a.longest > b.longest ? a.longest : b.longest, a.begin < b.begin ? a.begin : b.begin,
            a.end > b.end ? a.end : b.end, a.shares + b.shares};
  }
  /// The fold of a warp's, in every lane.
  static FOLDTUNE_DEVICE Accumulator fold_warp(const Accumulator& own) {
    if constexpr (platform::kHasWarpInstructions && sizeof(Index) == sizeof(uint32)) {
      return {platform::warp_max(own.longest), platform::warp_min(own.begin),
              platform::warp_max(own.end), platform::warp_add(own.shares)};
    } else {
      return value_of_lane(ShuffleWarp<TileSummaries>::fold(own), 0);
    }
  }
};

/// A thread's elements of a segment, of which each `kThreads`th is its own: `load(i)` gives element
/// i. Some at a time, in a short loop, for the threads of a warp have segments of different
/// lengths. `kLoadsBeyond` says that there is something to load after the last element, too.
template <uint32 kThreads, int kUnroll, bool kLoadsBeyond, class Index, class Load>
struct TurnWalk {
  const Load& load;
  Index count;  ///< of the segment
  Index own;    ///< the first

  template <class F>
  FOLDTUNE_DEVICE typename F::Accumulator fold() const {
    typename F::Accumulator total = F::identity();
    FOLDTUNE_ROLL
    for (Index i = own; i < count; i += kUnroll * kThreads) {
      decltype(load(Index{0})) loaded[kUnroll];
      FOLDTUNE_UNROLL
      for (Index j = 0; j < kUnroll; ++j) {
        const Index at = i + j * kThreads;
        loaded[j] = load(kLoadsBeyond || at < count ? at : i);
      }
      FOLDTUNE_UNROLL
      for (Index j = 0; j < kUnroll; ++j) {
        const Index at = i + j * kThreads;
        if (at < count) total = F::combine(total, fold_row<F, 0, 1>(loaded[j], at));
      }
    }
    return total;
  }
  template <class F>
  FOLDTUNE_DEVICE typename F::Accumulator fold_each() const {
    return fold<F>();
  }
};

/// A thread's share of consecutive elements that `threads` threads fold, with vectors.
template <class Inputs, class Index, SegmentParams kParams, int kThreads>
struct StretchWalk {
  Run<Inputs, Index,
      RunParams{.threads = kThreads,
                .vector_width = kParams.vector_width,
                .unroll = kParams.unroll,
                .is_aligned = false,
                .is_split = false}>
      run;
  Index number;  ///< of the first element, in its segment

  template <class F>
  FOLDTUNE_DEVICE typename F::Accumulator fold() const {
    return run.template add_to<F>(F::identity(), number);
  }
  template <class F>
  FOLDTUNE_DEVICE typename F::Accumulator fold_each() const {
    return run.template add_each_to<F>(F::identity(), number);
  }
};

/// What a block of the kernel shares.
template <class Op, class Index, SegmentParams kParams>
struct SegmentStorage {
  template <class List>
  struct WindowOf;
  template <class... Ts>
  struct WindowOf<TypeList<Ts...>> {
    static constexpr bool kIsThere = kParams.method == SegmentMethod::staged;
    using Type = Window<kIsThere ? staged_segment_elements(kParams) : 1, Ts...>;
  };
  using Block = GroupFold<Op, ShuffleWarp<Op>, kParams.block_size, kParams.block_size>;
  using Group = GroupFold<Op, ShuffleWarp<Op>, kParams.block_size, kParams.group>;

  typename WindowOf<typename Op::Inputs>::Type window;
  Segment<Index> segments[max_tile_segments(kParams)];
  typename Block::Storage block;
  typename Group::Storage group;
  TileSummary<Index> summaries[kParams.block_size / kWarpSize];  // of warps
  typename Op::Accumulator partial;
  uint64 pushed;
  bool answer;  ///< of the first thread, to all
};

/// One block of the kernel.
template <class Op, class Output, class Offset, class Index, SegmentParams kParams>
struct SegmentBlock {
  using A = typename Op::Accumulator;
  using Inputs = typename Op::Inputs;
  using Storage = SegmentStorage<Op, Index, kParams>;
  static constexpr uint32 kBlockSize = kParams.block_size;
  static constexpr uint32 kGroup = kParams.group;
  static constexpr uint32 kGroups = kBlockSize / kGroup;
  static constexpr bool kStages = kParams.method == SegmentMethod::staged;
  static constexpr Index kGroupElements = max_group_elements(kParams);
  static constexpr Index kWarpElements = max_warp_elements(kParams);
  static constexpr int kUnroll = 4;  // of elements that are loaded one by one
  static_assert(kUnroll * kWarpSize <= kWindowBeyond);

  const InputPointers<Inputs::kSize>& inputs;
  const Offset* begins;
  const Offset* ends;
  const SegmentWork& work;
  Output* output;
  SegmentQueue<A> queue;
  bool inputs_ready;
  Storage& storage;

  /// Folds tiles, or what tiles left.
  FOLDTUNE_DEVICE void run() const {
    const uint32 block = platform::block_index();
    if (block < work.tile_blocks) {
      for (uint64 tile = block; tile < work.tiles; tile += work.tile_blocks) {
        fold_tile(tile * work.tile_segments, work.tile_segments, /*is_part=*/false,
                  tile + work.tile_blocks >= work.tiles);
      }
      return;
    }
    begin_writing();
    if (thread() == 0) storage.pushed = queue.await(work.tile_blocks);
    platform::sync_block();
    const uint64 pushed = storage.pushed;
    const uint32 chunks = queue.chunks_of(pushed);
    for (uint32 number = block - work.tile_blocks; number < chunks; number += work.helpers) {
      const QueueEntry entry = queue.find(pushed, number);
      if (entry.is_void) break;
      const uint32 chunk = number - entry.first_chunk;
      if (entry.is_tile) {
        const uint32 before = chunk * kPartSegments;
        const uint32 left = work.tile_segments - before;
        fold_tile(entry.segment + before, left < kPartSegments ? left : kPartSegments,
                  /*is_part=*/true, /*is_last=*/false);
      } else {
        fold_chunk(entry, chunk);
      }
    }
    platform::sync_block();
    if (thread() == 0) storage.answer = queue.leave(work.helpers);
    platform::sync_block();
    if (storage.answer) queue.clear(pushed, thread(), kBlockSize);
  }

 private:
  /// Segments of a part of a crowded tile.
  static constexpr uint32 kPartSegments = 32;
  /// Chunks of elements in segments that are not long, from which on a tile is crowded.
  static constexpr uint32 kCrowdedChunks = 4;
  /// The same of one segment, from which on it is long.
  static constexpr uint32 kLongChunks = 2;

  static FOLDTUNE_DEVICE uint32 thread() { return platform::thread_index(); }

  FOLDTUNE_DEVICE void begin_writing() const {
    if (inputs_ready) platform::await_previous_grid();
  }

  /// What is beyond the inputs is cut off.
  FOLDTUNE_DEVICE Segment<Index> segment_at(uint64 number) const {
    const auto most = static_cast<Offset>(work.elements);
    Offset begin = begins[number];
    Offset end = ends[number];
    if (begin < 0) begin = 0;
    if (end > most) end = most;
    if (end <= begin) return {0, 0};
    return {static_cast<Index>(begin), static_cast<Index>(end - begin)};
  }
  FOLDTUNE_DEVICE bool is_long(Index count) const {
    return work.helpers > 0 && count > Index{kLongChunks} * work.chunk_elements;
  }

  FOLDTUNE_DEVICE void store(uint64 segment, const A& total, Index count) const {
    uint64 divided_by = count;
    if constexpr (requires { Op::kDegreesOfFreedom; }) {
      // Nothing over nothing.
      if (count == 0) divided_by = Op::kDegreesOfFreedom;
    }
    output[segment] = result_of_one<Op, Output>(total, divided_by);
  }

  /// Segments from number `first` on, `most` of them or as many as there are: a tile of the block's
  /// own, or a part of another's, of which long ones are not folded again.
  FOLDTUNE_DEVICE void fold_tile(uint64 first, uint32 most, bool is_part, bool is_last) const {
    const uint64 left = work.segments - first;
    const uint32 count = left < most ? static_cast<uint32>(left) : most;
    platform::sync_block();
    const TileSummary<Index> summary = load_segments(first, count, is_part);
    bool is_left = false;
    if (!is_part && work.helpers > 0) is_left = leave_long(first, count, summary, is_last);
    if (!is_left) {
      uint32 shifts[Inputs::kSize];
      const bool is_staged = stage(summary, shifts);
      begin_writing();
      fold_by_groups(first, count, is_staged, summary, shifts);
      if (summary.longest > kGroupElements) {
        fold_by_warps(first, count, is_staged, summary, shifts);
      }
    }
    if (summary.longest > kWarpElements || is_long(summary.longest)) fold_by_block(first, count);
  }

  /// Puts the tile's segments into the storage. What they are like, in every thread.
  FOLDTUNE_DEVICE TileSummary<Index> load_segments(uint64 first, uint32 count, bool is_part) const {
    using Summaries = TileSummaries<Index>;
    constexpr uint32 kWarps = kBlockSize / kWarpSize;
    TileSummary<Index> summary = Summaries::identity();
    for (uint32 base = thread(); base < count; base += kBlockSize * kUnroll) {
      // All are asked for before any is waited for.
      Segment<Index> segments[kUnroll];
      FOLDTUNE_UNROLL
      for (uint32 i = 0; i < kUnroll; ++i) {
        const uint32 at = base + i * kBlockSize;
        segments[i] = at < count ? segment_at(first + at) : Segment<Index>{0, 0};
      }
      FOLDTUNE_UNROLL
      for (uint32 i = 0; i < kUnroll; ++i) {
        const uint32 at = base + i * kBlockSize;
        if (is_part && is_long(segments[i].count)) segments[i].count = Segment<Index>::kIsLeft;
        if (at < count) storage.segments[at] = segments[i];
        summary = Summaries::combine(summary, summary_of(segments[i]));
      }
    }
    summary = Summaries::fold_warp(summary);
    if constexpr (kWarps == 1) {
      platform::sync_block();
      return summary;
    } else {
      const uint32 lane = thread() % kWarpSize;
      if (lane == 0) storage.summaries[thread() / kWarpSize] = summary;
      platform::sync_block();
      return Summaries::fold_warp(lane < kWarps ? storage.summaries[lane] : Summaries::identity());
    }
  }

  FOLDTUNE_DEVICE TileSummary<Index> summary_of(const Segment<Index>& segment) const {
    if (segment.count == Segment<Index>::kIsLeft) return TileSummaries<Index>::identity();
    const bool is_read_here = segment.count > 0 && segment.count <= kWarpElements;
    return {segment.count, is_read_here ? segment.begin : ~Index{0},
            is_read_here ? segment.begin + segment.count : Index{0},
            is_long(segment.count) ? 0 : static_cast<uint32>(segment.count >> work.share_shift)};
  }

  /// Leaves long segments to the helpers, and of a crowded tile all: true then. Of what is left
  /// here because there is no room, the count is as it was.
  FOLDTUNE_DEVICE bool leave_long(uint64 first, uint32 count, const TileSummary<Index>& summary,
                                  bool is_last) const {
    begin_writing();
    const bool is_crowded =
        count > kPartSegments &&
        summary.shares > kCrowdedChunks * (work.chunk_elements >> work.share_shift);
    const bool has_long = is_long(summary.longest);
    if (is_crowded) {
      if (thread() == 0) {
        storage.answer =
            queue.push(first, (count + kPartSegments - 1) / kPartSegments, /*is_tile=*/true);
      }
      platform::sync_block();
    }
    const bool is_left = is_crowded && storage.answer;
    if (has_long || is_left) {
      for (uint32 i = thread(); i < count; i += kBlockSize) {
        Index& elements = storage.segments[i].count;
        if (is_long(elements) ? queue.push(first + i, chunks_in(elements), /*is_tile=*/false)
                              : is_left) {
          elements = Segment<Index>::kIsLeft;
        }
      }
      platform::sync_block();
    }
    if (is_last && thread() == 0) queue.announce();
    return is_left;
  }

  FOLDTUNE_DEVICE uint64 chunks_in(Index count) const {
    return (uint64{count} + work.chunk_elements - 1) / work.chunk_elements;
  }

  /// Whether the tile's segments, but those that the block folds, are in the window.
  FOLDTUNE_DEVICE bool stage(const TileSummary<Index>& summary, uint32* shifts) const {
    if constexpr (kStages) {
      constexpr uint32 kMost = staged_segment_elements(kParams) - kParams.vector_width;
      if (summary.end <= summary.begin) return true;
      if (summary.end - summary.begin > kMost) return false;
      fill<kParams>(storage.window, inputs.pointers, static_cast<int64>(summary.begin),
                    static_cast<uint32>(summary.end - summary.begin), shifts);
      platform::await_copies();
      platform::sync_block();
      return true;
    } else {
      return false;
    }
  }

  /// The share of one of `kThreads` threads.
  template <uint32 kThreads>
  FOLDTUNE_DEVICE A fold_elements(const Segment<Index>& segment, uint32 own, bool is_staged,
                                  const TileSummary<Index>& summary, const uint32* shifts) const {
    if (is_staged) {
      const auto begin = static_cast<uint32>(segment.begin - summary.begin);
      const auto load = [&](uint32 i) { return storage.window.load(begin + i, shifts); };
      return fold_walk<Op>(TurnWalk<kThreads, kUnroll, true, uint32, decltype(load)>{
          load, static_cast<uint32>(segment.count), own});
    }
    return fold_from_memory<kThreads>(Inputs{}, segment, own);
  }
  template <uint32 kThreads, class... Ts>
  FOLDTUNE_DEVICE A fold_from_memory(TypeList<Ts...>, const Segment<Index>& segment,
                                     uint32 own) const {
    const auto elements =
        RowSource<1, true, Ts...>::at(inputs.pointers, static_cast<int64>(segment.begin));
    const auto load = [&](Index i) { return elements.load(i); };
    return fold_walk<Op>(
        TurnWalk<kThreads, kUnroll, false, Index, decltype(load)>{load, segment.count, Index{own}});
  }
  /// The same of elements `from` to `from + count` of a segment, in vectors.
  template <uint32 kThreads>
  FOLDTUNE_DEVICE A fold_vectors(Index begin, Index from, Index count, uint32 own) const {
    return fold_walk<Op>(StretchWalk<Inputs, Index, kParams, kThreads>{
        {inputs.pointers, static_cast<int64>(begin + from), count, {own, 0, 1}}, from});
  }

  FOLDTUNE_DEVICE void fold_by_groups(uint64 first, uint32 count, bool is_staged,
                                      const TileSummary<Index>& summary,
                                      const uint32* shifts) const {
    const uint32 group = thread() / kGroup;
    const uint32 own = thread() % kGroup;
    for (uint32 base = 0; base < count; base += kGroups) {
      const uint32 i = base + group;
      Segment<Index> segment{0, Segment<Index>::kIsLeft};
      if (i < count) segment = storage.segments[i];
      const bool is_there = segment.count <= kGroupElements && !is_long(segment.count);
      A total = Op::identity();
      if (is_there) {
        if constexpr (kStages) {
          total = fold_elements<kGroup>(segment, own, is_staged, summary, shifts);
        } else {
          total = fold_vectors<kGroup>(segment.begin, 0, segment.count, own);
        }
      }
      total = Storage::Group::fold(storage.group, total);
      if (is_there && own == 0) store(first + i, total, segment.count);
      if constexpr (kGroup > kWarpSize) platform::sync_block();
    }
  }

  FOLDTUNE_DEVICE void fold_by_warps(uint64 first, uint32 count, bool is_staged,
                                     const TileSummary<Index>& summary,
                                     const uint32* shifts) const {
    const uint32 lane = thread() % kWarpSize;
    for (uint32 base = thread() - lane; base < count; base += kBlockSize) {
      const Index elements = base + lane < count ? storage.segments[base + lane].count : Index{0};
      bool is_todo = elements > kGroupElements && elements <= kWarpElements;
      while (platform::warp_any(is_todo)) {
        const uint32 at = platform::first_lane(is_todo);
        if (lane == at) is_todo = false;
        const Segment<Index> segment = storage.segments[base + at];
        const A total = ShuffleWarp<Op>::fold(
            fold_elements<kWarpSize>(segment, lane, is_staged, summary, shifts));
        if (lane == 0) store(first + base + at, total, segment.count);
      }
    }
  }

  FOLDTUNE_DEVICE void fold_by_block(uint64 first, uint32 count) const {
    const uint32 lane = thread() % kWarpSize;
    begin_writing();
    for (uint32 base = 0; base < count; base += kWarpSize) {
      const Index elements = base + lane < count ? storage.segments[base + lane].count : Index{0};
      // The same in every warp.
      bool is_todo =
          elements != Segment<Index>::kIsLeft && (elements > kWarpElements || is_long(elements));
      while (platform::warp_any(is_todo)) {
        const uint32 at = platform::first_lane(is_todo);
        if (lane == at) is_todo = false;
        const Segment<Index> segment = storage.segments[base + at];
        A total = is_long(segment.count)
                      ? fold_chunks(segment)
                      : fold_vectors<kBlockSize>(segment.begin, 0, segment.count, thread());
        total = Storage::Block::fold(storage.block, total);
        if (thread() == 0) store(first + base + at, total, segment.count);
        platform::sync_block();
      }
    }
  }

  /// Chunk number `chunk` of a long segment, in the first thread.
  FOLDTUNE_DEVICE A fold_one_chunk(const Segment<Index>& segment, uint32 chunk) const {
    const Index from = Index{chunk} * work.chunk_elements;
    const Index left = segment.count - from;
    const Index count = left < work.chunk_elements ? left : Index{work.chunk_elements};
    return Storage::Block::fold(storage.block,
                                fold_vectors<kBlockSize>(segment.begin, from, count, thread()));
  }

  /// A thread's share of a long segment, for which there was no room among those of the helpers: in
  /// the order in which these fold it.
  FOLDTUNE_DEVICE A fold_chunks(const Segment<Index>& segment) const {
    A share = Op::identity();
    const auto chunks = static_cast<uint32>(chunks_in(segment.count));
    for (uint32 chunk = 0; chunk < chunks; ++chunk) {
      const A total = fold_one_chunk(segment, chunk);
      if (thread() == 0) storage.partial = total;
      platform::sync_block();
      if (thread() == chunk % kBlockSize) share = Op::combine(share, storage.partial);
      platform::sync_block();
    }
    return share;
  }

  /// A helper's chunk of a long segment. The block that comes last folds all of its chunks.
  FOLDTUNE_DEVICE void fold_chunk(const QueueEntry& entry, uint32 chunk) const {
    const Segment<Index> segment = segment_at(entry.segment);
    platform::sync_block();
    A total = fold_one_chunk(segment, chunk);
    if (thread() == 0) {
      queue.partials().put(entry.first_chunk + chunk, total);
      storage.answer = queue.is_last(entry);
    }
    platform::sync_block();
    if (!storage.answer) return;
    A share = Op::identity();
    for (uint32 i = thread(); i < entry.chunks; i += kBlockSize) {
      share = Op::combine(share, queue.partials().get(entry.first_chunk + i));
    }
    total = Storage::Block::fold(storage.block, share);
    if (thread() == 0) store(entry.segment, total, segment.count);
  }
};

template <class Op, class Output, class Offset, class Index, SegmentParams kParams, class... Ts>
FOLDTUNE_DEVICE void fold_all_segments(TypeList<Ts...>,
                                       const InputPointers<Op::Inputs::kSize>& inputs,
                                       const Offset* begins, const Offset* ends,
                                       const SegmentWork& work, Output* output, void* scratch,
                                       bool inputs_ready) {
  using Block = SegmentBlock<Op, Output, Offset, Index, kParams>;
  constexpr uint32 kTile = kParams.block_size * kParams.vector_width * kParams.unroll;
  FOLDTUNE_SHARED(typename Block::Storage, storage);
  platform::let_next_grid_begin();
  if (!inputs_ready || work.segments == 0) {
    // 64 bits, for the grid may have far more tiles than the inputs.
    prefetch_tiles<kParams.block_size, kTile, Ts...>(inputs.pointers, uint64{work.elements});
    platform::await_previous_grid();
  }
  Block{inputs, begins, ends, work, output, {scratch, work.max_chunks}, inputs_ready, storage}
      .run();
}

template <class Op, class Output, class Offset, class Index, SegmentParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
fold_segments(InputPointers<Op::Inputs::kSize> inputs, const Offset* begins, const Offset* ends,
              SegmentWork work, Output* output, void* scratch, bool inputs_ready) {
  fold_all_segments<Op, Output, Offset, Index, kParams>(typename Op::Inputs{}, inputs, begins, ends,
                                                        work, output, scratch, inputs_ready);
}

}  // namespace foldtune
