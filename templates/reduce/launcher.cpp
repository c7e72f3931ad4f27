#include "templates/reduce/launcher.h"

#include "templates/catalog.h"
#include "templates/reduce/scratch.cuh"

namespace foldtune {

ReduceLauncher::ReduceLauncher(const Problem& problem, const ReduceParams& params,
                               int resident_blocks)
    : grid_(problem, params, resident_blocks),
      threads_(static_cast<std::uint32_t>(params.block_size)),
      final_stage_(params.final_stage),
      has_fixed_order_(has_fixed_order(problem)),
      counts_in_64_bits_(counts_in_64_bits({.problem = problem, .params = params})),
      accumulator_bytes_(accumulator_bytes(problem, counts_in_64_bits_)) {}

std::size_t ReduceLauncher::scratch_bytes(std::uint64_t count) const {
  const std::size_t slots = has_fixed_order_ ? chunk_count(count) : grid_.blocks(count);
  // One total is the result, and atomics fold into the output.
  if (slots <= 1 || final_stage_ == FinalStage::atomic) return 0;
  if (final_stage_ == FinalStage::counted) return kScratchHeaderBytes;
  return kScratchHeaderBytes + accumulator_bytes_ * kSlotSizes * slots;
}

void ReduceLauncher::fill(const Call& call, void* scratch, Launches& launches) const {
  if (has_fixed_order_) return fill_in_order(call, scratch, launches);
  fill_in_any_order(call, scratch, launches);
}

void ReduceLauncher::fill_in_any_order(const Call& call, void* scratch, Launches& launches) const {
  const std::uint32_t blocks = grid_.blocks(call.count);
  // A grid of one block writes the output itself.
  const FinalStage stage = blocks == 1 ? FinalStage::last_block : final_stage_;
  void* const output = launches.keep(call.output);
  if (stage == FinalStage::atomic) {
    launches.add({.kernel = kHelper, .block = {32}, .overlaps_previous = true}).pass(output);
  }
  launches
      .add({.kernel = kMain,
            .grid = {blocks},
            .block = {threads_},
            .is_cluster = stage == FinalStage::cluster,
            .overlaps_previous = true})
      .pass(launches.keep(call.inputs), launches.keep_index(call.count, counts_in_64_bits_), output,
            launches.keep(scratch), launches.keep(call.inputs_ready));
  if (stage == FinalStage::two_pass) add_second_pass(call, scratch, blocks, launches);
}

void ReduceLauncher::fill_in_order(const Call& call, void* scratch, Launches& launches) const {
  const std::uint32_t chunks = chunk_count(call.count);
  launches
      .add({.kernel = kMain,
            .grid = {grid_.blocks(call.count)},
            .block = {threads_},
            .overlaps_previous = true})
      .pass(launches.keep(call.inputs), launches.keep_index(call.count, counts_in_64_bits_),
            launches.keep(chunk_elements(call.count)), launches.keep(call.output),
            launches.keep(scratch), launches.keep(call.inputs_ready));
  if (chunks > 1 && final_stage_ == FinalStage::two_pass) {
    add_second_pass(call, scratch, chunks, launches);
  }
}

void ReduceLauncher::add_second_pass(const Call& call, void* scratch, std::uint32_t slots,
                                     Launches& launches) const {
  launches.add({.kernel = kHelper, .block = {threads_}, .overlaps_previous = true})
      .pass(launches.keep(scratch), launches.keep(slots), launches.keep(call.count),
            launches.keep(call.output));
}

}  // namespace foldtune
