/// Compilation ahead of the timing, on all cores.
#pragma once

#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/compiler.h"

namespace foldtune {

/// Compiles every program once and keeps the result for its own life. Programs that were requested
/// and not begun when it is destroyed are dropped. May be used from several threads.
class CompilePool {
 public:
  using Compilation = std::shared_future<std::shared_ptr<const CompiledKernel>>;

  /// The compiler must outlive the pool. `threads` is at least one.
  CompilePool(const Compiler& compiler, int threads);
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;
  ~CompilePool();

  /// The compilation of `program`, begun as soon as a thread is free. Its `get` throws what the
  /// compiler threw.
  Compilation request(const Program& program);

  int threads() const { return static_cast<int>(threads_.size()); }

 private:
  using Task = std::packaged_task<std::shared_ptr<const CompiledKernel>()>;

  void work();

  const Compiler& compiler_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::deque<Task> queue_;
  std::map<std::string, Compilation> compilations_;  ///< by Program::key
  std::vector<std::thread> threads_;
};

}  // namespace foldtune
