/// The kernels of the family `histogram`.
#pragma once

#include "templates/histogram/counting.cuh"
#include "templates/histogram/polling.cuh"
#include "templates/histogram/visit.cuh"

namespace foldtune {

/// What the stages of the kernel `histogram` have in common, for elements of type T, `kBins` bins
/// and an output of type Counter; Index is the type of the count.
template <class T, BinRule kRule, uint32 kBins, class CounterType, class IndexType,
          HistogramParams kParamsOf>
struct HistogramStages {
  using Element = T;
  using Counter = CounterType;
  using Index = IndexType;
  using Bins = BinFinder<T, kRule, kBins>;
  using SlotsType = Slots<T, kRule, kBins, counts_values(kParamsOf, sizeof(T))>;

  static constexpr HistogramParams kParams = kParamsOf;
  static constexpr uint32 kBlockSize = kParams.block_size;
  static constexpr bool kIsShared = kParams.privacy != BinPrivacy::global;
  static constexpr bool kKeepsEdges =
      kRule == BinRule::edges && keeps_edges_in_shared(kParams, sizeof(T), kBins);
  static constexpr bool kWarpsApart = kParams.privacy == BinPrivacy::warp;
  static constexpr uint32 kCopies = copy_count(kParams);
  static constexpr uint32 kCopyCounters = copy_counters(kParams, sizeof(T), kBins);
  // The copies of a slot lie side by side, so that lanes that count in it use different banks.
  static constexpr uint32 kSlotStride = kWarpsApart ? 1 : kCopies;
  static constexpr uint32 kCopyStride = kWarpsApart ? kCopyCounters : 1;

  using Quad = Pack<uint32, 4>;
  static constexpr uint32 kQuads = kIsShared ? (kCopyCounters * kCopies + 3) / 4 : 1;
  struct Storage {
    Quad counters[kQuads];
    T edges[kKeepsEdges ? kBins + 1 : 1];
    uint32 is_last;
    BlockSums<Index> sums;
  };

  /// Sets the block's counters to zero and copies the edges, which are inputs, too.
  static FOLDTUNE_DEVICE void prepare(Storage& storage, const T* edges, bool inputs_ready) {
    const uint32 thread = platform::thread_index();
    for (uint32 i = thread; i < kQuads; i += kBlockSize) storage.counters[i] = Quad{};
    if (kParams.finish == HistogramFinal::polling && thread == 0) storage.sums.prepare();
    if (!inputs_ready) platform::await_previous_grid();
    if constexpr (kKeepsEdges) {
      for (uint32 i = thread; i <= kBins; i += kBlockSize) storage.edges[i] = edges[i];
    }
  }

  /// The block's counters that this thread counts in.
  static FOLDTUNE_DEVICE uint32* counters(Storage& storage) {
    const uint32 thread = platform::thread_index();
    const uint32 copy = kWarpsApart ? thread / kWarpSize : thread % kCopies;
    return platform::keep_shared(reinterpret_cast<uint32*>(storage.counters) + copy * kCopyStride);
  }

  /// Counts this thread's share of the input.
  template <bool kAligned, class Counters>
  static FOLDTUNE_DEVICE void count_share(const T* input, Index count, const SlotsType& slots,
                                          Counters counters) {
    if constexpr (kHasExactForm<T, kRule, kBins>) {
      // All threads go the same way.
      if (slots.bins.range.is_exact) {
        const Slots<T, kRule, kBins, false, true> exact{{slots.bins.range, slots.bins.edges}};
        return count_in<kAligned>(input, count, exact, counters);
      }
    }
    count_in<kAligned>(input, count, slots, counters);
  }
  template <bool kAligned, class SomeSlots, class Counters>
  static FOLDTUNE_DEVICE void count_in(const T* input, Index count, const SomeSlots& slots,
                                       Counters counters) {
    constexpr uint32 kElements = kParams.vector_width * kParams.unroll;
    using ElementSet = Word<kElements <= 32 ? 4 : 8>;
    SlotCounter<T, SomeSlots, Counters, kParams.aggregation, ElementSet> counter{slots, counters};
    visit_elements<T, Index, kAligned, kParams>(input, count, counter);
    counter.finish();
  }

  /// What the block has counted in a slot.
  static FOLDTUNE_DEVICE uint32 block_count(const Storage& storage, uint32 slot) {
    const auto* const first =
        reinterpret_cast<const uint32*>(storage.counters) + slot * kSlotStride;
    uint32 total = 0;
    FOLDTUNE_UNROLL
    for (uint32 i = 0; i < kCopies; ++i) {
      // Every lane begins with another copy, for they would be in one bank.
      const uint32 copy = (i + platform::thread_index()) % kCopies;
      total += first[copy * kCopyStride];
    }
    return total;
  }

