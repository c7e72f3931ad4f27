#include "templates/histogram/launcher.h"

#include <optional>

#include "templates/histogram/layout.cuh"
#include "templates/histogram/range.h"

namespace foldtune {
namespace {

std::size_t needed_scratch(const HistogramWorkload& histogram, const HistogramParams& params,
                           bool wide) {
  const auto element_bytes = static_cast<unsigned>(size_of(histogram.type));
  const std::uint32_t bins = histogram.bins;
  switch (params.finish) {
    case HistogramFinal::last_block:
      return kHistogramTotalsOffset +
             size_of(histogram.counter) * slot_count(params, element_bytes, bins);
    case HistogramFinal::polling:
      return kHistogramTotalsOffset + (wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t)) *
                                          copy_counters(params, element_bytes, bins);
    case HistogramFinal::zero_first:
      break;
  }
  return 0;
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
      scratch_bytes_(needed_scratch(histogram, params, takes_64_bits_)) {}

bool HistogramLauncher::zeroes_first(std::uint32_t blocks) const {
  return params_.finish == HistogramFinal::zero_first &&
         (blocks > 1 || params_.privacy == BinPrivacy::global);
}

void HistogramLauncher::fill(const Call& call, void* scratch, Launches& launches) const {
  std::uint64_t count = call.shape[0];
  std::uint32_t blocks = grid_blocks(params_, count, multiprocessor_count_);
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

  void* const output = Launches::address(call.arguments[kCounts]);
  if (zeroes_first(blocks)) {
    constexpr std::uint32_t kBinsPerBlock = 4 * kZeroThreads;
    Launch& zero = launches.add(kZeroBins, {(histogram_.bins + kBinsPerBlock - 1) / kBinsPerBlock},
                                {kZeroThreads});
    zero.overlaps_previous = true;
    zero.pass(output);
  }
  Launch& main = launches.add(kMain, {blocks}, {block_size()});
  main.overlaps_previous = true;
  main.pass(Launches::address(call.arguments[kInput]),
            count == call.shape[0] ? launches.keep_index(call.shape[0], takes_64_bits_)
                                   : launches.keep(count),
            launches.keep(range), output, launches.keep(scratch),
            Launches::address(call.inputs_ready));
}

}  // namespace foldtune
