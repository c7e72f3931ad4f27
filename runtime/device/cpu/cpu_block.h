/// One block of a grid on the CPU.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "templates/device/host_thread.h"
#include "templates/launch.h"

namespace foldtune {

/// As on every GPU so far.
inline constexpr std::uint32_t kMaxBlockSize = 1024;

/// A launch, as its blocks see it. Its atomics are accessed relaxed: blocks of a grid must not
/// appear synchronised to ThreadSanitizer where on a GPU they are not.
struct CpuLaunch {
  const std::string& name;  ///< the kernel's, for messages
  host::Entry entry;
  void** arguments;
  Dim3 grid;
  Dim3 block;
  std::uint32_t shared_bytes = 0;  ///< dynamic shared memory of a block

  std::atomic<std::uint32_t> next_block = 0;  ///< the first that has not been started
  std::atomic<std::uint32_t> finished = 0;    ///< blocks
  std::atomic<bool> failed = false;           ///< blocks that wait for others give up

  std::uint32_t grid_size() const { return static_cast<std::uint32_t>(grid.count()); }
  std::uint32_t block_size() const { return static_cast<std::uint32_t>(block.count()); }
};

/// Runs one block at a time, with a fiber for each of its threads, switched on the calling thread
/// alone; keeps its stacks and shared memory for the next block.
class BlockRunner {
 public:
  virtual ~BlockRunner() = default;

  /// Runs the block to its end. Throws DeviceError if its threads can never end. Returns early if
  /// the launch has failed elsewhere. Whether it returns or throws, no thread of the block is left.
  virtual void run(const CpuLaunch& launch, std::uint32_t block) = 0;
};

std::unique_ptr<BlockRunner> make_block_runner();

}  // namespace foldtune
