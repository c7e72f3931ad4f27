#include <sched.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/cpu_block.h"

// Everything here avoids to synchronise threads that a GPU would not: ThreadSanitizer would take a
// kernel's missing barrier for present. So mutexes are not shared between warps, nor between the
// start and the end of a block, and counters are relaxed.

namespace foldtune {
namespace {

// Where threads wait until all have come. A waiting thread goes on when the generation changes.
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint32_t arrived = 0;
  std::uint32_t generation = 0;

  // With the mutex held.
  void release() {
    arrived = 0;
    ++generation;
    changed.notify_all();
  }
};

struct Warp {
  Meeting meeting;
  // By the parity of the generation: a lane that is one shuffle ahead must not overwrite what
  // others have not yet read.
  alignas(16) char values[2][kWarpLanes][16];
};

class Team;

struct TeamThread : host::Thread {
  Team* team = nullptr;
  Activity activity = Activity::running;  // written by this thread, read after the block's end
  std::uint32_t shuffles = 0;             // so far
  std::uint32_t futile_pauses = 0;
};

// A thread of the system that plays one thread of a block after another.
struct Member {
  std::mutex mutex;
  std::condition_variable called;
  std::uint64_t calls = 0;  // one per block
  bool stop = false;
  std::thread thread;
};

// Runs blocks, with a thread of the system for each of their threads.
class Team final : public BlockRunner {
 public:
  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() override;

  void run(const CpuLaunch& launch, std::uint32_t block) override;

 private:
  void prepare(const CpuLaunch& launch, std::uint32_t block);
  void grow(std::size_t size);

  // Called by the members.
  void work(Member& member, std::size_t index) noexcept;
  void run_thread(TeamThread& thread) noexcept;
  void leave(TeamThread& thread);
  void stop_running();
  void fail(std::exception_ptr failure);
  void abort();
  void meet(TeamThread& thread, Activity activity, Meeting& meeting, const std::uint32_t& expected);
  static void sync_block(host::Thread* self);
  static void shuffle(host::Thread* self, void* value, unsigned bytes, unsigned source);
  static void pause(host::Thread* self);

  SharedMemory shared_;
  std::vector<TeamThread> threads_;
  std::deque<Warp> warps_;  // enough for the largest block so far

  // The running block.
  const CpuLaunch* launch_ = nullptr;
  Meeting barrier_;
  std::uint32_t live_ = 0;  // threads that have not exited; guarded by the barrier's mutex
  // Threads that neither wait nor have exited. Who lets others go on counts them before it can wait
  // itself, so 0 means that none ever will.
  std::atomic<std::uint32_t> running_ = 0;
  std::atomic<bool> aborted_ = false;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;

  std::mutex end_mutex_;
  std::condition_variable ended_;
  std::size_t unfinished_ = 0;  // members

