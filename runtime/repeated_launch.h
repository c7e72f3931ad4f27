/// A launch that is made again and again, for less of the host's time.
#pragma once

#include <memory>

#include "runtime/device.h"

namespace foldtune {

/// After a few launches of one shape it has the device keep that launch ready. Calls of it wait for
/// one another on the device, in whatever streams they are, and overlap with nothing before them:
/// it is for calls that the host waits for, one after another, and for bursts. Not thread-safe.
class RepeatedLaunch {
 public:
  /// Kernel::launch, always of the same kernel and index.
  void launch(const Kernel& kernel, std::size_t index, LaunchShape shape, void** arguments,
              Stream stream);

  /// For the next launch of a burst on one stream, which is not being captured: whether the kernel
  /// had better be launched by itself, because the device has fallen behind. Graphs take it longer
  /// than the host, while kernels overlap there; so these take turns, and both are kept busy.
  bool lets_catch_up(Stream stream);

 private:
  LaunchShape shape_;
  int times_ = 0;  ///< in that shape
  std::unique_ptr<ReadyLaunch> ready_;
  bool lets_catch_up_ = false;
  int left_ = 0;  ///< launches until the device is looked at again
};

}  // namespace foldtune
