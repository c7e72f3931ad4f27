#include "runtime/plan.h"

#include <algorithm>
#include <bit>

#include "runtime/histogram_launch.h"
#include "runtime/reduce_launch.h"
#include "templates/histogram/space.h"
#include "templates/reduce/space.h"

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
    : variant_(variant),
      kernel_(device.load(compiled)),
      multiprocessor_count_(device.quick_info().record.multiprocessor_count) {
  // The driver is asked for nothing that the grid does not depend on.
  if (has_waves(variant)) {
    resident_blocks_ = resources().blocks_per_multiprocessor * multiprocessor_count_;
  }
}

KernelResources Plan::resources() const {
  return kernel_->resources(static_cast<std::size_t>(KernelRole::main), block_size(variant_));
}

std::uint32_t Plan::grid_size(std::uint64_t count) const {
  if (const auto* const histogram = std::get_if<HistogramParams>(&variant_.params)) {
    return grid_blocks(*histogram, count, multiprocessor_count_);
  }
  return grid_blocks(variant_.problem, std::get<ReduceParams>(variant_.params), count,
                     resident_blocks_);
}

std::size_t Plan::scratch_bytes(std::uint64_t count) const {
  if (family_of(variant_.params) == Family::histogram) return histogram_scratch_bytes(variant_);
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
  if (family_of(variant_.params) == Family::histogram) {
    enqueue_histogram(*kernel_, variant_, grid_size(call.count), call, scratch, stream);
  } else {
    enqueue_reduce(*kernel_, variant_, grid_size(call.count), call, scratch, stream);
  }
}

}  // namespace foldtune
