/// The kernel of the family `segments`. Each warp of the grid's first blocks folds tiles, segments
/// that follow one another in the list of offsets, and waits for no other warp; the other blocks,
/// the helpers, fold what tiles leave (queue.cuh). Op is the operator (operator.cuh), Output what
/// results are stored as, of operators that find an element its number in the segment. Offset is
/// the type of the offsets, Index an unsigned one that holds every element's number.
#pragma once

#include "templates/device/prefetch.cuh"
#include "templates/fold/group.cuh"
#include "templates/segments/params.cuh"
#include "templates/segments/queue.cuh"
#include "templates/segments/stretch.cuh"

namespace foldtune {

/// A segment, as far as it lies within the inputs.
template <class Index>
struct Segment {
  Index begin;
  Index count;
};

/// What a block shares.
template <class Op, SegmentParams kParams>
struct SegmentStorage {
  using Block = GroupFold<Op, ShuffleWarp<Op>, kParams.block_size, kParams.block_size>;
  using Group = GroupFold<Op, ShuffleWarp<Op>, kParams.block_size, kParams.group>;

  typename Block::Storage block;
  typename Group::Storage group;
  QueueEntry entry;
  bool is_last;
};

/// One block of the kernel.
template <class Op, class Output, class Offset, class Index, SegmentParams kParams>
class SegmentBlock {
 public:
  using Storage = SegmentStorage<Op, kParams>;

  FOLDTUNE_DEVICE SegmentBlock(const InputPointers<Op::Inputs::kSize>& inputs, const Offset* begins,
                               const Offset* ends, const SegmentWork& work, Output* output,
                               void* scratch, bool inputs_ready, Storage& storage)
      : begins_(begins),
        ends_(ends),
        work_(work),
        output_(output),
        queue_(scratch, work.max_chunks),
        inputs_ready_(inputs_ready),
        storage_(storage),
        view_(View::of(inputs.pointers, work.elements)),
        short_end_(view_.has_vectors() ? kGroupElements + 1 : 0) {}

  FOLDTUNE_DEVICE void run() const {
    if (platform::block_index() < work_.tile_blocks) {
      fold_tiles();
    } else {
      help();
    }
  }

 private:
  using A = typename Op::Accumulator;
  using View = VectorView<typename Op::Inputs, Index, kParams.vector_width>;
  using Warp = ShuffleWarp<Op>;
  template <int kThreads>
  using StretchOf = Stretch<View, Index, kParams.vector_width, kParams.unroll, kThreads>;

  static constexpr uint32 kBlockSize = kParams.block_size;
  static constexpr uint32 kWarps = kBlockSize / kWarpSize;
  static constexpr uint32 kGroup = kParams.group;
  static constexpr uint32 kGroups = kWarpSize / kGroup;  // of a warp
  static constexpr uint32 kSegments = kParams.segments;  // of a group
  static constexpr uint32 kTile = tile_segments(kParams);
  static constexpr Index kGroupElements = max_group_elements(kParams);
  static constexpr Index kWarpElements = max_warp_elements(kParams);
  /// Segments of a crowded tile that a helper's warp takes at a time.
  static constexpr uint32 kPart = kTile < 4 ? kTile : 4;
  /// Chunks of elements in segments that are not long, from which on a tile is crowded.
  static constexpr uint32 kCrowdedChunks = 4;

  static FOLDTUNE_DEVICE uint32 thread() { return platform::thread_index(); }
  static FOLDTUNE_DEVICE uint32 lane() { return thread() % kWarpSize; }
  static FOLDTUNE_DEVICE uint32 own() { return thread() % kGroup; }
  /// Of a tile's segments, the number of one of the thread's group.
  static FOLDTUNE_DEVICE uint32 place(uint32 i) { return i * kGroups + lane() / kGroup; }

  FOLDTUNE_DEVICE void begin_writing() const {
    if (inputs_ready_) platform::await_previous_grid();
  }

