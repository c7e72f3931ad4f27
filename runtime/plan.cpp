#include "runtime/plan.h"

#include "templates/reduce/scratch.cuh"
#include "templates/reduce/space.h"

namespace foldtune {
namespace {

constexpr auto kReduce = static_cast<std::size_t>(KernelRole::reduce);
constexpr auto kHelper = static_cast<std::size_t>(KernelRole::helper);

}  // namespace

Plan::Plan(Device& device, const Variant& variant, const CompiledKernel& compiled)
    : variant_(variant),
      kernel_(device.load(compiled)),
      resources_(
          kernel_->resources(kReduce, static_cast<std::uint32_t>(variant.params.block_size))),
      resident_blocks_(resources_.blocks_per_multiprocessor *
                       device.info().record.multiprocessor_count) {}

std::uint32_t Plan::grid_size(std::uint64_t count) const {
  return grid_blocks(variant_.params, count, resident_blocks_);
}

std::size_t Plan::scratch_bytes(std::uint64_t count) const {
  return kScratchHeaderBytes +
         size_of(variant_.problem.accumulator_type()) * kSlotSizes * grid_size(count);
}

void Plan::enqueue(const void* input, std::uint64_t count, void* output, void* scratch,
                   Stream stream) const {
  const auto block_size = static_cast<std::uint32_t>(variant_.params.block_size);
  std::uint32_t blocks = grid_size(count);
  // A grid of one block writes the output itself.
  const FinalStage stage = blocks == 1 ? FinalStage::last_block : variant_.params.final_stage;

  if (stage == FinalStage::atomic) {
    void* arguments[] = {&output};
    kernel_->launch(kHelper, {.grid_size = 1, .block_size = 32}, arguments, stream);
  }
  auto narrow_count = static_cast<std::uint32_t>(count);
  void* const count_argument =
      counts_in_64_bits(variant_) ? static_cast<void*>(&count) : static_cast<void*>(&narrow_count);
  void* arguments[] = {&input, count_argument, &output, &scratch};
  kernel_->launch(kReduce, {.grid_size = blocks, .block_size = block_size}, arguments, stream);
  if (stage == FinalStage::two_pass) {
    void* pass_arguments[] = {&scratch, &blocks, &output};
    kernel_->launch(kHelper, {.grid_size = 1, .block_size = block_size}, pass_arguments, stream);
  }
}

}  // namespace foldtune
