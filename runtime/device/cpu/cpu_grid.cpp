#include "runtime/device/cpu/cpu_grid.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>

namespace foldtune {

void CpuGrid::run(CpuLaunch& launch) {
  std::mutex failure_mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      run_blocks(launch);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      launch.failed = true;
    }
  };

  // The calling thread works too, so a grid of one block needs no other.
  std::vector<std::thread> helpers;
  const std::uint32_t workers = std::min(launch.grid_size(), concurrency_);
  helpers.reserve(workers);
  try {
    while (helpers.size() + 1 < workers) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // The system gives no more threads: those that there are run all blocks.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

void CpuGrid::run_blocks(CpuLaunch& launch) {
  std::unique_ptr<BlockRunner> runner = take_runner();
  while (!launch.failed.load(std::memory_order_relaxed)) {
    const std::uint32_t block = launch.next_block.fetch_add(1, std::memory_order_relaxed);
    if (block >= launch.grid_size()) break;
    runner->run(launch, block);
    launch.finished.fetch_add(1, std::memory_order_relaxed);
  }
  give_back(std::move(runner));
}

std::unique_ptr<BlockRunner> CpuGrid::take_runner() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<BlockRunner> runner = std::move(idle_.back());
      idle_.pop_back();
      return runner;
    }
  }
  return make_block_runner();
}

void CpuGrid::give_back(std::unique_ptr<BlockRunner> runner) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(runner));
}

}  // namespace foldtune