  /// Of a tile, the segments that there are.
  FOLDTUNE_DEVICE uint32 tile_count(uint64 first) const {
    if (first >= work_.segments) return 0;
    const uint64 left = work_.segments - first;
    return left < kTile ? static_cast<uint32>(left) : kTile;
  }
  /// The offsets of a tile's segments that are the thread's group's. Where there are none, those of
  /// another segment.
  struct Bounds {
    Offset begins[kSegments];
    Offset ends[kSegments];
  };
  FOLDTUNE_DEVICE Bounds load_bounds(uint64 first) const {
    const uint32 count = tile_count(first);
    const uint64 base = count > 0 ? first : 0;
    const uint32 last = count > 0 ? count - 1 : 0;
    const Offset* const begins = begins_ + base;
    const Offset* const ends = ends_ + base;
    Bounds bounds;
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kSegments; ++i) {
      const uint32 at = place(i) < last ? place(i) : last;
      bounds.begins[i] = begins[at];
      bounds.ends[i] = ends[at];
    }
    return bounds;
  }
  /// What is beyond the inputs is cut off.
  FOLDTUNE_DEVICE Segment<Index> cut(Offset begin, Offset end) const {
    const auto most = static_cast<Offset>(work_.elements);
    if (begin < 0) begin = 0;
    if (end > most) end = most;
    if (end <= begin) return {0, 0};
    return {static_cast<Index>(begin), static_cast<Index>(end - begin)};
  }
  FOLDTUNE_DEVICE Segment<Index> segment_at(uint64 number, uint64 end) const {
    return number < end ? cut(begins_[number], ends_[number]) : Segment<Index>{0, 0};
  }
  /// Segments that the helpers fold, where there are any.
  FOLDTUNE_DEVICE bool is_long(Index count) const {
    return work_.helpers > 0 && count > static_cast<Index>(work_.long_elements);
  }

  FOLDTUNE_DEVICE void store(uint64 segment, const A& total, Index count) const {
    uint64 divided_by = count;
    if constexpr (requires { Op::kDegreesOfFreedom; }) {
      // Nothing over nothing.
      if (count == 0) divided_by = Op::kDegreesOfFreedom;
    }
    output_[segment] = result_of_one<Op, Output>(total, divided_by);
  }

  /// The warp's tiles. The offsets of the next one are asked for before the elements of this one.
  FOLDTUNE_DEVICE void fold_tiles() const {
    const uint32 warp = platform::block_index() * kWarps + thread() / kWarpSize;
    const uint64 step = uint64{work_.tile_blocks} * kWarps * kTile;
    uint64 first = uint64{warp} * kTile;
    if (first < work_.segments) {
      Bounds next = load_bounds(first);
      FOLDTUNE_ROLL
      for (; first < work_.segments; first += step) {
        const Bounds bounds = next;
        next = load_bounds(first + step);
        if (!fold_short(first, bounds)) {
          fold_mixed</*kIsPart=*/false>(first, first + tile_count(first));
        }
      }
    }
    begin_writing();
    if (work_.helpers > 0) {
      platform::sync_block();
      if (thread() == 0) queue_.announce();
    }
  }

