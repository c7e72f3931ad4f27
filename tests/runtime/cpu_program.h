/// Programs that run on the CPU device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/device/device.h"

namespace foldtune::test {

/// A program, compiled and loaded on a CPU device of its own.
class CpuProgram {
 public:
  CpuProgram(const std::string& source, const std::vector<std::string>& name_expressions)
      : device_(open_cpu_device()),
        kernel_(device_->load(device_->compiler().compile({source, name_expressions}))) {}

  /// As many blocks, of as many threads.
  template <class... Arguments>
  void launch(std::size_t index, Dim3 grid, Dim3 block, Arguments... arguments) const {
    launch(index, {.grid = grid, .block = block, .arguments = {}}, arguments...);
  }
  template <class... Arguments>
  void launch(std::size_t index, Launch launch, Arguments... arguments) const {
    launch.kernel = index;
    launch.pass(&arguments...);
    kernel_->launch(launch, nullptr);
  }

  Device& device() const { return *device_; }
  const Kernel& kernel() const { return *kernel_; }

 private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace foldtune::test