  std::vector<std::unique_ptr<Member>> members_;  // as many as the largest block so far had threads
};

TeamThread& team_thread(host::Thread* thread) { return *static_cast<TeamThread*>(thread); }

Team::~Team() {
  for (const std::unique_ptr<Member>& member : members_) {
    {
      const std::lock_guard lock(member->mutex);
      member->stop = true;
    }
    member->called.notify_one();
    member->thread.join();
  }
}

void Team::grow(std::size_t size) {
  while (members_.size() < size) {
    const std::size_t index = members_.size();
    members_.push_back(std::make_unique<Member>());
    try {
      members_[index]->thread =
          std::thread([this, &member = *members_[index], index] { work(member, index); });
    } catch (...) {
      members_.pop_back();
      throw;
    }
  }
}

void Team::run(const CpuLaunch& launch, std::uint32_t block) {
  prepare(launch, block);
  for (std::size_t i = 0; i < launch.block_size; ++i) {
    {
      const std::lock_guard lock(members_[i]->mutex);
      ++members_[i]->calls;
    }
    members_[i]->called.notify_one();
  }
  {
    std::unique_lock lock(end_mutex_);
    ended_.wait(lock, [&] { return unfinished_ == 0; });
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (aborted_ && !launch.failed) {
    std::vector<Activity> activities;
    for (const TeamThread& thread : threads_) activities.push_back(thread.activity);
    throw deadlock(launch, block, activities);
  }
}

void Team::prepare(const CpuLaunch& launch, std::uint32_t block) {
  grow(launch.block_size);
  shared_.poison();
  threads_.resize(launch.block_size);
  for (std::uint32_t i = 0; i < launch.block_size; ++i) {
    static_cast<host::Thread&>(threads_[i]) = {.thread_index = i,
                                               .block_index = block,
                                               .block_size = launch.block_size,
                                               .grid_size = launch.grid_size,
                                               .shared = shared_.data(),
                                               .sync_block = &Team::sync_block,
                                               .shuffle = &Team::shuffle,
                                               .pause = &Team::pause};
    threads_[i].team = this;
    threads_[i].activity = Activity::running;
    threads_[i].shuffles = 0;
    threads_[i].futile_pauses = 0;
  }
  launch_ = &launch;
  barrier_.arrived = 0;
  while (warps_.size() * kWarpLanes < launch.block_size) warps_.emplace_back();
  for (Warp& warp : warps_) warp.meeting.arrived = 0;
  live_ = launch.block_size;
  running_ = launch.block_size;
  aborted_ = false;
  unfinished_ = threads_.size();
}

void Team::work(Member& member, std::size_t index) noexcept {
  for (std::uint64_t done = 0;; ++done) {
    {
      std::unique_lock lock(member.mutex);
      member.called.wait(lock, [&] { return member.stop || member.calls > done; });
      if (member.stop) return;
    }
    run_thread(threads_[index]);
    const std::lock_guard lock(end_mutex_);
    if (--unfinished_ == 0) ended_.notify_one();
  }
}

void Team::run_thread(TeamThread& thread) noexcept {
  try {
    launch_->entry(&thread, launch_->arguments);
    leave(thread);
  } catch (const BlockAborted&) {
    abort();
  } catch (...) {
    fail(std::current_exception());
  }
}

// A thread that has exited is not waited for.
void Team::leave(TeamThread& thread) {
  thread.activity = Activity::exited;
  {
    const std::lock_guard lock(barrier_.mutex);
    --live_;
    if (live_ == 0) return;
    if (barrier_.arrived == live_) {
      running_.fetch_add(live_, std::memory_order_relaxed);
      barrier_.release();
    }
  }
  stop_running();
}

// With no meeting's mutex held.
void Team::stop_running() {
  if (running_.fetch_sub(1, std::memory_order_relaxed) == 1) abort();
}

void Team::fail(std::exception_ptr failure) {
  {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::move(failure);
  }
  abort();
}

void Team::abort() {
  aborted_ = true;
  const auto wake = [](Meeting& meeting) {
    const std::lock_guard lock(meeting.mutex);
    meeting.changed.notify_all();
  };
  wake(barrier_);
  for (Warp& warp : warps_) wake(warp.meeting);
}

// `expected` is guarded by the meeting's mutex.
void Team::meet(TeamThread& thread, Activity activity, Meeting& meeting,
                const std::uint32_t& expected) {
  std::unique_lock lock(meeting.mutex);
  const std::uint32_t generation = meeting.generation;
  if (++meeting.arrived == expected) {
    running_.fetch_add(meeting.arrived - 1, std::memory_order_relaxed);
    meeting.release();
    return;
  }
  thread.activity = activity;
  if (running_.fetch_sub(1, std::memory_order_relaxed) == 1) {
    lock.unlock();
    abort();
    throw BlockAborted{};
  }
  meeting.changed.wait(lock, [&] {
    return meeting.generation != generation || aborted_.load(std::memory_order_relaxed);
  });
  if (meeting.generation == generation) throw BlockAborted{};
  thread.activity = Activity::running;
}

void Team::sync_block(host::Thread* self) {
  TeamThread& thread = team_thread(self);
  Team& team = *thread.team;
  team.meet(thread, Activity::sync_block, team.barrier_, team.live_);
}

void Team::shuffle(host::Thread* self, void* value, unsigned bytes, unsigned source) {
  TeamThread& thread = team_thread(self);
  Warp& warp = thread.team->warps_[thread.thread_index / kWarpLanes];
  auto& values = warp.values[thread.shuffles++ % 2];
  std::memcpy(values[thread.thread_index % kWarpLanes], value, bytes);
  thread.team->meet(thread, Activity::shuffle, warp.meeting, kWarpLanes);
  std::memcpy(value, values[source], bytes);
}

void Team::pause(host::Thread* self) {
  TeamThread& thread = team_thread(self);
  if (thread.team->aborted_.load(std::memory_order_relaxed)) throw BlockAborted{};
  check_pause(*thread.team->launch_, thread, thread.futile_pauses);
  sched_yield();
}

}  // namespace

std::unique_ptr<BlockRunner> make_thread_runner() { return std::make_unique<Team>(); }

}  // namespace foldtune