  /// Folds a tile of segments that groups fold, all of which are loaded before any is folded. False
  /// where there are others.
  FOLDTUNE_DEVICE bool fold_short(uint64 first, const Bounds& bounds) const {
    Segment<Index> segments[kSegments];
    bool is_short = true;
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kSegments; ++i) {
      segments[i] = cut(bounds.begins[i], bounds.ends[i]);
      is_short &= segments[i].count < short_end_;
    }
    if (platform::warp_any(!is_short)) return false;
    using OfGroup = StretchOf<kGroup>;
    typename View::RowType rows[kSegments][kParams.unroll];
    typename OfGroup::Vectors vectors[kSegments];
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kSegments; ++i) {
      const OfGroup stretch = of_group(segments[i]);
      vectors[i] = stretch.vectors();
      stretch.load(vectors[i], own(), rows[i]);
    }
    platform::load_first();
    A totals[kSegments];
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kSegments; ++i) {
      totals[i] = fold_walk<Op>(LoadedStretch<OfGroup>{of_group(segments[i]), vectors[i], rows[i]});
    }
    begin_writing();
    const uint32 count = tile_count(first);
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kSegments; ++i) {
      totals[i] = Storage::Group::fold(storage_.group, totals[i]);
      if (own() == 0 && place(i) < count) store(first + place(i), totals[i], segments[i].count);
    }
    return true;
  }

  /// Segments of any length, up to number `end`: a tile, or a part of one that was left, of which
  /// long ones are folded elsewhere.
  template <bool kIsPart>
  FOLDTUNE_DEVICE void fold_mixed(uint64 first, uint64 end) const {
    begin_writing();
    const bool is_left = !kIsPart && leave_crowd(first, end);
    FOLDTUNE_ROLL
    for (; first < end; first += kGroups) fold_some<kIsPart>(first, end, is_left);
  }
  /// The first ones, as many as there are groups; of a tile that is left, the long ones.
  template <bool kIsPart>
  FOLDTUNE_DEVICE void fold_some(uint64 first, uint64 end, bool is_left) const {
    const uint64 number = first + lane() / kGroup;
    const Segment<Index> own_segment = segment_at(number, end);
    const Index own_count = own_segment.count;
    const bool is_first = own() == 0 && number < end;
    if (!is_left) {
      const bool is_short = own_count <= kGroupElements;
      A total = Op::identity();
      if (is_short) total = fold_walk<Op>(of_group(own_segment));
      total = Storage::Group::fold(storage_.group, total);
      if (is_first && is_short) store(number, total, own_count);
    }
    bool is_todo = is_first && own_count > kGroupElements;
    if (is_long(own_count) ? kIsPart : is_left) is_todo = false;
    while (platform::warp_any(is_todo)) {
      const uint32 at = platform::first_lane(is_todo);
      if (lane() == at) is_todo = false;
      const Segment<Index> segment = value_of_lane(own_segment, at);
      const uint64 result = first + at / kGroup;
      A total;
      if (!kIsPart && is_long(segment.count)) {
        if (queue_.push(result, chunks_in(segment.count), /*is_tile=*/false)) continue;
        total = fold_chunks(segment);
      } else {
        total = Warp::fold(
            fold_walk<Op>(StretchOf<kWarpSize>{view_, segment.begin, segment.count, 0, lane()}));
      }
      if (lane() == 0) store(result, total, segment.count);
    }
  }

  /// Leaves all segments of a crowded tile to the helpers, but long ones: true then.
  FOLDTUNE_DEVICE bool leave_crowd(uint64 first, uint64 end) const {
    if (work_.helpers == 0) return false;
    uint32 shares = 0;
    for (uint64 number = first + lane(); number < end; number += kWarpSize) {
      const Index count = segment_at(number, end).count;
      if (!is_long(count)) shares += static_cast<uint32>(count >> work_.share_shift);
    }
    if (sum_of_warp(shares) <= kCrowdedChunks * (work_.chunk_elements >> work_.share_shift)) {
      return false;
    }
    constexpr uint32 kOfBlock = kPart * kWarps;
    return queue_.push(first, (kTile + kOfBlock - 1) / kOfBlock, /*is_tile=*/true);
  }
  static FOLDTUNE_DEVICE uint32 sum_of_warp(uint32 value) {
    FOLDTUNE_UNROLL
    for (uint32 bit = kWarpSize / 2; bit > 0; bit /= 2) {
      value += platform::shuffle(value, lane() ^ bit);
    }
    return value;
  }

  FOLDTUNE_DEVICE StretchOf<kGroup> of_group(const Segment<Index>& segment) const {
    return {view_, segment.begin, segment.count, 0, own()};
  }

  FOLDTUNE_DEVICE uint64 chunks_in(Index count) const {
    return (uint64{count} + work_.chunk_elements - 1) / work_.chunk_elements;
  }
  /// Thread `thread`'s share of a chunk of a long segment, which a block folds.
  FOLDTUNE_DEVICE A fold_share(const Segment<Index>& segment, uint32 chunk, uint32 thread) const {
    const Index from = Index{chunk} * work_.chunk_elements;
    const Index left = segment.count - from;
    const Index count = left < work_.chunk_elements ? left : Index{work_.chunk_elements};
    return fold_walk<Op>(StretchOf<kBlockSize>{view_, static_cast<Index>(segment.begin + from),
                                               count, from, thread});
  }

  /// Folds what the warps of a block would have, `value(warp)`, as a block does.
  template <class Value>
  static FOLDTUNE_DEVICE A fold_as_block(const Value& value) {
    A of_warps = Op::identity();
    FOLDTUNE_ROLL
    for (uint32 warp = 0; warp < kWarps; ++warp) {
      const A total = value_of_lane(Warp::fold(value(warp)), 0);
      if (lane() == warp) of_warps = total;
    }
    if constexpr (kWarps > 1) of_warps = Warp::fold(of_warps);
    return value_of_lane(of_warps, 0);
  }
  /// A long segment for which there was no room among those of the helpers, by one warp, in the
  /// order in which these fold it.
  FOLDTUNE_DEVICE A fold_chunks(const Segment<Index>& segment) const {
    const auto chunks = static_cast<uint32>(chunks_in(segment.count));
    return fold_as_block([&](uint32 warp) {
      A share = Op::identity();
      for (uint32 base = warp * kWarpSize; base < chunks; base += kBlockSize) {
        for (uint32 i = 0; i < kWarpSize && base + i < chunks; ++i) {
          const A total = fold_as_block([&](uint32 of_chunk) {
            return fold_share(segment, base + i, of_chunk * kWarpSize + lane());
          });
          if (lane() == i) share = Op::combine(share, total);
        }
      }
      return share;
    });
  }

  /// A helper: what tiles left.
  FOLDTUNE_DEVICE void help() const {
    begin_writing();
    for (uint64 chunk = platform::block_index() - work_.tile_blocks;; chunk += work_.helpers) {
      platform::sync_block();
      if (thread() == 0) storage_.entry = queue_.take(chunk, work_.tile_blocks);
      platform::sync_block();
      const QueueEntry entry = storage_.entry;
      if (!entry.is_there) break;
      if (entry.is_void) continue;
      const auto own_chunk = static_cast<uint32>(chunk - entry.first_chunk);
      if (entry.is_tile) {
        fold_part(entry.segment, own_chunk);
      } else {
        fold_chunk(entry, own_chunk);
      }
    }
    if (thread() == 0) queue_.leave(work_.helpers);
  }

  /// Part `part` of a crowded tile, of whose segments each warp takes some.
  FOLDTUNE_DEVICE void fold_part(uint64 tile, uint32 part) const {
    const uint32 before = (part * kWarps + thread() / kWarpSize) * kPart;
    if (before >= kTile) return;
    const uint32 count = tile_count(tile);
    const uint32 end = before + kPart;
    fold_mixed</*kIsPart=*/true>(tile + before, tile + (end < count ? end : count));
  }

  /// A chunk of a long segment. The block that comes last folds what all of them came to.
  FOLDTUNE_DEVICE void fold_chunk(const QueueEntry& entry, uint32 chunk) const {
    const Segment<Index> segment = segment_at(entry.segment, work_.segments);
    const auto chunks = static_cast<uint32>(chunks_in(segment.count));
    A total = Storage::Block::fold(storage_.block, fold_share(segment, chunk, thread()));
    if (thread() == 0) {
      queue_.partials().put(entry.first_chunk + chunk, total);
      storage_.is_last = queue_.is_last(entry, chunks);
    }
    platform::sync_block();
    if (!storage_.is_last) return;
    total = Storage::Block::fold(storage_.block, fold_partials(entry.first_chunk, chunks));
    if (thread() == 0) store(entry.segment, total, segment.count);
  }
  /// The thread's share of the partial results of a segment's chunks. Some are asked for together.
  FOLDTUNE_DEVICE A fold_partials(uint32 first_chunk, uint32 chunks) const {
    constexpr uint32 kTogether = 8;
    A share = Op::identity();
    FOLDTUNE_ROLL
    for (uint32 i = thread(); i < chunks; i += kTogether * kBlockSize) {
      A partials[kTogether];
      FOLDTUNE_UNROLL
      for (uint32 j = 0; j < kTogether; ++j) {
        const uint32 at = i + j * kBlockSize;
        partials[j] = queue_.partials().get(first_chunk + (at < chunks ? at : chunks - 1));
      }
      FOLDTUNE_UNROLL
      for (uint32 j = 0; j < kTogether; ++j) {
        if (i + j * kBlockSize < chunks) share = Op::combine(share, partials[j]);
      }
    }
    return share;
  }

  const Offset* begins_;
  const Offset* ends_;
  const SegmentWork& work_;
  Output* output_;
  SegmentQueue<A> queue_;
  bool inputs_ready_;
  Storage& storage_;
  View view_;
  Index short_end_;  ///< above the elements of all segments that are folded together by groups
};

