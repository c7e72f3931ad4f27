/// Runs the ladder: every kernel is compiled, checked and timed.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/device/device.h"
#include "tuner/session/ladder.h"
#include "tuner/session/library_kernels.h"

namespace foldtune {

enum class KernelStatus {
  ran,      ///< it gave the right result, and was timed
  skipped,  ///< it cannot run here
  failed,   ///< it does not compile, gave a wrong result, or the device failed
};

struct KernelResult {
  LadderKernel kernel;
  KernelStatus status = KernelStatus::failed;
  std::string reason{};  ///< why it did not run; empty if it did
  double median_us = 0;  ///< per call
  double gbps = 0;       ///< of its inputs, 10^9 bytes per second
  double gflops = 0;     ///< of a dot product; else 0
};

/// What a GPU's memory delivers, in 10^9 bytes per second; 0 where it is unknown.
struct Ceilings {
  double read_gbps = 0;  ///< measured
  double peak_gbps = 0;  ///< of the data sheet: from the memory's clock and bus
};

struct LadderReport {
  std::vector<KernelResult> results;  ///< in the order of the kernels
  Ceilings ceilings;
};

/// `on_result` is called after each kernel, in the order in which they run: those with the same
/// inputs one after another. Throws only if the device cannot be used at all.
LadderReport run_ladder(Device& device, const std::vector<LadderKernel>& kernels,
                        std::span<const LibraryKernel> libraries,
                        const std::function<void(const KernelResult& result)>& on_result);

}  // namespace foldtune
