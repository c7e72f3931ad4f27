#include "templates/histogram/space.h"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "templates/hardware.h"
#include "templates/histogram/layout.cuh"
#include "templates/struct_tunables.h"

namespace foldtune {
namespace {

constexpr std::array kBlockSizes{32, 64, 128, 256, 512, 1024};
constexpr std::array kVectorWidths{1, 2, 4, 8, 16};
constexpr std::array kUnrolls{1, 2, 4, 8, 16};
constexpr std::array kPrivacies{0, 1, 2};
constexpr std::array<std::string_view, 3> kPrivacyNames{"global", "block", "warp"};
constexpr std::array kCopies{1, 2, 4, 8, 16, 32};
constexpr std::array kAggregations{0, 1};
constexpr std::array<std::string_view, 2> kAggregationNames{"none", "runs"};
constexpr std::array kFinals{0, 1, 2};
constexpr std::array<std::string_view, 3> kFinalNames{"last_block", "zero_first", "polling"};
constexpr std::array kBlocksPerMultiprocessor{1, 2, 4, 8};

/// Elements that a thread counts per tile: their code is unrolled.
constexpr std::size_t kMaxElementsPerThread = 64;

/// Registers that loads in flight may take per thread, in bytes: half of what there is.
constexpr std::size_t kMaxBytesInFlight = 256;

/// Inputs of which a call takes so little time that another launch would be a good part of it.
constexpr std::uint64_t kSmallBytes = std::uint64_t{8} << 20;

bool is_small(const HistogramWorkload& histogram) { return histogram.input_bytes() <= kSmallBytes; }

/// Bins above which one block takes long to move the totals to the output.
constexpr std::uint32_t kManyBins = 1 << 14;

/// Threads that a multiprocessor holds at a time.
constexpr int kThreadsOfMultiprocessor = 2048;

/// Bins of which one block clears and adds a copy for each lane in no time.
constexpr std::uint32_t kFewBins = 256;

constexpr StructTunables kTunables{std::array{
    integer_tunable<&HistogramParams::block_size>("block_size", kBlockSizes),
    integer_tunable<&HistogramParams::vector_width>("vector_width", kVectorWidths),
    integer_tunable<&HistogramParams::unroll>("unroll", kUnrolls),
    enum_tunable<&HistogramParams::privacy>("privacy", "foldtune::BinPrivacy", kPrivacyNames,
                                            kPrivacies, kPrivacies),
    integer_tunable<&HistogramParams::copies>("copies", kCopies),
    enum_tunable<&HistogramParams::aggregation>("aggregation", "foldtune::BinAggregation",
                                                kAggregationNames, kAggregations, kAggregations),
    enum_tunable<&HistogramParams::finish>("finish", "foldtune::HistogramFinal", kFinalNames,
                                           kFinals, kFinals),
    integer_tunable<&HistogramParams::blocks_per_multiprocessor>("blocks_per_multiprocessor",
                                                                 kBlocksPerMultiprocessor),
}};

bool fits_in_shared(const HistogramWorkload& histogram, const HistogramParams& params) {
  return counter_bytes(params, static_cast<unsigned>(size_of(histogram.type)), histogram.bins) <=
         kHistogramSharedBytes;
}

/// Polling counts in no global memory, where elements in no bin have no counter.
bool can_poll(const HistogramWorkload& histogram, const HistogramParams& params) {
  const unsigned totals =
      copy_counters(params, static_cast<unsigned>(size_of(histogram.type)), histogram.bins);
  return params.privacy != BinPrivacy::global &&
         totals <= kMaxPolledPerThread * static_cast<unsigned>(params.block_size);
}

}  // namespace

std::span<const Tunable> histogram_tunables() { return kTunables.tunables(); }

Config to_config(const HistogramParams& params) {
  return kTunables.to_config(histogram_family(), params);
}

HistogramParams histogram_params(const Config& config) {
  if (&config.family() != &histogram_family()) {
    throw std::logic_error("a configuration of another family where one of `histogram` belongs");
  }
  return kTunables.to_struct(config);
}

bool is_valid(const HistogramWorkload& histogram, const HistogramParams& params) {
  const auto per_thread = static_cast<std::size_t>(params.vector_width) * params.unroll;
  if (params.vector_width * size_of(histogram.type) > kMaxLoadBytes) return false;
  if (per_thread > kMaxElementsPerThread) return false;
  if (per_thread * size_of(histogram.type) > kMaxBytesInFlight) return false;
  if (params.copies > 1 && params.privacy != BinPrivacy::block) return false;
  if (params.finish == HistogramFinal::polling && !can_poll(histogram, params)) return false;
  return fits_in_shared(histogram, params);
}

/// In a stream a launch that sets the output to zero takes as long as counting a small input. But
/// with many bins one block would be busy for longer.
bool is_searched(const HistogramWorkload& histogram, const HistogramParams& params) {
  return params.finish != HistogramFinal::zero_first || !is_small(histogram) ||
         histogram.bins > kManyBins;
}

HistogramParams canonical(const HistogramWorkload& histogram, HistogramParams params,
                          int multiprocessor_count) {
  // One warp is a block.
  if (params.privacy == BinPrivacy::warp && params.block_size == kBlockSizes.front()) {
    params.privacy = BinPrivacy::block;
  }
  const auto blocks_of = [&](const HistogramParams& one) {
    return grid_blocks(one, histogram.count, multiprocessor_count, histogram.rows);
  };
  const auto rows_of = [&](const HistogramParams& one) {
    return grid_rows(one, multiprocessor_count, histogram.rows);
  };
  const std::uint32_t blocks = blocks_of(params);
  const std::uint32_t rows = rows_of(params);
  // One block writes what it counted.
  if (blocks == 1 && params.privacy != BinPrivacy::global) {
    params.finish = HistogramFinal::last_block;
  }
  HistogramParams smaller = params;
  while ((smaller.blocks_per_multiprocessor /= 2) > 0 && blocks_of(smaller) == blocks &&
         rows_of(smaller) == rows) {
    params.blocks_per_multiprocessor = smaller.blocks_per_multiprocessor;
  }
  return params;
}

namespace {

/// As many elements as the widest load takes.
int widest_vector(const HistogramWorkload& histogram) {
  return static_cast<int>(kMaxLoadBytes / size_of(histogram.type));
}

/// `params` with the most copies up to `most` that fit, or without any where not even one does; and
/// with a final stage that its number of bins can have.
HistogramParams with_copies(const HistogramWorkload& histogram, HistogramParams params, int most) {
  params.privacy = BinPrivacy::block;
  for (params.copies = most; params.copies > 1 && !fits_in_shared(histogram, params);) {
    params.copies /= 2;
  }
  if (!fits_in_shared(histogram, params)) params.privacy = BinPrivacy::global;
  if (params.finish == HistogramFinal::polling && !can_poll(histogram, params)) {
    params.finish = HistogramFinal::last_block;
  }
  if (histogram.bins > kManyBins) params.finish = HistogramFinal::zero_first;
  return params;
}

/// The copies of the bins keep lanes that meet in a bin apart, and have to be cleared and added up:
/// `most` where a block has many elements, else one.
int copies_for(std::uint64_t elements_of_block, int most) {
  constexpr std::uint64_t kFewElements = 8 << 10;
  return elements_of_block > kFewElements ? most : 1;
}

/// What few bytes need: one block, whose threads load once. Where that is not enough, they load
/// twice, and of many elements four times; then pairs of lanes have a copy of the bins each. (With
/// one for each lane, bytes that differ take 10% less time, and equal ones 10% more.)
HistogramParams one_block(const HistogramWorkload& histogram) {
  constexpr int kPairs = 16;
  constexpr int kThreads = 256;
  const int width = widest_vector(histogram);
  if (histogram.count <= static_cast<std::uint64_t>(kThreads) * width) {
    const std::uint64_t share = std::bit_ceil((histogram.count + kThreads - 1) / kThreads);
    return with_copies(
        histogram, {.block_size = kThreads, .vector_width = static_cast<int>(share), .unroll = 1},
        1);
  }
  if (copies_for(histogram.count, kPairs) == 1) {
    return with_copies(histogram, {.block_size = 2 * kThreads, .vector_width = width, .unroll = 2},
                       1);
  }
  return with_copies(histogram, {.block_size = kThreads, .vector_width = width, .unroll = 4},
                     kPairs);
}

/// A block for each row, and blocks of as many threads as fill a multiprocessor; where there are
/// fewer rows than half the multiprocessors, several blocks share each. Of many elements every lane
/// has a copy of the bins. Read off tunings of 2^26 bytes and of as many `f32` on an H200.
HistogramParams many_rows(const HistogramWorkload& histogram, int multiprocessor_count) {
  constexpr std::uint64_t kFewestThreads = 64;
  constexpr std::uint64_t kEnoughForBins = 256;  // to clear and store them
  constexpr int kMostUnrolled = 4;
  constexpr int kLanes = 32;
  const auto multiprocessors = static_cast<std::uint64_t>(std::max(1, multiprocessor_count));
  const bool are_shared = 2 * histogram.rows <= multiprocessors;
  int blocks = 1;
  if (!are_shared) {  // the most that leave each row to a block
    const bool counts_many_bytes =
        size_of(histogram.type) == 1 && copies_for(histogram.count, kLanes) > 1;
    blocks = counts_many_bytes ? 2 : kBlocksPerMultiprocessor.back();
    while (blocks > 1 && blocks * multiprocessors >= 2 * histogram.rows) blocks /= 2;
  }
  HistogramParams params{
      .vector_width = widest_vector(histogram),
      .finish = are_shared ? HistogramFinal::polling : HistogramFinal::last_block,
      .blocks_per_multiprocessor = blocks};
  const std::uint64_t share = std::max<std::uint64_t>(1, blocks * multiprocessors / histogram.rows);
  const std::uint64_t elements = (histogram.count + share - 1) / share;
  const std::uint64_t loads = elements / params.vector_width;
  const std::uint64_t wanted =
      std::max(loads / kMostUnrolled, std::min<std::uint64_t>(histogram.bins, kEnoughForBins));
  const std::uint64_t most = std::min<std::uint64_t>(
      are_shared ? kBlockSizes.back() : kBlockSizes.back() / 2, kThreadsOfMultiprocessor / blocks);
  const std::uint64_t threads = std::clamp(std::bit_ceil(wanted), kFewestThreads, most);
  params.block_size = static_cast<int>(threads);
  if (loads < threads) {  // narrower loads, so that all threads have one
    const std::uint64_t width = std::bit_ceil((elements + threads - 1) / threads);
    params.vector_width =
        static_cast<int>(std::clamp<std::uint64_t>(width, 1, widest_vector(histogram)));
  }
  params.unroll = static_cast<int>(
      std::bit_floor(std::clamp<std::uint64_t>(loads / threads, 1, kMostUnrolled)));
  return with_copies(histogram, params, copies_for(elements, kLanes));
}

}  // namespace

/// One block for each multiprocessor at most, so that few add their bins and all are there at once;
/// for small inputs a half or a quarter as many. Of many elements every warp has a copy of the
/// bins; a smaller block has fewer threads to clear and add them.
HistogramParams default_histogram_params(const HistogramWorkload& histogram,
                                         int multiprocessor_count) {
  if (histogram.has_many_rows()) return many_rows(histogram, multiprocessor_count);
  constexpr std::uint64_t kBlockBytes = 16 << 10;
  if (histogram.input_bytes() <= kBlockBytes && histogram.bins <= kFewBins) {
    return one_block(histogram);
  }
  constexpr int kFewestThreads = 256;  // smaller blocks add their bins for few elements
  HistogramParams params{.vector_width = widest_vector(histogram),
                         .finish = HistogramFinal::polling,
                         .blocks_per_multiprocessor = 1};
  const int most = kBlockSizes.back();
  const auto block_for = [&](std::uint64_t threads) {
    return static_cast<int>(
        std::clamp<std::uint64_t>(std::bit_ceil(threads), kFewestThreads, most));
  };
  const std::uint64_t loads = histogram.count / params.vector_width;
  if (loads <= static_cast<std::uint64_t>(most) * multiprocessor_count) {
    params.block_size = block_for(2 * loads / multiprocessor_count);
    const bool has_many =
        loads / params.block_size * 4 > static_cast<std::uint64_t>(multiprocessor_count);
    params.unroll = has_many && params.block_size < most ? 2 : 1;
  } else {
    params.unroll = is_small(histogram) ? 1 : 4;
    params.block_size = block_for(loads / params.unroll / multiprocessor_count);
  }
  const std::uint64_t share =
      std::max(tile_elements(params), histogram.count / multiprocessor_count);
  return with_copies(histogram, params, copies_for(share, params.block_size / kBlockSizes.front()));
}

/// What streamed best on the devices that were measured, and what CUB does: 16 elements per thread,
/// runs, one set of bins per block, and a launch that sets the output to zero.
std::vector<HistogramParams> known_good_histogram_params(const HistogramWorkload& histogram) {
  const int width = widest_vector(histogram);
  const HistogramParams wide{.block_size = 1024,
                             .vector_width = width,
                             .unroll = 16 / width >= 2 ? 4 : 2,
                             .finish = HistogramFinal::polling};
  const HistogramParams small{.block_size = 256,
                              .vector_width = width,
                              .unroll = std::max(1, 16 / width),
                              .finish = HistogramFinal::polling};
  HistogramParams library{.block_size = 512,
                          .vector_width = width,
                          .unroll = std::max(1, 16 / width),
                          .aggregation = BinAggregation::runs,
                          .finish = HistogramFinal::zero_first,
                          .blocks_per_multiprocessor = 4};
  HistogramParams constant = small;
  constant.aggregation = BinAggregation::runs;
  std::vector<HistogramParams> all;
  const auto add = [&](const HistogramParams& params, int copies) {
    const HistogramParams candidate = with_copies(histogram, params, copies);
    if (is_valid(histogram, candidate) && is_searched(histogram, candidate) &&
        std::ranges::none_of(all, [&](const HistogramParams& one) {
          return to_config(one) == to_config(candidate);
        })) {
      all.push_back(candidate);
    }
  };
  if (histogram.has_many_rows()) {  // a block for each row, as many as fit
    for (const int threads : {256, 512, 1024}) {
      const HistogramParams one_row{
          .block_size = threads,
          .vector_width = width,
          .unroll = 4,
          .blocks_per_multiprocessor = kThreadsOfMultiprocessor / threads};
      add(one_row, threads / kBlockSizes.front());
      add(one_row, 1);
    }
  }
  add(one_block(histogram), 32);
  add(wide, 32);
  add(wide, 16);
  add(wide, 8);
  add(small, 8);
  add(small, 1);
  add(constant, 1);
  add(library, 1);
  library.aggregation = BinAggregation::none;
  add(library, 1);
  return all;
}

std::uint64_t tile_elements(const HistogramParams& params) {
  return static_cast<std::uint64_t>(params.block_size) * params.vector_width * params.unroll;
}

std::uint64_t resident_blocks(const HistogramParams& params, int multiprocessor_count) {
  return static_cast<std::uint64_t>(params.blocks_per_multiprocessor) *
         static_cast<std::uint64_t>(std::max(1, multiprocessor_count));
}

std::uint32_t grid_blocks(const HistogramParams& params, std::uint64_t count,
                          int multiprocessor_count, std::uint64_t rows) {
  const std::uint64_t tile = tile_elements(params);
  const std::uint64_t tiles = std::max<std::uint64_t>(1, (count + tile - 1) / tile);
  const std::uint64_t share =
      resident_blocks(params, multiprocessor_count) / std::max<std::uint64_t>(1, rows);
  const std::uint64_t least = count / kMaxBlockElements + 1;
  return static_cast<std::uint32_t>(std::min(tiles, std::max(share, least)));
}

std::uint32_t grid_rows(const HistogramParams& params, int multiprocessor_count,
                        std::uint64_t rows) {
  constexpr std::uint64_t kMost = 65'535;  // of a grid along y
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      rows, 1, std::min(kMost, resident_blocks(params, multiprocessor_count))));
}

}  // namespace foldtune
