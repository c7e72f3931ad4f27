#include "templates/histogram/launcher.h"

#include <algorithm>
#include <optional>

#include "templates/histogram/layout.cuh"
#include "templates/histogram/range.h"

namespace foldtune {
namespace {

/// Of a row.
std::size_t needed_scratch(const HistogramWorkload& histogram, const HistogramParams& params,
                           bool wide) {
  const auto needed = histogram.has_many_rows() ? row_scratch_pitch : row_scratch_bytes;
  return needed(params, static_cast<unsigned>(size_of(histogram.type)), histogram.bins,
                static_cast<unsigned>(size_of(histogram.counter)),
                wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t));
}

BinBounds bounds_of(const Call& call) {
  const auto* const lower = static_cast<const BinBound*>(call.arguments[HistogramLauncher::kLower]);
  const auto* const upper = static_cast<const BinBound*>(call.arguments[HistogramLauncher::kUpper]);
  return lower != nullptr && upper != nullptr ? BinBounds{*lower, *upper} : BinBounds{};
}

}  // namespace

HistogramLauncher::HistogramLauncher(const HistogramWorkload& histogram,
                                     const HistogramParams& params, int multiprocessor_count)
    : histogram_(histogram),
      params_(params),
      multiprocessor_count_(multiprocessor_count),
      takes_64_bits_(takes_64_bits(histogram.count)),
      row_scratch_bytes_(needed_scratch(histogram, params, takes_64_bits_)) {}

bool HistogramLauncher::zeroes_first(std::uint32_t blocks) const {
  return params_.finish == HistogramFinal::zero_first &&
         (blocks > 1 || params_.privacy == BinPrivacy::global);
}

/// Rows that a block counts alone need none.
std::size_t HistogramLauncher::scratch_bytes(const Shape& shape) const {
  if (!histogram_.has_many_rows()) return row_scratch_bytes_;
  const std::uint64_t rows = shape[histogram_extent::rows];
  const bool is_shared =
      grid_blocks(params_, shape[histogram_extent::n], multiprocessor_count_, rows) > 1;
  return is_shared ? rows * row_scratch_bytes_ : 0;
}

/// The fewer rows there are, the more blocks share one.
std::size_t HistogramLauncher::max_scratch_bytes(const Shape& most) const {
  Shape shared = most;
  std::uint64_t& rows = shared[histogram_extent::rows];
  const std::uint64_t few =
      std::max<std::uint64_t>(1, resident_blocks(params_, multiprocessor_count_) / 2);
  if (scratch_bytes(most) == 0) rows = std::min(rows, few);
  return scratch_bytes(shared);
}

void HistogramLauncher::add_zeroing(const Call& call, Launches& launches) const {
  constexpr std::uint32_t kBinsPerBlock = 4 * kZeroThreads;
  const std::uint64_t counts = call.shape[histogram_extent::rows] * histogram_.bins;
  const std::uint64_t blocks =
      std::max<std::uint64_t>(1, (counts + kBinsPerBlock - 1) / kBinsPerBlock);
  Launch& zero = launches.add(kZeroBins, {static_cast<std::uint32_t>(blocks)}, {kZeroThreads});
  zero.overlaps_previous = true;
  void* const output = Launches::address(call.arguments[kCounts]);
  histogram_.has_many_rows() ? zero.pass(output, launches.keep(counts)) : zero.pass(output);
}

void HistogramLauncher::fill(const Call& call, void* scratch, Launches& launches) const {
  const std::uint64_t& n = call.shape[histogram_extent::n];
  const std::uint64_t& rows = call.shape[histogram_extent::rows];
  std::uint64_t count = n;
  std::uint32_t blocks = grid_blocks(params_, count, multiprocessor_count_, rows);
  BinRange range;
  if (histogram_.binning == Binning::custom) range.edges = call.arguments[kEdges];
  if (histogram_.binning == Binning::even) {
    const std::optional<BinRange> even = make_bin_range(histogram_, bounds_of(call));
    if (even) {
      range = *even;
    } else {
      count = 0;  // no element of the type lies in the range
      blocks = 1;
    }
  }

  if (zeroes_first(blocks)) add_zeroing(call, launches);
  const std::uint32_t rows_at_once = grid_rows(params_, multiprocessor_count_, rows);
  Launch& main = launches.add(kMain, {blocks, rows_at_once}, {block_size()});
  main.overlaps_previous = true;
  void* const input = Launches::address(call.arguments[kInput]);
  void* const elements = count == n ? launches.keep_index(n, takes_64_bits_) : launches.keep(count);
  void* const bins = launches.keep(range);
  void* const output = Launches::address(call.arguments[kCounts]);
  void* const totals = launches.keep(scratch);
  void* const inputs_ready = Launches::address(call.inputs_ready);
  if (histogram_.has_many_rows()) {
    main.pass(input, elements, Launches::address(rows), launches.keep(pitch_of(call)), bins, output,
              totals, inputs_ready);
  } else {
    main.pass(input, elements, bins, output, totals, inputs_ready);
  }
}

}  // namespace foldtune