template <class Op, class Output, class Offset, class Index, SegmentParams kParams, class... Ts>
FOLDTUNE_DEVICE void fold_all_segments(TypeList<Ts...>,
                                       const InputPointers<Op::Inputs::kSize>& inputs,
                                       const Offset* begins, const Offset* ends,
                                       const SegmentWork& work, Output* output, void* scratch,
                                       bool inputs_ready) {
  using Block = SegmentBlock<Op, Output, Offset, Index, kParams>;
  constexpr uint32 kLoaded =
      kParams.block_size * kParams.vector_width * kParams.unroll * kParams.segments;
  FOLDTUNE_SHARED(typename Block::Storage, storage);
  platform::let_next_grid_begin();
  if (!inputs_ready || work.segments == 0) {
    // 64 bits, for the grid may have far more tiles than the inputs.
    prefetch_tiles<kParams.block_size, kLoaded, Ts...>(inputs.pointers, uint64{work.elements});
    platform::await_previous_grid();
  }
  Block(inputs, begins, ends, work, output, scratch, inputs_ready, storage).run();
}

template <class Op, class Output, class Offset, class Index, SegmentParams kParams>
FOLDTUNE_KERNEL_IN_REGISTERS(kParams.block_size)
fold_segments(InputPointers<Op::Inputs::kSize> inputs, const Offset* begins, const Offset* ends,
              SegmentWork work, Output* output, void* scratch, bool inputs_ready) {
  fold_all_segments<Op, Output, Offset, Index, kParams>(typename Op::Inputs{}, inputs, begins, ends,
                                                        work, output, scratch, inputs_ready);
}

}  // namespace foldtune
