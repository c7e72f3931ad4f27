#include "runtime/repeated_launch.h"

#include <mutex>

#include "foldtune/error.h"

namespace foldtune {
namespace {

/// What is launched so often is worth the tens of microseconds, and the 0.1 MB of device memory,
/// that a graph takes.
constexpr int kOften = 8;

/// Launches between two looks at the device, each of which can take the host a microsecond.
constexpr int kGraphs = 32;
constexpr int kKernels = 16;

/// The driver lets threads launch graphs one by one: 16 of them take twice as long as with kernels.
std::mutex launching_graph;

}  // namespace

void RepeatedLaunch::launch(const Kernel& kernel, std::size_t index, LaunchShape shape,
                            void** arguments, Stream stream) {
  if (ready_ == nullptr) {
    times_ = shape == shape_ ? times_ + 1 : 1;
    shape_ = shape;
    if (times_ == kOften) {
      try {
        ready_ = kernel.make_ready(index, shape, arguments);
      } catch (const DeviceError&) {  // it can be launched without
      }
    }
  }
  if (ready_ != nullptr && shape == shape_) {
    const std::unique_lock alone(launching_graph, std::try_to_lock);
    if (alone.owns_lock()) return ready_->launch(arguments, stream);
  }
  kernel.launch(index, shape, arguments, stream);
}

bool RepeatedLaunch::lets_catch_up(Stream stream) {
  if (ready_ == nullptr) return false;
  if (left_ == 0) {
    lets_catch_up_ = ready_->is_behind(stream);
    left_ = lets_catch_up_ ? kKernels : kGraphs;
  }
  --left_;
  return lets_catch_up_;
}

}  // namespace foldtune
