/// What host and device both know of the memory of a histogram's kernels.
///
/// The scratch of one plan on one stream:
///
///     byte 0      ticket of `HistogramFinal::last_block`
///     byte 128    a total for each slot, of the output's type; for `polling` of the index's type,
///                 and one more for elements that are in no slot
///
/// It is all zero before the first call, and each call leaves it all zero. `zero_first` needs none.
/// Of many rows each has such a part, one after another (kHistogramScratchAlignment).
#pragma once

#include "templates/device/platform.cuh"
#include "templates/histogram/params.cuh"

namespace foldtune {

inline constexpr unsigned kHistogramTotalsOffset = 128;

/// Bytes of which the scratch of a row, one of many, is a multiple: other rows' tickets and totals
/// are in other lines.
inline constexpr unsigned kHistogramScratchAlignment = 128;

/// Elements of one byte are counted by their value, of which the bins are made when all are
/// counted, unless that is in global memory. What is counted is called a slot: a value or a bin.
FOLDTUNE_DEVICE constexpr bool counts_values(const HistogramParams& params,
                                             unsigned element_bytes) {
  return element_bytes == 1 && params.privacy != BinPrivacy::global;
}
FOLDTUNE_DEVICE constexpr unsigned slot_count(const HistogramParams& params, unsigned element_bytes,
                                              unsigned bins) {
  constexpr unsigned kByteValues = 256;
  return counts_values(params, element_bytes) ? kByteValues : bins;
}

/// Counters of 32 bits in one copy of the slots in shared memory: of the slots, and one for the
/// elements that are in no bin.
FOLDTUNE_DEVICE constexpr unsigned copy_counters(const HistogramParams& params,
                                                 unsigned element_bytes, unsigned bins) {
  return slot_count(params, element_bytes, bins) + (counts_values(params, element_bytes) ? 0 : 1);
}

/// Copies of the slots in a block's shared memory.
FOLDTUNE_DEVICE constexpr unsigned copy_count(const HistogramParams& params) {
  constexpr unsigned kLanes = 32;
  if (params.privacy == BinPrivacy::global) return 0;
  return params.privacy == BinPrivacy::warp ? params.block_size / kLanes : params.copies;
}

/// Bytes of the counters in a block's shared memory.
FOLDTUNE_DEVICE constexpr unsigned long long counter_bytes(const HistogramParams& params,
                                                           unsigned element_bytes, unsigned bins) {
  return 4ull * copy_count(params) * copy_counters(params, element_bytes, bins);
}

/// Bytes of a row's scratch. `counter_size` is that of the output's counters, `index_size` that of
/// the elements' count.
FOLDTUNE_DEVICE constexpr unsigned long long row_scratch_bytes(const HistogramParams& params,
                                                               unsigned element_bytes,
                                                               unsigned bins, unsigned counter_size,
                                                               unsigned index_size) {
  switch (params.finish) {
    case HistogramFinal::last_block:
      return kHistogramTotalsOffset + 1ull * counter_size * slot_count(params, element_bytes, bins);
    case HistogramFinal::polling:
      return kHistogramTotalsOffset +
             1ull * index_size * copy_counters(params, element_bytes, bins);
    case HistogramFinal::zero_first:
      break;
  }
  return 0;
}

/// The same of one of many rows.
FOLDTUNE_DEVICE constexpr unsigned long long row_scratch_pitch(const HistogramParams& params,
                                                               unsigned element_bytes,
                                                               unsigned bins, unsigned counter_size,
                                                               unsigned index_size) {
  const unsigned long long bytes =
      row_scratch_bytes(params, element_bytes, bins, counter_size, index_size);
  constexpr unsigned kAlignment = kHistogramScratchAlignment;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// What a block may have of shared memory without asking for more, less what every kernel needs.
inline constexpr unsigned kHistogramSharedBytes = 48 * 1024 - 64;

/// Whether the edges of custom bins fit into shared memory beside the counters.
FOLDTUNE_DEVICE constexpr bool keeps_edges_in_shared(const HistogramParams& params,
                                                     unsigned element_bytes, unsigned bins) {
  const unsigned long long edges = (bins + 1ull) * element_bytes;
  return params.privacy != BinPrivacy::global && element_bytes > 1 &&
         counter_bytes(params, element_bytes, bins) + edges <= kHistogramSharedBytes;
}

/// Totals that a thread polls at most: it has them in registers.
inline constexpr unsigned kMaxPolledPerThread = 8;

/// Of the kernels that set the output to zero.
inline constexpr int kZeroThreads = 256;

/// Elements that one block counts at most, so that 32 bits hold its counts with room for a tile.
inline constexpr unsigned long long kMaxBlockElements = 1ull << 31;

/// Bins above which floating-point numbers of 32 bits would no longer tell them apart.
inline constexpr unsigned kMaxBinsInFloat = 4096;

}  // namespace foldtune