  static FOLDTUNE_DEVICE void zero(Counter* output) {
    for (uint32 bin = platform::thread_index(); bin < kBins; bin += kBlockSize) output[bin] = 0;
  }

  /// Before `store`, by all threads of the only block that stores.
  static FOLDTUNE_DEVICE void prepare_output(Counter* output) {
    if constexpr (!SlotsType::kAreBins) {
      zero(output);
      platform::sync_block();
    }
  }

  /// Stores what was counted in a slot in all.
  static FOLDTUNE_DEVICE void store(Counter* output, const SlotsType& slots, uint32 slot,
                                    Counter total) {
    if constexpr (SlotsType::kAreBins) {
      output[slots.bin_of(slot)] = total;
    } else {
      add(output, slots, slot, total);
    }
  }

  static FOLDTUNE_DEVICE void add(Counter* output, const SlotsType& slots, uint32 slot,
                                  Counter amount) {
    const uint32 bin = amount == 0 ? kBins : slots.bin_of(slot);
    if (bin != kBins) platform::count(output + bin, amount);
  }

  /// The grid's totals, of a call that has a scratch (layout.cuh).
  template <class Total>
  static FOLDTUNE_DEVICE Total* totals(void* scratch) {
    return reinterpret_cast<Total*>(static_cast<char*>(scratch) + kHistogramTotalsOffset);
  }

  /// Whether all other blocks have added to the totals. Called by all threads.
  static FOLDTUNE_DEVICE bool is_last_block(Storage& storage, void* scratch) {
    platform::sync_block();
    if (platform::thread_index() == 0) {
      const uint32 last = platform::grid_size() - 1;
      storage.is_last = platform::take_ticket(static_cast<uint32*>(scratch), last) == last;
    }
    platform::sync_block();
    return storage.is_last != 0;
  }

