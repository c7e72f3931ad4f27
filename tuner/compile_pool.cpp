#include "tuner/compile_pool.h"

namespace foldtune {

CompilePool::CompilePool(const Compiler& compiler, int threads) : compiler_(compiler) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

CompilePool::~CompilePool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    queue_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

CompilePool::Compilation CompilePool::request(const Program& program) {
  const std::string key = program.key();
  const std::lock_guard lock(mutex_);
  if (const auto found = compilations_.find(key); found != compilations_.end()) {
    return found->second;
  }
  Task task([this, program] {
    return std::make_shared<const CompiledKernel>(compiler_.compile(program));
  });
  Compilation compilation = task.get_future().share();
  compilations_.emplace(key, compilation);
  queue_.push_back(std::move(task));
  changed_.notify_one();
  return compilation;
}

void CompilePool::work() {
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    Task task = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    task();
  }
}

}  // namespace foldtune
