#include "runtime/plan.h"

#include "runtime/histogram_launch.h"
#include "templates/catalog.h"
#include "templates/histogram/space.h"
#include "templates/reduce/scratch.cuh"
#include "templates/reduce/space.h"

namespace foldtune {
namespace {

constexpr auto kMain = static_cast<std::size_t>(KernelRole::main);
constexpr auto kHelper = static_cast<std::size_t>(KernelRole::helper);

std::uint32_t block_size(const Variant& variant) {
  return static_cast<std::uint32_t>(
      std::visit([](const auto& params) { return params.block_size; }, variant.params));
}

}  // namespace

Plan::Plan(Device& device, const Variant& variant, const CompiledKernel& compiled)
    : variant_(variant),
      kernel_(device.load(compiled)),
      resources_(kernel_->resources(kMain, block_size(variant))),
      multiprocessor_count_(device.info().record.multiprocessor_count) {}

std::uint32_t Plan::grid_size(std::uint64_t count) const {
  if (const auto* const histogram = std::get_if<HistogramParams>(&variant_.params)) {
    return grid_blocks(*histogram, count, multiprocessor_count_);
  }
  return grid_blocks(variant_.problem, std::get<ReduceParams>(variant_.params), count,
                     resources_.blocks_per_multiprocessor * multiprocessor_count_);
}

std::size_t Plan::scratch_bytes(std::uint64_t count) const {
  if (family_of(variant_.params) == Family::histogram) return histogram_scratch_bytes(variant_);
  const std::size_t slots =
      has_fixed_order(variant_.problem) ? chunk_count(count) : grid_size(count);
  return kScratchHeaderBytes +
         accumulator_bytes(variant_.problem, counts_in_64_bits(variant_)) * kSlotSizes * slots;
}

void Plan::enqueue(const Call& call, void* scratch, Stream stream) const {
  if (family_of(variant_.params) == Family::histogram) {
    enqueue_histogram(*kernel_, variant_, grid_size(call.count), call, scratch, stream);
  } else if (has_fixed_order(variant_.problem)) {
    enqueue_in_order(call, scratch, stream);
  } else {
    enqueue_reduce(call, scratch, stream);
  }
}

/// The argument of type Index.
struct Plan::CountArgument {
  CountArgument(const Variant& variant, std::uint64_t count)
      : wide(count),
        narrow(static_cast<std::uint32_t>(count)),
        is_wide(counts_in_64_bits(variant)) {}
  void* address() { return is_wide ? static_cast<void*>(&wide) : static_cast<void*>(&narrow); }

  std::uint64_t wide;
  std::uint32_t narrow;
  bool is_wide;
};

void Plan::enqueue_reduce(const Call& call, void* scratch, Stream stream) const {
  const std::uint32_t threads = block_size(variant_);
  std::uint32_t blocks = grid_size(call.count);
  // A grid of one block writes the output itself.
  const FinalStage stage =
      blocks == 1 ? FinalStage::last_block : std::get<ReduceParams>(variant_.params).final_stage;

  auto inputs = call.inputs;
  CountArgument count(variant_, call.count);
  void* output = call.output;
  if (stage == FinalStage::atomic) {
    void* arguments[] = {&output};
    kernel_->launch(kHelper, {.grid_size = 1, .block_size = 32}, arguments, stream);
  }
  void* arguments[] = {inputs.data(), count.address(), &output, &scratch};
  kernel_->launch(kMain, {.grid_size = blocks, .block_size = threads}, arguments, stream);
  if (stage == FinalStage::two_pass) {
    void* pass_arguments[] = {&scratch, &blocks, &count.wide, &output};
    kernel_->launch(kHelper, {.grid_size = 1, .block_size = threads}, pass_arguments, stream);
  }
}

void Plan::enqueue_in_order(const Call& call, void* scratch, Stream stream) const {
  const std::uint32_t threads = block_size(variant_);
  std::uint32_t chunk = chunk_elements(call.count);
  std::uint32_t chunks = chunk_count(call.count);
  auto inputs = call.inputs;
  CountArgument count(variant_, call.count);
  void* output = call.output;
  void* arguments[] = {inputs.data(), count.address(), &chunk, &output, &scratch};
  kernel_->launch(kMain, {.grid_size = grid_size(call.count), .block_size = threads}, arguments,
                  stream);
  const FinalStage stage = std::get<ReduceParams>(variant_.params).final_stage;
  if (chunks > 1 && stage == FinalStage::two_pass) {
    void* pass_arguments[] = {&scratch, &chunks, &count.wide, &output};
    kernel_->launch(kHelper, {.grid_size = 1, .block_size = threads}, pass_arguments, stream);
  }
}

}  // namespace foldtune
