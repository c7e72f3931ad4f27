#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "foldtune/error.h"
#include "runtime/device/cpu/cpu_block.h"
#include "runtime/support/sanitizer.h"

namespace foldtune {
namespace {

namespace context = boost::context;

constexpr std::uint32_t kWarpLanes = 32;

// What a thread of a block is doing.
enum class Activity { running, sync_block, shuffle, pause, exited };

// Thrown through the kernel's frames to end a thread whose block cannot end.
struct BlockAborted {};

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
                     launch.grid_size());
}

// `activities` has one entry per thread.
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

// At every `pause` of a thread, with a count of its own: ends one whose launch has failed, or that
// no other block is left for.
void check_pause(const CpuLaunch& launch, const host::Thread& thread,
                 std::uint32_t& futile_pauses) {
  if (launch.failed.load(std::memory_order_relaxed)) throw BlockAborted{};
  if (launch.finished.load(std::memory_order_relaxed) + 1 < launch.grid_size()) return;
  if (++futile_pauses < kMaxFutilePauses) return;
  throw DeviceError(
      fmt::format("{}: thread {} waits for another block, but all others have finished. Let each "
                  "block write what others wait for before it ends.",
                  running(launch, thread.block_index), thread.thread_index));
}

// The shared memory of a block.
class SharedMemory {
 public:
  void* data() const { return bytes_.get(); }

  // Overwrites what the last block left, so that a read before a write shows in the result: all
  // ones is NaN in every floating type and -1 in every integer.
  void poison() const { std::memset(bytes_.get(), 0xff, sizeof(Bytes)); }

 private:
  struct alignas(256) Bytes {
    std::byte values[host::kSharedBytes];
  };
  std::unique_ptr<Bytes> bytes_ = std::make_unique<Bytes>();
};

// Of dynamic shared memory, which is as much as a launch asks for. Poisoned as well.
struct alignas(16) SharedWord {
  std::uint64_t values[2];
};
constexpr SharedWord kPoison{{~std::uint64_t{0}, ~std::uint64_t{0}}};

// Kernels need a few hundred bytes; sanitizers print their reports on the stack that they find.
// Pages are only there once they are touched.
constexpr std::size_t kStackBytes = std::size_t{256} * 1024;

// A stack with an unmapped page below it. Boost.Context has such ones, too, but asks the system for
// its limits through thread-local variables that have to be there when a program starts: its static
// library would keep programs from loading this one later.
class Stack {
 public:
  Stack() {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    stack_.size = (kStackBytes + page - 1) / page * page + page;
    void* const memory = ::mmap(nullptr, stack_.size, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    ::mprotect(memory, page, PROT_NONE);
    stack_.sp = static_cast<char*>(memory) + stack_.size;
  }
  Stack(Stack&& other) noexcept : stack_(std::exchange(other.stack_, {})) {}
  Stack& operator=(Stack&&) = delete;
  ~Stack() {
    if (stack_.sp == nullptr) return;
    forget_stack(bounds());
    ::munmap(static_cast<char*>(stack_.sp) - stack_.size, stack_.size);
  }

  const context::stack_context& get() const { return stack_; }
  StackBounds bounds() const {
    return {static_cast<const char*>(stack_.sp) - stack_.size, stack_.size};
  }

 private:
  context::stack_context stack_;
};

// Lends a fiber its stack.
struct LentStack {
  context::stack_context stack;
  context::stack_context allocate() const { return stack; }
  void deallocate(const context::stack_context&) const {}
};

// Where threads wait until all have come. A waiting thread goes on when the generation changes.
struct Meeting {
  std::uint32_t arrived = 0;
  std::uint32_t generation = 0;
  // What ThreadSanitizer knows meetings by. By the parity of the generation: who is one meeting
  // ahead must not seem to come before those who have yet to leave the last one.
  char sync[2] = {};

