/// The launches of a reducer without the reducer: what is left when everything is known beforehand.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "foldtune/reduction.h"
#include "runtime/device/device.h"
#include "runtime/launch/plan.h"

namespace foldtune::bench {

/// The kernels that a reducer without a database uses. Move-only. The device's context must be
/// current.
class BareLauncher {
 public:
  /// For counts in the order in which the reducer meets them: the first of a size class decides the
  /// untuned default of all.
  BareLauncher(Device& device, const Reduction& reduction, const std::vector<std::uint64_t>& counts,
               const void* input, void* output);
  BareLauncher(const BareLauncher&) = delete;
  BareLauncher& operator=(const BareLauncher&) = delete;
  ~BareLauncher();

  /// Launches for counts[i].
  void launch(std::size_t i, Stream stream);

 private:
  struct Module {
    Module(Device& device, const Variant& variant);
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    Plan plan;  // for its grid
    DeviceBuffer scratch;
  };

  /// A launch with its arguments, which point into it.
  struct Launch {
    CUfunction function = nullptr;
    CUlaunchConfig config{};
    std::array<CUlaunchAttribute, 2> attributes{};
    std::array<const void*, kMaxInputs> inputs{};
    std::uint32_t count = 0;
    void* output = nullptr;
    void* scratch = nullptr;
    bool inputs_ready = false;
    std::array<void*, 5> arguments{};
  };

  std::unique_ptr<Launch> make_launch(const Device& device, const Module& module,
                                      std::uint64_t count, const void* input, void* output) const;

  std::map<int, std::unique_ptr<Module>> modules_;  // By size class.
  std::vector<std::unique_ptr<Launch>> launches_;
};

}  // namespace foldtune::bench
