#include "runtime/launch/plan.h"

#include <algorithm>

namespace foldtune {
namespace {

/// The program's first kernel, which does the work.
constexpr std::size_t kMain = 0;

}  // namespace

Plan::Plan(Device& device, const Variant& variant, const CompiledKernel& compiled)
    : kernel_(device.load(compiled)), variant_(variant) {
  const int multiprocessors = device.quick_info().record.multiprocessor_count;
  launcher_ = variant.params.family().launcher(
      variant, {.multiprocessor_count = multiprocessors,
                .resident_blocks = [this, multiprocessors](std::uint32_t threads) {
                  return kernel_->resources(kMain, threads).blocks_per_multiprocessor *
                         multiprocessors;
                }});
}

KernelResources Plan::resources() const {
  return kernel_->resources(kMain, launcher_->block_size());
}

std::uint64_t Plan::grid_size(const Shape& shape) const {
  const Call call{.shape = shape, .arguments = {}};
  Launches launches;
  launcher_->fill(call, /*scratch=*/nullptr, launches);
  return std::ranges::find(launches, kMain, &Launch::kernel)->grid.count();
}

void Plan::enqueue(const Call& call, void* scratch, Stream stream, std::mutex* together) const {
  Launches launches;
  launcher_->fill(call, scratch, launches);
  std::unique_lock<std::mutex> lock;
  if (together != nullptr && launches.size() > 1) lock = std::unique_lock(*together);
  for (const Launch& launch : launches) kernel_->launch(launch, stream);
}

}  // namespace foldtune