  void release() {
    arrived = 0;
    ++generation;
  }
};

struct Warp {
  Meeting meeting;
  // By the parity of the generation: a lane that is one shuffle ahead must not overwrite what
  // others have not yet read.
  alignas(16) char values[2][kWarpLanes][16];
};

class FiberRunner;

struct FiberThread : host::Thread {
  FiberRunner* runner = nullptr;
  Activity activity = Activity::running;
  const Meeting* meeting = nullptr;  // where it waits,
  std::uint32_t generation = 0;      // and the meeting's generation when it came
  std::uint32_t futile_pauses = 0;
  context::fiber fiber;  // the rest of it, while it is not running
  void* fake_stack = nullptr;

  bool can_run() const {
    switch (activity) {
      case Activity::exited:
        return false;
      case Activity::sync_block:
      case Activity::shuffle:
        return meeting->generation != generation;
      default:
        return true;
    }
  }
};

class FiberRunner final : public BlockRunner {
 public:
  void run(const CpuLaunch& launch, std::uint32_t block) override;

 private:
  void prepare(const CpuLaunch& launch, std::uint32_t block);
  void run_threads();
  bool run_round();
  void resume(FiberThread& thread);
  void run_thread(FiberThread& thread) noexcept;

  // Called on the thread's fiber.
  void suspend(FiberThread& thread);
  void meet(FiberThread& thread, Activity activity, Meeting& meeting, std::uint32_t expected);
  static void sync_block(host::Thread* self);
  static void shuffle(host::Thread* self, void* value, unsigned bytes, unsigned source);
  static void pause(host::Thread* self);

  SharedMemory shared_;
  std::vector<SharedWord> dynamic_shared_;
  std::vector<Stack> stacks_;
  std::vector<WatchedFiber> watched_;
  std::vector<FiberThread> threads_;
  std::vector<Warp> warps_;

