/// Kernels that are compiled ahead of the programs that need them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cache/kernel_store.h"
#include "runtime/device/compiler.h"
#include "runtime/device/device.h"
#include "tuner/session/tuner.h"

namespace foldtune {

/// A program that some choice is run with.
struct WantedKernel {
  Program program;
  /// The compiler that the choice was tuned with: its kernel is taken where there is one. Empty:
  /// any.
  std::string tuned_with;
};

struct KeptKernels {
  std::size_t kernels = 0;            ///< that are in the store now, of those that are wanted
  std::size_t compiled = 0;           ///< of these, those that had to be compiled
  std::vector<std::string> failures;  ///< why others are not, one for each
};

/// Puts the kernels for `device` into `store`. One that `store` or `source` (null: none) has of its
/// compiler is not compiled; `compiler` compiles the others, each alone in its image, in so many
/// threads (0: one per core). Programs of which no kernel is kept are left out. Throws StoreError.
KeptKernels keep_kernels(KernelStore& store, const KernelStore* source, const DeviceRecord& device,
                         const Compiler& compiler, const std::vector<WantedKernel>& wanted,
                         int threads, std::uint64_t max_bytes);

/// What the results of a tuning are run with.
std::vector<WantedKernel> kernels_of(const std::vector<ProblemResult>& results,
                                     const std::string& compiler);

}  // namespace foldtune
