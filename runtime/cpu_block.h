/// One block of a grid on the CPU.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "foldtune/error.h"
#include "templates/host_thread.h"

namespace foldtune {

inline constexpr std::uint32_t kWarpLanes = 32;
/// As on every GPU so far.
inline constexpr std::uint32_t kMaxBlockSize = 1024;

/// A launch, as its blocks see it. Its atomics are accessed relaxed: blocks of a grid must not
/// appear synchronised to ThreadSanitizer where on a GPU they are not.
struct CpuLaunch {
  const std::string& name;  ///< the kernel's, for messages
  host::Entry entry;
  void** arguments;
  std::uint32_t grid_size;
  std::uint32_t block_size;

  std::atomic<std::uint32_t> next_block = 0;  ///< the first that has not been started
  std::atomic<std::uint32_t> finished = 0;    ///< blocks
  std::atomic<bool> failed = false;           ///< blocks that wait for others give up
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

/// What a thread of a block is doing.
enum class Activity { running, sync_block, shuffle, pause, exited };

/// Thrown through the kernel's frames to end a thread whose block cannot end.
struct BlockAborted {};

/// The threads of `block` wait for each other; `activities` has one entry per thread.
DeviceError deadlock(const CpuLaunch& launch, std::uint32_t block,
                     std::span<const Activity> activities);

/// Called at every `pause` of a thread, with a count of its own. Throws BlockAborted if the launch
/// has failed, DeviceError if no other block is left that the thread might be waiting for.
void check_pause(const CpuLaunch& launch, const host::Thread& thread, std::uint32_t& futile_pauses);

/// The shared memory of a block.
class SharedMemory {
 public:
  void* data() const { return bytes_.get(); }

  /// Overwrites what the last block left, so that a read before a write shows in the result.
  void poison() const;

 private:
  struct alignas(256) Bytes {
    std::byte values[host::kSharedBytes];
  };
  std::unique_ptr<Bytes> bytes_ = std::make_unique<Bytes>();
};

}  // namespace foldtune
