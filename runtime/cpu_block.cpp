#include "runtime/cpu_block.h"

#include <fmt/format.h>

#include <cstring>

namespace foldtune {
namespace {

// All ones is NaN in every floating type and -1 in every integer.
constexpr int kPoison = 0xff;

// A thread that pauses for another block looks again this often after the last one has finished:
// far more often than a result takes from one core to the other.
constexpr std::uint32_t kMaxFutilePauses = 1'000;

struct Described {
  Activity activity;
  const char* text;
};
constexpr Described kDescribed[] = {
    {Activity::sync_block, "in sync_block"},
    {Activity::shuffle, "in a shuffle"},
    {Activity::pause, "pausing"},
    {Activity::exited, "exited"},
};

// "0-31, 64"; empty if no thread does that.
std::string threads_that_do(Activity activity, std::span<const Activity> activities) {
  std::string ranges;
  for (std::size_t first = 0; first < activities.size(); ++first) {
    if (activities[first] != activity) continue;
    std::size_t last = first;
    while (last + 1 < activities.size() && activities[last + 1] == activity) ++last;
    if (!ranges.empty()) ranges += ", ";
    ranges += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
    first = last;
  }
  return ranges;
}

std::string running(const CpuLaunch& launch, std::uint32_t block) {
  return fmt::format("Running {} on the CPU device, block {} of {}", launch.name, block,
                     launch.grid_size);
}

}  // namespace

DeviceError deadlock(const CpuLaunch& launch, std::uint32_t block,
                     std::span<const Activity> activities) {
  std::string threads;
  for (const Described& described : kDescribed) {
    const std::string who = threads_that_do(described.activity, activities);
    if (who.empty()) continue;
    threads += fmt::format("{}threads {} {}", threads.empty() ? "" : "; ", who, described.text);
  }
  return DeviceError(
      fmt::format("{}: its threads wait for each other and none can go on: {}. Let every thread "
                  "that has not exited reach each sync_block, and all 32 lanes of a warp each "
                  "shuffle.",
                  running(launch, block), threads));
}

void check_pause(const CpuLaunch& launch, const host::Thread& thread,
                 std::uint32_t& futile_pauses) {
  if (launch.failed.load(std::memory_order_relaxed)) throw BlockAborted{};
  if (launch.finished.load(std::memory_order_relaxed) + 1 < launch.grid_size) return;
  if (++futile_pauses < kMaxFutilePauses) return;
  throw DeviceError(
      fmt::format("{}: thread {} waits for another block, but all others have finished. Let each "
                  "block write what others wait for before it ends.",
                  running(launch, thread.block_index), thread.thread_index));
}

void SharedMemory::poison() const { std::memset(bytes_.get(), kPoison, sizeof(Bytes)); }

}  // namespace foldtune