  /// Moves the grid's totals to the output and leaves them zero.
  static FOLDTUNE_DEVICE void move_totals(Counter* totals, Counter* output,
                                          const SlotsType& slots) {
    constexpr uint32 kBatch = 4;  // so that their loads overlap
    prepare_output(output);
    for (uint32 first = platform::thread_index(); first < SlotsType::kCount;
         first += kBatch * kBlockSize) {
      Counter batch[kBatch];
      FOLDTUNE_UNROLL
      for (uint32 i = 0; i < kBatch; ++i) {
        const uint32 slot = first + i * kBlockSize;
        if (slot < SlotsType::kCount) batch[i] = platform::load_relaxed(totals + slot);
      }
      FOLDTUNE_UNROLL
      for (uint32 i = 0; i < kBatch; ++i) {
        const uint32 slot = first + i * kBlockSize;
        if (slot < SlotsType::kCount) {
          if (batch[i] != 0) platform::store_relaxed(totals + slot, Counter{0});
          store(output, slots, slot, batch[i]);
        }
      }
    }
  }
};

/// Counts the first `count` elements of `input`, all those of a row, in `output[0, kBins)`: called
/// by all threads of the blocks that share the row. The rest is as the kernels say it.
template <class Stages, bool kAligned>
FOLDTUNE_DEVICE void count_row(typename Stages::Storage& storage,
                               const typename Stages::Element* input, typename Stages::Index count,
                               const typename Stages::Element* edges,
                               const typename Stages::SlotsType& slots,
                               typename Stages::Counter* output, void* scratch, bool is_alone,
                               bool inputs_ready) {
  using Counter = typename Stages::Counter;
  using Index = typename Stages::Index;
  using SlotsType = typename Stages::SlotsType;
  constexpr HistogramParams kParams = Stages::kParams;
  constexpr bool kZeroFirst = kParams.finish == HistogramFinal::zero_first;
  if constexpr (Stages::kIsShared) {
    Stages::prepare(storage, edges, inputs_ready);
    platform::sync_block();
    Stages::template count_share<kAligned>(
        input, count, slots, SharedCounters<Stages::kSlotStride>{Stages::counters(storage)});
    platform::sync_block();

    if (inputs_ready) platform::await_previous_grid();
    if constexpr (kParams.finish == HistogramFinal::polling) {
      if (!is_alone) {
        finish_by_polling<Stages>(storage, count, output, slots,
                                  Stages::template totals<Index>(scratch));
        return;
      }
    }
    if (is_alone) Stages::prepare_output(output);
    for (uint32 slot = platform::thread_index(); slot < SlotsType::kCount;
         slot += Stages::kBlockSize) {
      const uint32 counted = Stages::block_count(storage, slot);
      if (is_alone) {
        Stages::store(output, slots, slot, counted);
      } else if constexpr (kZeroFirst) {
        Stages::add(output, slots, slot, counted);
      } else {
        if (counted != 0) {
          platform::count(Stages::template totals<Counter>(scratch) + slot, Counter{counted});
        }
      }
    }
  } else {
    platform::await_previous_grid();
    if (!kZeroFirst && is_alone) {
      Stages::zero(output);
      platform::sync_block();
    }
    Counter* const target =
        kZeroFirst || is_alone ? output : Stages::template totals<Counter>(scratch);
    Stages::template count_share<kAligned>(input, count, slots, GlobalCounters<Counter>{target});
  }

  if constexpr (kParams.finish == HistogramFinal::last_block) {
    if (is_alone || !Stages::is_last_block(storage, scratch)) return;
    Stages::move_totals(Stages::template totals<Counter>(scratch), output, slots);
  }
}

/// Counts the first `count` elements of the input in `output[0, kBins)`. The input is aligned to 16
/// bytes if `kAligned`, else to its elements; `range` is as range.cuh says, `scratch` as
/// layout.cuh. The grid is such that no block counts more than kMaxBlockElements. With
/// `HistogramFinal::zero_first` the output is zero, unless one block counts in shared memory.
/// `inputs_ready` promises that no grid that may still be running writes the input or the edges:
/// where blocks count in shared memory they are loaded while it runs.
template <class T, BinRule kRule, uint32 kBins, class Counter, class Index, bool kAligned,
          HistogramParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
histogram(const T* input, Index count, BinRange range, Counter* output, void* scratch,
          bool inputs_ready) {
  using Stages = HistogramStages<T, kRule, kBins, Counter, Index, kParams>;
  using Storage = typename Stages::Storage;
  FOLDTUNE_SHARED(Storage, storage);
  platform::let_next_grid_begin();
  const bool is_alone = platform::grid_size() == 1;
  const T* const edges = static_cast<const T*>(range.edges);
  const typename Stages::SlotsType slots{{range, Stages::kKeepsEdges ? storage.edges : edges}};
  if (!inputs_ready) prefetch_share<T, kParams>(input, count);
  count_row<Stages, kAligned>(storage, input, count, edges, slots, output, scratch, is_alone,
                              inputs_ready);
}

/// The same of many rows: those of row r begin at input + r * pitch, and are counted in
/// `output[r * kBins, (r + 1) * kBins)`. All rows are aligned to 16 bytes if `kAligned`. The blocks
/// of a row of the grid share rows of the input, which they take in turn.
template <class T, BinRule kRule, uint32 kBins, class Counter, class Index, bool kAligned,
          HistogramParams kParams>
FOLDTUNE_KERNEL(kParams.block_size)
histogram_rows(const T* input, Index count, uint64 rows, int64 pitch, BinRange range,
               Counter* output, void* scratch, bool inputs_ready) {
  using Stages = HistogramStages<T, kRule, kBins, Counter, Index, kParams>;
  using Storage = typename Stages::Storage;
  constexpr uint64 kScratchPitch =
      row_scratch_pitch(kParams, sizeof(T), kBins, sizeof(Counter), sizeof(Index));
  FOLDTUNE_SHARED(Storage, storage);
  platform::let_next_grid_begin();
  const bool is_alone = platform::grid_size() == 1;
  const T* const edges = static_cast<const T*>(range.edges);
  const typename Stages::SlotsType slots{{range, Stages::kKeepsEdges ? storage.edges : edges}};
  for (uint64 row = platform::block_row(); row < rows; row += platform::grid_rows()) {
    const T* const first = input + static_cast<int64>(row) * pitch;
    void* const own = is_alone ? scratch : static_cast<char*>(scratch) + row * kScratchPitch;
    count_row<Stages, kAligned>(storage, first, count, edges, slots, output + row * kBins, own,
                                is_alone, inputs_ready);
    platform::sync_block();  // the counters are read, and may be cleared
  }
}

template <class Counter>
FOLDTUNE_DEVICE void zero_counters(Counter* output, auto count) {
  using Index = decltype(count);
  const Index step = static_cast<Index>(platform::grid_size()) * kZeroThreads;
  for (Index i =
           static_cast<Index>(platform::block_index()) * kZeroThreads + platform::thread_index();
       i < count; i += step) {
    output[i] = 0;
  }
}

/// Before `histogram` with `HistogramFinal::zero_first`, unless that is one block that counts in
/// shared memory.
template <class Counter, uint32 kBins>
FOLDTUNE_KERNEL(kZeroThreads)
zero_bins(Counter* output) {
  platform::let_next_grid_begin();
  platform::await_previous_grid();
  zero_counters(output, kBins);
}

/// The same before `histogram_rows`, of the `count` counters of all rows.
template <class Counter>
FOLDTUNE_KERNEL(kZeroThreads)
zero_bins_of_rows(Counter* output, uint64 count) {
  platform::let_next_grid_begin();
  platform::await_previous_grid();
  zero_counters(output, count);
}

}  // namespace foldtune
