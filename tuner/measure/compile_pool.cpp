#include "tuner/measure/compile_pool.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <utility>

namespace foldtune {

CompilePool::CompilePool(const Compiler& compiler, int threads)
    : compiler_(compiler), thread_count_(threads) {
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::exception&) {
    // The system gives no more threads, or no memory for them: those that there are do all.
    if (threads_.empty()) throw;
  }
}

CompilePool::~CompilePool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    urgent_.clear();
    later_.clear();
  }
  changed_.notify_all();
  {
    // Again and again: a thread may be about to begin.
    constexpr std::chrono::milliseconds kPause{10};
    std::unique_lock lock(mutex_);
    do {
      compiler_.stop_compilations();
    } while (!ended_.wait_for(lock, kPause, [this] { return working_ == 0; }));
  }
  for (std::thread& thread : threads_) thread.join();
}

CompilePool::Compilation CompilePool::request(const Program& program, Urgency urgency) {
  const std::string key = program.key();
  const std::lock_guard lock(mutex_);
  if (const auto found = compilations_.find(key); found != compilations_.end()) {
    if (urgency == Urgency::now) hasten(key);
    return found->second;
  }
  Queue& queue = urgency == Urgency::now ? urgent_ : later_;
  Task& task = queue.emplace_back(Task{.key = key, .program = program, .promise = {}});
  Compilation compilation = task.promise.get_future().share();
  compilations_.emplace(key, compilation);
  changed_.notify_one();
  return compilation;
}

void CompilePool::hasten(const std::string& key) {
  const auto found = std::ranges::find(later_, key, &Task::key);
  if (found == later_.end()) return;
  urgent_.push_back(std::move(*found));
  later_.erase(found);
}

void CompilePool::drop_later() {
  const std::lock_guard lock(mutex_);
  for (const Task& task : later_) compilations_.erase(task.key);
  later_.clear();
}

std::size_t CompilePool::waiting() const {
  const std::lock_guard lock(mutex_);
  return urgent_.size() + later_.size();
}

/// The oldest task with those that can be compiled with it; as many as leave work for every thread.
std::vector<CompilePool::Task> CompilePool::take_batch() {
  Queue& queue = urgent_.empty() ? later_ : urgent_;
  const auto threads = static_cast<std::size_t>(thread_count_);
  const std::size_t share = (queue.size() + threads - 1) / threads;
  std::vector<Task> batch;
  batch.push_back(std::move(queue.front()));
  queue.pop_front();
  for (auto task = queue.begin();
       task != queue.end() && batch.size() < std::min(share, kMaxBatch);) {
    if (batch.front().program.goes_with(task->program)) {
      batch.push_back(std::move(*task));
      task = queue.erase(task);
    } else {
      ++task;
    }
  }
  return batch;
}

void CompilePool::work() {
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_ || !urgent_.empty() || !later_.empty(); });
    if (stopping_) return;
    std::vector<Task> batch = take_batch();
    ++working_;
    lock.unlock();
    compile(batch);
    lock.lock();
    --working_;
    ended_.notify_all();
  }
}

void CompilePool::compile_alone(Task& task) const {
  try {
    task.promise.set_value(std::make_shared<const CompiledKernel>(compiler_.compile(task.program)));
  } catch (...) {
    task.promise.set_exception(std::current_exception());
  }
}

void CompilePool::compile(std::vector<Task>& batch) const {
  if (batch.size() == 1) return compile_alone(batch.front());
  Program all = batch.front().program;
  for (auto task = batch.begin() + 1; task != batch.end(); ++task) {
    std::ranges::copy(task->program.name_expressions, std::back_inserter(all.name_expressions));
  }
  CompiledKernel compiled;
  try {
    compiled = compiler_.compile(all);
  } catch (const std::exception&) {
    // One of them does not compile: each gets its own error, or its own image.
    for (Task& task : batch) compile_alone(task);
    return;
  }
  auto name = compiled.lowered_names.begin();
  for (Task& task : batch) {
    const auto end = name + std::ssize(task.program.name_expressions);
    task.promise.set_value(std::make_shared<const CompiledKernel>(
        CompiledKernel{.image = compiled.image,
                       .lowered_names = {name, end},
                       .compile_ms = compiled.compile_ms / static_cast<double>(batch.size())}));
    name = end;
  }
}

}  // namespace foldtune
