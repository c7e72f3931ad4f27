/// What a block asks for while the grid before it may still be running.
#pragma once

#include "templates/device/platform.cuh"
#include "templates/device/prefetch_limits.cuh"

namespace foldtune {

/// Prefetches `count` elements of each of the `pointers` from element `begin` on, the threads of a
/// block a line each in turn.
template <uint32 kBlockSize, class T, class... Rest, class Index>
FOLDTUNE_DEVICE void prefetch_elements(const void* const* pointers, Index begin, uint32 count) {
  const char* const bytes = static_cast<const char*>(pointers[0]) + begin * uint64{sizeof(T)};
  for (uint32 at = platform::thread_index() * kLineBytes; at < count * uint32{sizeof(T)};
       at += kBlockSize * kLineBytes) {
    platform::prefetch_line(bytes + at);
  }
  if constexpr (sizeof...(Rest) > 0) {
    prefetch_elements<kBlockSize, Rest...>(pointers + 1, begin, count);
  }
}

/// Brings this block's tiles of the inputs, arrays of `count` elements of the types `T` and `Rest`,
/// into the L2 while an earlier grid may still be writing them: tiles of `kTile` elements, dealt to
/// the blocks in turn. Of large inputs it is the beginning of each block's first tile. A hint:
/// where tiles begin at the first aligned vector, they are less than a vector away.
template <uint32 kBlockSize, uint32 kTile, class T, class... Rest, class Index>
FOLDTUNE_DEVICE void prefetch_tiles(const void* const* pointers, Index count) {
  if constexpr (platform::kHasPrefetch) {
    constexpr uint32 kMost = kMaxPrefetchBytes / (sizeof(T) + ... + sizeof(Rest));  // elements
    const Index step = static_cast<Index>(platform::grid_size()) * kTile;
    uint32 part = kTile;
    if (count > kMost) {
      const Index share = count / kPrefetchShare;
      const uint32 block_share =
          (share < kMost ? static_cast<uint32>(share) : kMost) / platform::grid_size();
      if (block_share < part) part = block_share;
      if (step < count) count = step;  // first tiles alone
    }
    for (Index tile = static_cast<Index>(platform::block_index()) * kTile; tile < count;
         tile += step) {
      const Index rest = count - tile;
      prefetch_elements<kBlockSize, T, Rest...>(pointers, tile,
                                                rest < part ? static_cast<uint32>(rest) : part);
    }
  }
}

}  // namespace foldtune
