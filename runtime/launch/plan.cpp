#include "runtime/launch/plan.h"

#include <algorithm>
#include <bit>

#include "runtime/launch/histogram_launch.h"
#include "templates/histogram/space.h"

namespace foldtune {
namespace {

std::uint32_t block_size(const Variant& variant) {
  return static_cast<std::uint32_t>(
      std::visit([](const auto& params) { return params.block_size; }, variant.params));
}

bool has_waves(const Variant& variant) {
  const auto* const reduce = std::get_if<ReduceParams>(&variant.params);
  return reduce != nullptr && reduce->waves > 0;
}

}  // namespace

Plan::Plan(Device& device, const Variant& variant, const CompiledKernel& compiled)
    : kernel_(device.load(compiled)),
      multiprocessor_count_(device.quick_info().record.multiprocessor_count),
      variant_(variant) {
  if (family_of(variant.params) == Family::histogram) return;
  // The driver is asked for nothing that the grid does not depend on.
  const int resident_blocks =
      has_waves(variant) ? resources().blocks_per_multiprocessor * multiprocessor_count_ : 0;
  reduce_.emplace(variant, resident_blocks);
}

KernelResources Plan::resources() const {
  return kernel_->resources(static_cast<std::size_t>(KernelRole::main), block_size(variant_));
}

std::uint32_t Plan::grid_size(std::uint64_t count) const {
  if (reduce_) return reduce_->grid_size(count);
  return grid_blocks(std::get<HistogramParams>(variant_.params), count, multiprocessor_count_);
}

std::size_t Plan::scratch_bytes(std::uint64_t count) const {
  if (!reduce_) return histogram_scratch_bytes(variant_);
  return reduce_scratch_bytes(variant_, grid_size(count), count);
}

std::size_t Plan::most_scratch_bytes(std::uint64_t most) const {
  // Up to the next power of two a larger count needs no less. The chunks of a fixed order grow at
  // powers of two, so that a smaller count may need more.
  return std::max(scratch_bytes(most), scratch_bytes(std::bit_floor(most | 1) - 1));
}

bool Plan::needs_two_launches() const {
  const auto* const reduce = std::get_if<ReduceParams>(&variant_.params);
  return reduce != nullptr && reduce->final_stage == FinalStage::two_pass;
}

void Plan::enqueue(const Call& call, void* scratch, Stream stream) const {
  if (reduce_) return reduce_->enqueue(*kernel_, call, scratch, stream);
  enqueue_histogram(*kernel_, variant_, grid_size(call.count), call, scratch, stream);
}

}  // namespace foldtune
