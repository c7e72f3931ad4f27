/// What tiles leave to the blocks that come after them, the helpers: long segments, cut into
/// chunks, and crowded tiles, cut into parts, which are called chunks here as well. Each chunk has
/// a place of its own, and those of a segment follow one another. Blocks begin in the order of
/// their index, so that no block which a helper waits for is waiting for its place.
#pragma once

#include "templates/fold/partials.cuh"
#include "templates/segments/work.cuh"

namespace foldtune {

struct QueueEntry {
  uint64 segment;      ///< the long one, or a tile's first
  uint32 first_chunk;  ///< the place of its first chunk
  bool is_there;       ///< else there is no chunk at this place, nor after it
  bool is_tile;
  bool is_void;  ///< there was no room for all of its chunks
};

/// A view of the scratch.
template <class A>
class SegmentQueue {
 public:
  /// `scratch` may be null where there are no helpers, which alone use it.
  FOLDTUNE_DEVICE SegmentQueue(void* scratch, uint32 max_chunks)
      : scratch_(static_cast<char*>(scratch)), max_chunks_(max_chunks) {}

  /// By a warp. False, in all lanes, if there is no room for it. Of a full queue nothing is counted
  /// any more, or the count would overflow.
  FOLDTUNE_DEVICE bool push(uint64 segment, uint64 chunks, bool is_tile) const {
    const uint32 lane = platform::thread_index() % kWarpSize;
    uint64 first = 0;
    if (lane == 0) {
      first = platform::load_relaxed(count());
      if (first < max_chunks_) first = platform::fetch_add_relaxed(count(), chunks);
    }
    first = value_of_lane(first, 0);
    if (first >= max_chunks_) return false;
    const uint64 end = first + chunks;
    const bool has_room = end <= max_chunks_;
    const uint64 entry = kPresent | (is_tile ? kIsTile : 0) | (has_room ? 0 : kIsVoid) |
                         first << kSegmentBits | segment;
    for (uint64 i = first + lane; i < (has_room ? end : max_chunks_); i += kWarpSize) {
      platform::store_relaxed(entries() + i, entry);
    }
    return has_room;
  }

  /// A block has folded its tiles, and pushes no more. By one of its threads, after a barrier.
  FOLDTUNE_DEVICE void announce() const { platform::take_ticket(announced(), ~0u); }

  /// Takes what is at a place; waits until something is, or all `blocks` have announced that they
  /// push no more. No helper may leave before, not even one whose place there cannot be: the last
  /// one empties the queue.
  FOLDTUNE_DEVICE QueueEntry take(uint64 place, uint32 blocks) const {
    const bool is_within = place < max_chunks_;
    uint64 entry = 0;
    for (;;) {
      if (is_within) entry = platform::load_relaxed(entries() + place);
      if (entry != 0) break;
      if (platform::load_acquire(announced()) == blocks &&
          (!is_within || platform::load_relaxed(count()) <= place)) {
        break;
      }
      platform::pause();
    }
    if (entry != 0) platform::store_relaxed(entries() + place, uint64{0});
    return {.segment = entry & ((uint64{1} << kSegmentBits) - 1),
            .first_chunk = static_cast<uint32>(entry >> kSegmentBits) & (kMaxSegmentChunks - 1),
            .is_there = entry != 0,
            .is_tile = (entry & kIsTile) != 0,
            .is_void = (entry & kIsVoid) != 0};
  }

  FOLDTUNE_DEVICE Partials<A> partials() const { return Partials<A>(slots()); }
  /// True for the last of the chunks of an entry. It sees what the others put.
  FOLDTUNE_DEVICE bool is_last(const QueueEntry& entry, uint32 chunks) const {
    return platform::take_ticket(arrivals() + entry.first_chunk, chunks - 1) == chunks - 1;
  }

  /// Called by one thread of each of the helpers when it takes no more: the last one leaves the
  /// queue as it was.
  FOLDTUNE_DEVICE void leave(uint32 helpers) const {
    if (platform::take_ticket(exits(), helpers - 1) != helpers - 1) return;
    platform::store_relaxed(count(), uint64{0});
    platform::store_relaxed(announced(), uint32{0});
  }

 private:
  // An entry: its segment, the place of its first chunk, and three flags.
  static constexpr uint32 kSegmentBits = 40;
  static constexpr uint64 kIsTile = uint64{1} << 61;
  static constexpr uint64 kIsVoid = uint64{1} << 62;
  static constexpr uint64 kPresent = uint64{1} << 63;
  static_assert(kMaxSegmentChunks <= uint64{1} << (61 - kSegmentBits) &&
                (kMaxSegmentChunks & (kMaxSegmentChunks - 1)) == 0);

  /// Chunks that were pushed, those for which there was no room as well.
  FOLDTUNE_DEVICE uint64* count() const { return reinterpret_cast<uint64*>(scratch_); }
  FOLDTUNE_DEVICE uint32* announced() const { return reinterpret_cast<uint32*>(scratch_ + 8); }
  FOLDTUNE_DEVICE uint32* exits() const { return reinterpret_cast<uint32*>(scratch_ + 12); }
  FOLDTUNE_DEVICE uint64* entries() const {
    return reinterpret_cast<uint64*>(scratch_ + kSegmentHeaderBytes);
  }
  FOLDTUNE_DEVICE uint64* slots() const { return entries() + max_chunks_; }
  FOLDTUNE_DEVICE uint32* arrivals() const {
    return reinterpret_cast<uint32*>(reinterpret_cast<char*>(slots()) +
                                     uint64{max_chunks_} * sizeof(Slot<A>));
  }

  char* scratch_;
  uint32 max_chunks_;
};

}  // namespace foldtune
