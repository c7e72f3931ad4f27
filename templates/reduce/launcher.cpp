#include "templates/reduce/launcher.h"

#include <algorithm>
#include <bit>

#include "templates/fold/operators.h"
#include "templates/reduce/scratch.cuh"

namespace foldtune {
namespace {

/// Of the launch that sets the output to the identity.
constexpr std::uint32_t kHelperThreads = 32;

/// All kernels of the family wait for the grid before them.
Launch& add(Launches& launches, std::size_t kernel, std::uint32_t blocks, std::uint32_t threads) {
  Launch& launch = launches.add(kernel, {blocks}, {threads});
  launch.overlaps_previous = true;
  return launch;
}

}  // namespace

ReduceLauncher::ReduceLauncher(const Reduction& reduction, const ReduceParams& params,
                               int resident_blocks)
    : grid_(reduction, params, resident_blocks),
      threads_(static_cast<std::uint32_t>(params.block_size)),
      final_stage_(params.final_stage),
      has_fixed_order_(has_fixed_order(reduction)),
      takes_64_bits_(takes_64_bits(reduction.count)),
      accumulator_bytes_(accumulator_bytes(reduction, takes_64_bits_)) {}

std::size_t ReduceLauncher::scratch_bytes(std::uint64_t count) const {
  const std::size_t slots = has_fixed_order_ ? chunk_count(count) : grid_.blocks(count);
  // One total is the result, and atomics fold into the output.
  if (slots <= 1 || final_stage_ == FinalStage::atomic) return 0;
  if (final_stage_ == FinalStage::counted) return kScratchHeaderBytes;
  return kScratchHeaderBytes + accumulator_bytes_ * kSlotSizes * slots;
}

std::size_t ReduceLauncher::max_scratch_bytes(const Shape& most) const {
  // Up to the next power of two a larger count needs no less. The chunks of a fixed order grow at
  // powers of two, so that a smaller count may need more.
  return std::max(scratch_bytes(most[0]), scratch_bytes(std::bit_floor(most[0] | 1) - 1));
}

void ReduceLauncher::fill(const Call& call, void* scratch, Launches& launches) const {
  if (has_fixed_order_) return fill_in_order(call, scratch, launches);
  fill_in_any_order(call, scratch, launches);
}

void ReduceLauncher::fill_in_any_order(const Call& call, void* scratch, Launches& launches) const {
  const std::uint32_t blocks = grid_.blocks(call.shape[0]);
  // A grid of one block writes the output itself.
  const FinalStage stage = blocks == 1 ? FinalStage::last_block : final_stage_;
  void* const output = Launches::address(call.arguments[kOutput]);
  if (stage == FinalStage::atomic) add(launches, kHelper, 1, kHelperThreads).pass(output);
  Launch& main = add(launches, kMain, blocks, threads_);
  main.is_cluster = stage == FinalStage::cluster;
  main.pass(Launches::address(call.arguments[kInputs]),
            launches.keep_index(call.shape[0], takes_64_bits_), output, launches.keep(scratch),
            Launches::address(call.inputs_ready));
  if (stage == FinalStage::two_pass) add_second_pass(call, scratch, blocks, launches);
}

void ReduceLauncher::fill_in_order(const Call& call, void* scratch, Launches& launches) const {
  const std::uint32_t chunks = chunk_count(call.shape[0]);
  add(launches, kMain, grid_.blocks(call.shape[0]), threads_)
      .pass(Launches::address(call.arguments[kInputs]),
            launches.keep_index(call.shape[0], takes_64_bits_),
            launches.keep(chunk_elements(call.shape[0])),
            Launches::address(call.arguments[kOutput]), launches.keep(scratch),
            Launches::address(call.inputs_ready));
  if (chunks > 1 && final_stage_ == FinalStage::two_pass) {
    add_second_pass(call, scratch, chunks, launches);
  }
}

void ReduceLauncher::add_second_pass(const Call& call, void* scratch, std::uint32_t slots,
                                     Launches& launches) const {
  add(launches, kHelper, 1, threads_)
      .pass(launches.keep(scratch), launches.keep(slots), Launches::address(call.shape[0]),
            Launches::address(call.arguments[kOutput]));
}

}  // namespace foldtune
