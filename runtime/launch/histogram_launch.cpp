#include "runtime/launch/histogram_launch.h"

#include <fmt/format.h>

#include "runtime/launch/count_argument.h"
#include "templates/catalog.h"
#include "templates/histogram/layout.cuh"
#include "templates/histogram/range.h"
#include "templates/histogram/space.h"

namespace foldtune {
namespace {

std::string_view rule_name(Binning binning) {
  switch (binning) {
    case Binning::even:
      return "even";
    case Binning::custom:
      return "edges";
    case Binning::key:
      break;
  }
  return "key";
}

/// Whether a launch sets the output to zero first: one block that counts in shared memory writes
/// the output itself.
bool zeroes_first(const HistogramParams& params, std::uint32_t blocks) {
  return params.finish == HistogramFinal::zero_first &&
         (blocks > 1 || params.privacy == BinPrivacy::global);
}

}  // namespace

Program make_histogram_program(const Variant& variant) {
  const Problem& problem = variant.problem;
  const std::uint32_t bins = problem.histogram.bins;
  const std::string_view counter = device_name(problem.accumulator_type());
  HistogramParams params = std::get<HistogramParams>(variant.params);
  params.blocks_per_multiprocessor = 1;  // shapes the launch alone
  Program program;
  program.source = "#include \"templates/histogram/histogram.cuh\"\n";
  program.name_expressions.push_back(
      fmt::format("foldtune::histogram<{}, foldtune::BinRule::{}, {}u, {}, {}, {}, {}>",
                  device_name(problem.type), rule_name(problem.histogram.binning), bins, counter,
                  counts_in_64_bits(variant) ? "foldtune::uint64" : "foldtune::uint32",
                  problem.alignment == Alignment::vector, to_template_argument(params)));
  if (params.finish == HistogramFinal::zero_first) {
    program.name_expressions.push_back(fmt::format("foldtune::zero_bins<{}, {}u>", counter, bins));
  }
  return program;
}

std::size_t histogram_scratch_bytes(const Variant& variant) {
  const Problem& problem = variant.problem;
  const auto& params = std::get<HistogramParams>(variant.params);
  const auto element_bytes = static_cast<unsigned>(size_of(problem.type));
  const std::uint32_t bins = problem.histogram.bins;
  switch (params.finish) {
    case HistogramFinal::last_block:
      return kHistogramTotalsOffset +
             size_of(problem.accumulator_type()) * slot_count(params, element_bytes, bins);
    case HistogramFinal::polling:
      return kHistogramTotalsOffset +
             (counts_in_64_bits(variant) ? sizeof(std::uint64_t) : sizeof(std::uint32_t)) *
                 copy_counters(params, element_bytes, bins);
    case HistogramFinal::zero_first:
      break;
  }
  return 0;
}

void enqueue_histogram(const Kernel& kernel, const Variant& variant, std::uint32_t blocks,
                       const Call& call, void* scratch, Stream stream) {
  const Problem& problem = variant.problem;
  const auto& params = std::get<HistogramParams>(variant.params);
  const void* input = call.inputs[0];
  std::uint64_t count = call.count;
  void* output = call.output;
  BinRange range;
  if (problem.histogram.binning == Binning::custom) range.edges = call.inputs[1];
  if (problem.histogram.binning == Binning::even) {
    const std::optional<BinRange> even = make_bin_range(problem, {call.lower, call.upper});
    if (even) {
      range = *even;
    } else {
      count = 0;  // no element of the type lies in the range
      blocks = 1;
    }
  }

  if (zeroes_first(params, blocks)) {
    constexpr std::uint32_t kBinsPerBlock = 4 * kZeroThreads;
    const std::uint32_t zero_blocks = (problem.histogram.bins + kBinsPerBlock - 1) / kBinsPerBlock;
    void* arguments[] = {&output};
    kernel.launch(static_cast<std::size_t>(KernelRole::helper),
                  {.grid_size = zero_blocks, .block_size = kZeroThreads}, arguments, stream);
  }
  CountArgument count_argument(count, counts_in_64_bits(variant));
  bool inputs_ready = call.inputs_ready;
  void* arguments[] = {&input, count_argument.address(), &range, &output, &scratch, &inputs_ready};
  kernel.launch(static_cast<std::size_t>(KernelRole::main),
                {.grid_size = blocks, .block_size = static_cast<std::uint32_t>(params.block_size)},
                arguments, stream);
}

}  // namespace foldtune