  // The running block.
  const CpuLaunch* launch_ = nullptr;
  Meeting barrier_;
  std::uint32_t live_ = 0;  // threads that have not exited
  bool aborted_ = false;
  std::exception_ptr failure_;
  context::fiber scheduler_;  // the rest of run_threads, while a thread is running
  StackBounds scheduler_stack_;
  WatchedFiber watched_scheduler_;
  char begin_ = 0;  // what ThreadSanitizer knows the block's begin and its end by
  char end_ = 0;
};

FiberThread& fiber_thread(host::Thread* thread) { return *static_cast<FiberThread*>(thread); }

void FiberRunner::run(const CpuLaunch& launch, std::uint32_t block) {
  prepare(launch, block);
  synchronize_before(&begin_);
  run_threads();
  synchronize_after(&end_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void FiberRunner::prepare(const CpuLaunch& launch, std::uint32_t block) {
  launch_ = &launch;
  barrier_ = {};
  watched_scheduler_ = WatchedFiber::current();
  const std::uint32_t block_size = launch.block_size();
  live_ = block_size;
  dynamic_shared_.assign((launch.shared_bytes + sizeof(SharedWord) - 1) / sizeof(SharedWord),
                         kPoison);
  aborted_ = false;
  shared_.poison();
  stacks_.reserve(block_size);
  while (stacks_.size() < block_size) stacks_.emplace_back();
  while (watched_.size() < block_size) watched_.push_back(WatchedFiber::make());
  warps_.resize((block_size + kWarpLanes - 1) / kWarpLanes);
  for (Warp& warp : warps_) warp.meeting = {};
  threads_.resize(block_size);
  for (std::uint32_t i = 0; i < block_size; ++i) {
    FiberThread& thread = threads_[i];
    static_cast<host::Thread&>(thread) = {
        .thread_index = i,
        .block_index = block,
        .block_size = block_size,
        .grid_size = launch.grid_size(),
        .block_extents = {launch.block.x, launch.block.y, launch.block.z},
        .grid_extents = {launch.grid.x, launch.grid.y, launch.grid.z},
        .shared = shared_.data(),
        .dynamic_shared = dynamic_shared_.data(),
        .sync_block = &FiberRunner::sync_block,
        .shuffle = &FiberRunner::shuffle,
        .pause = &FiberRunner::pause};
    thread.runner = this;
    thread.activity = Activity::running;
    thread.futile_pauses = 0;
    forget_stack(stacks_[i].bounds());
    thread.fiber = context::fiber(std::allocator_arg, LentStack{stacks_[i].get()},
                                  [this, &thread](context::fiber&& scheduler) {
                                    scheduler_ = std::move(scheduler);
                                    scheduler_stack_ = enter_stack(nullptr);
                                    run_thread(thread);
                                    leave_stack(nullptr, scheduler_stack_);
                                    watched_scheduler_.enter();
                                    return std::move(scheduler_);
                                  });
  }
}

// Runs on the scheduler's stack until no thread is left.
void FiberRunner::run_threads() {
  while (live_ > 0) {
    if (run_round()) continue;
    std::vector<Activity> activities;
    for (const FiberThread& thread : threads_) activities.push_back(thread.activity);
    failure_ = std::make_exception_ptr(deadlock(*launch_, threads_[0].block_index, activities));
    aborted_ = true;
  }
}

// Gives every thread that can run a turn. False if none can.
bool FiberRunner::run_round() {
  bool has_run = false;
  bool only_pauses = true;
  for (FiberThread& thread : threads_) {
    if (!thread.can_run() && !(aborted_ && thread.activity != Activity::exited)) continue;
    resume(thread);
    has_run = true;
    only_pauses &= thread.activity == Activity::pause;
  }
  // What these threads wait for is done by another block, perhaps on this core.
  if (has_run && only_pauses) sched_yield();
  return has_run;
}

void FiberRunner::resume(FiberThread& thread) {
  void* fake_stack = nullptr;
  leave_stack(&fake_stack, stacks_[thread.thread_index].bounds());
  watched_[thread.thread_index].enter();
  thread.fiber = std::move(thread.fiber).resume();
  enter_stack(fake_stack);
}

void FiberRunner::run_thread(FiberThread& thread) noexcept {
  synchronize_after(&begin_);
  try {
    launch_->entry(&thread, launch_->arguments);
  } catch (const BlockAborted&) {
    aborted_ = true;
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
    aborted_ = true;
  }
  thread.activity = Activity::exited;
  synchronize_before(&end_);
  synchronize_before(&barrier_.sync[barrier_.generation % 2]);
  --live_;
  if (live_ > 0 && barrier_.arrived == live_) barrier_.release();
}

void FiberRunner::suspend(FiberThread& thread) {
  leave_stack(&thread.fake_stack, scheduler_stack_);
  watched_scheduler_.enter();
  scheduler_ = std::move(scheduler_).resume();
  scheduler_stack_ = enter_stack(thread.fake_stack);
  if (aborted_) throw BlockAborted{};
}

void FiberRunner::meet(FiberThread& thread, Activity activity, Meeting& meeting,
                       std::uint32_t expected) {
  char* const sync = &meeting.sync[meeting.generation % 2];
  synchronize_before(sync);
  if (++meeting.arrived == expected) {
    meeting.release();
  } else {
    thread.activity = activity;
    thread.meeting = &meeting;
    thread.generation = meeting.generation;
    suspend(thread);
    thread.activity = Activity::running;
  }
  synchronize_after(sync);
}

void FiberRunner::sync_block(host::Thread* self) {
  FiberThread& thread = fiber_thread(self);
  FiberRunner& runner = *thread.runner;
  runner.meet(thread, Activity::sync_block, runner.barrier_, runner.live_);
}

void FiberRunner::shuffle(host::Thread* self, void* value, unsigned bytes, unsigned source) {
  FiberThread& thread = fiber_thread(self);
  Warp& warp = thread.runner->warps_[thread.thread_index / kWarpLanes];
  auto& values = warp.values[warp.meeting.generation % 2];
  std::memcpy(values[thread.thread_index % kWarpLanes], value, bytes);
  thread.runner->meet(thread, Activity::shuffle, warp.meeting, kWarpLanes);
  std::memcpy(value, values[source], bytes);
}

void FiberRunner::pause(host::Thread* self) {
  FiberThread& thread = fiber_thread(self);
  FiberRunner& runner = *thread.runner;
  check_pause(*runner.launch_, thread, thread.futile_pauses);
  thread.activity = Activity::pause;
  runner.suspend(thread);
  thread.activity = Activity::running;
}

}  // namespace

std::unique_ptr<BlockRunner> make_block_runner() { return std::make_unique<FiberRunner>(); }

}  // namespace foldtune
