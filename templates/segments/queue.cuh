/// What tiles leave to the blocks that come after them, the helpers: long segments, cut into
/// chunks, and crowded tiles, cut into smaller ones. An entry is a segment or a tile, and has one
/// chunk or more, whose numbers follow those of the entry before. Blocks begin in the order of
/// their index, so that no block which a helper waits for is waiting for its place.
#pragma once

#include "templates/fold/partials.cuh"
#include "templates/segments/work.cuh"

namespace foldtune {

struct QueueEntry {
  uint64 segment;  ///< the long one, or a tile's first
  uint32 first_chunk;
  uint32 chunks;
  uint32 number;  ///< of the entry
  bool is_tile;
  bool is_void;  ///< there was no room for it, nor for those after it
};

/// A view of the scratch.
template <class A>
class SegmentQueue {
 public:
  /// `scratch` may be null where there are no helpers, which alone use it.
  FOLDTUNE_DEVICE SegmentQueue(void* scratch, uint32 max_chunks)
      : scratch_(static_cast<char*>(scratch)), max_chunks_(max_chunks) {}

  /// False if there is no room for it. Of a full queue nothing is counted any more, or the count of
  /// entries would overflow.
  FOLDTUNE_DEVICE bool push(uint64 segment, uint64 chunks, bool is_tile) const {
    if ((platform::load_relaxed(count_word()) & kChunkMask) >= max_chunks_) return false;
    const uint64 before = platform::fetch_add_relaxed(count_word(), kOneEntry + chunks);
    const uint64 first = before & kChunkMask;
    const bool has_room = first + chunks <= max_chunks_;
    const uint64 number = before >> kEntryShift;
    if (number <= max_chunks_) {
      const uint64 first_kept = first < max_chunks_ ? first : max_chunks_;
      platform::store_relaxed(entries() + number, kPresent | (is_tile ? kIsTile : 0) |
                                                      (has_room ? 0 : kIsVoid) |
                                                      first_kept << kSegmentBits | segment);
    }
    return has_room;
  }

  /// A block has looked at all of its tiles, and pushes no more. By one of its threads, after a
  /// barrier.
  FOLDTUNE_DEVICE void announce() const { platform::take_ticket(announced(), ~0u); }

  /// Waits for all blocks to have announced that. What was pushed.
  FOLDTUNE_DEVICE uint64 await(uint32 blocks) const {
    while (platform::load_acquire(announced()) != blocks) platform::pause();
    return platform::load_relaxed(count_word());
  }

  FOLDTUNE_DEVICE uint32 chunks_of(uint64 pushed) const {
    const uint64 chunks = pushed & kChunkMask;
    return chunks < max_chunks_ ? static_cast<uint32>(chunks) : max_chunks_;
  }
  FOLDTUNE_DEVICE uint32 entries_of(uint64 pushed) const {
    const uint64 entries = pushed >> kEntryShift;
    return entries <= max_chunks_ ? static_cast<uint32>(entries) : max_chunks_ + 1;
  }

  /// The entry that a chunk is of.
  FOLDTUNE_DEVICE QueueEntry find(uint64 pushed, uint32 chunk) const {
    uint32 low = 0;
    uint32 high = entries_of(pushed);
    while (high - low > 1) {
      const uint32 middle = low + (high - low) / 2;
      if (first_chunk(get(middle)) <= chunk) {
        low = middle;
      } else {
        high = middle;
      }
    }
    const uint64 entry = get(low);
    const uint32 end = low + 1 < entries_of(pushed) ? first_chunk(get(low + 1)) : chunks_of(pushed);
    return {.segment = entry & ((uint64{1} << kSegmentBits) - 1),
            .first_chunk = first_chunk(entry),
            .chunks = end - first_chunk(entry),
            .number = low,
            .is_tile = (entry & kIsTile) != 0,
            .is_void = (entry & kIsVoid) != 0};
  }

  FOLDTUNE_DEVICE Partials<A> partials() const { return Partials<A>(slots()); }
  /// True for the last of the chunks of an entry. It sees what the others put.
  FOLDTUNE_DEVICE bool is_last(const QueueEntry& entry) const {
    const uint32 last = entry.chunks - 1;
    return platform::take_ticket(arrivals() + entry.number, last) == last;
  }

  /// Called by the first thread of each of the helpers when it needs the queue no more. True for
  /// the last one, whose block empties it.
  FOLDTUNE_DEVICE bool leave(uint32 helpers) const {
    return platform::take_ticket(exits(), helpers - 1) == helpers - 1;
  }
  FOLDTUNE_DEVICE void clear(uint64 pushed, uint32 thread, uint32 threads) const {
    for (uint32 i = thread; i < entries_of(pushed); i += threads) {
      platform::store_relaxed(entries() + i, uint64{0});
    }
    if (thread == 0) {
      platform::store_relaxed(count_word(), uint64{0});
      platform::store_relaxed(announced(), uint32{0});
    }
  }

 private:
  // What was pushed: chunks, and entries. Those for which there is no room are counted, too.
  static constexpr uint32 kEntryShift = 40;
  static constexpr uint64 kChunkMask = (uint64{1} << kEntryShift) - 1;
  static constexpr uint64 kOneEntry = uint64{1} << kEntryShift;
  // An entry: its segment, its first chunk, and three flags.
  static constexpr uint32 kSegmentBits = 40;
  static constexpr uint64 kIsTile = uint64{1} << 61;
  static constexpr uint64 kIsVoid = uint64{1} << 62;
  static constexpr uint64 kPresent = uint64{1} << 63;
  static_assert(kMaxSegmentChunks < uint64{1} << (61 - kSegmentBits));

  static FOLDTUNE_DEVICE uint32 first_chunk(uint64 entry) {
    return static_cast<uint32>(entry >> kSegmentBits) & ((1u << (61 - kSegmentBits)) - 1);
  }
  /// Waits for it: whoever counted it is about to put it there.
  FOLDTUNE_DEVICE uint64 get(uint32 number) const {
    uint64 entry = platform::load_relaxed(entries() + number);
    while ((entry & kPresent) == 0) {
      platform::pause();
      entry = platform::load_relaxed(entries() + number);
    }
    return entry;
  }

  FOLDTUNE_DEVICE uint64* count_word() const { return reinterpret_cast<uint64*>(scratch_); }
  FOLDTUNE_DEVICE uint32* announced() const { return reinterpret_cast<uint32*>(scratch_ + 8); }
  FOLDTUNE_DEVICE uint32* exits() const { return reinterpret_cast<uint32*>(scratch_ + 12); }
  FOLDTUNE_DEVICE uint64* entries() const {
    return reinterpret_cast<uint64*>(scratch_ + kSegmentHeaderBytes);
  }
  FOLDTUNE_DEVICE uint64* slots() const { return entries() + max_chunks_ + 1; }
  FOLDTUNE_DEVICE uint32* arrivals() const {
    return reinterpret_cast<uint32*>(reinterpret_cast<char*>(slots()) +
                                     uint64{max_chunks_} * sizeof(Slot<A>));
  }

  char* scratch_;
  uint32 max_chunks_;
};

}  // namespace foldtune
