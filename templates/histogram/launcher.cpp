#include "templates/histogram/launcher.h"

#include <optional>

#include "templates/histogram/layout.cuh"
#include "templates/histogram/range.h"

namespace foldtune {
namespace {

std::size_t needed_scratch(const Problem& problem, const HistogramParams& params, bool wide) {
  const auto element_bytes = static_cast<unsigned>(size_of(problem.type));
  const std::uint32_t bins = problem.histogram.bins;
  switch (params.finish) {
    case HistogramFinal::last_block:
      return kHistogramTotalsOffset +
             size_of(problem.accumulator_type()) * slot_count(params, element_bytes, bins);
    case HistogramFinal::polling:
      return kHistogramTotalsOffset + (wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t)) *
                                          copy_counters(params, element_bytes, bins);
    case HistogramFinal::zero_first:
      break;
  }
  return 0;
}

}  // namespace

HistogramLauncher::HistogramLauncher(const Variant& variant, int multiprocessor_count)
    : problem_(variant.problem),
      params_(histogram_params(variant.params)),
      multiprocessor_count_(multiprocessor_count),
      counts_in_64_bits_(counts_in_64_bits(variant)),
      scratch_bytes_(needed_scratch(problem_, params_, counts_in_64_bits_)) {}

bool HistogramLauncher::zeroes_first(std::uint32_t blocks) const {
  return params_.finish == HistogramFinal::zero_first &&
         (blocks > 1 || params_.privacy == BinPrivacy::global);
}

void HistogramLauncher::fill(const Call& call, void* scratch, Launches& launches) const {
  std::uint64_t count = call.count;
  std::uint32_t blocks = grid_blocks(params_, count, multiprocessor_count_);
  BinRange range;
  if (problem_.histogram.binning == Binning::custom) range.edges = call.inputs[1];
  if (problem_.histogram.binning == Binning::even) {
    const std::optional<BinRange> even = make_bin_range(problem_, {call.lower, call.upper});
    if (even) {
      range = *even;
    } else {
      count = 0;  // no element of the type lies in the range
      blocks = 1;
    }
  }

  void* const output = Launches::address(call.output);
  if (zeroes_first(blocks)) {
    constexpr std::uint32_t kBinsPerBlock = 4 * kZeroThreads;
    Launch& zero = launches.add(
        kZeroBins, {(problem_.histogram.bins + kBinsPerBlock - 1) / kBinsPerBlock}, {kZeroThreads});
    zero.overlaps_previous = true;
    zero.pass(output);
  }
  Launch& main = launches.add(kMain, {blocks}, {block_size()});
  main.overlaps_previous = true;
  main.pass(Launches::address(call.inputs[0]),
            count == call.count ? launches.keep_index(call.count, counts_in_64_bits_)
                                : launches.keep(count),
            launches.keep(range), output, launches.keep(scratch),
            Launches::address(call.inputs_ready));
}

}  // namespace foldtune
