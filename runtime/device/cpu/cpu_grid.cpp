#include "runtime/device/cpu/cpu_grid.h"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <exception>
#include <memory>
#include <thread>

namespace foldtune {
namespace {

/// What this thread handles signals on while it runs kernels, whose own stacks may have overflowed.
/// A program or a sanitizer that has such a stack already keeps it.
class SignalStack {
 public:
  SignalStack() {
    stack_t present{};
    ::sigaltstack(nullptr, &present);
    if ((present.ss_flags & SS_DISABLE) == 0) return;
    memory_ = std::make_unique<std::byte[]>(kBytes);
    stack_t own{};
    own.ss_sp = memory_.get();
    own.ss_size = kBytes;
    ::sigaltstack(&own, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;
  ~SignalStack() {
    if (memory_ == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
  }

 private:
  // The registers of today's processors take 11 KiB of it.
  static constexpr std::size_t kBytes = std::size_t{64} * 1024;

  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace

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
  } catch (const std::exception&) {
    // The system gives no more threads, or no memory for them: those that there are run all blocks.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

void CpuGrid::run_blocks(CpuLaunch& launch) {
  const SignalStack signal_stack;
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
