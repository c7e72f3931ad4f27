/// The blocks of a grid on the cores of the CPU.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/device/cpu/cpu_block.h"

namespace foldtune {

/// Runs launches. Member functions may be called from several threads; each launch has runners of
/// its own.
class CpuGrid {
 public:
  /// `concurrency`: blocks of a launch that run at a time, at most.
  explicit CpuGrid(std::uint32_t concurrency) : concurrency_(concurrency) {}

  /// Runs all blocks, started in the order of their index, so that a block may wait for earlier
  /// ones. Throws what the first block to fail threw, when no block is running any more.
  void run(CpuLaunch& launch);

 private:
  void run_blocks(CpuLaunch& launch);
  std::unique_ptr<BlockRunner> take_runner();
  void give_back(std::unique_ptr<BlockRunner> runner);

  const std::uint32_t concurrency_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<BlockRunner>> idle_;
};

}  // namespace foldtune
