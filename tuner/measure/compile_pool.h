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

#include "runtime/device/compiler.h"

namespace foldtune {

/// Compiles every program once and keeps the result for its own life. Compiling takes mostly the
/// time to read the templates, so where more is requested than there are threads, programs that
/// differ in nothing but their kernels are compiled as one: the same text, the same options and the
/// same instances of the templates as alone, beside others in one image.
///
/// Programs that were requested and not begun when it is destroyed are dropped, and those that are
/// being compiled are stopped where the compiler can do that. May be used from several threads.
class CompilePool {
 public:
  using Compilation = std::shared_future<std::shared_ptr<const CompiledKernel>>;

  /// The compiler must outlive the pool. `threads` is at least one.
  CompilePool(const Compiler& compiler, int threads);
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;
  ~CompilePool();

  enum class Urgency {
    now,    ///< someone waits for it, or soon will
    later,  ///< begun when nothing urgent waits, and asked for again when it is needed
  };

  /// The compilation of `program`, begun as soon as a thread is free. Its `get` throws what the
  /// compiler threw.
  Compilation request(const Program& program, Urgency urgency = Urgency::now);

  /// Forgets what was requested for later and is not begun. Who waits for such a compilation, which
  /// was not asked for again, gets std::future_error.
  void drop_later();

  int threads() const { return thread_count_; }

  /// Programs that were requested and not begun.
  std::size_t waiting() const;

 private:
  struct Task {
    std::string key;
    Program program;
    std::promise<std::shared_ptr<const CompiledKernel>> promise;
  };
  using Queue = std::deque<Task>;

  void hasten(const std::string& key);
  void work();
  std::vector<Task> take_batch();
  void compile(std::vector<Task>& batch) const;
  void compile_alone(Task& task) const;

  const Compiler& compiler_;
  const int thread_count_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable ended_;
  bool stopping_ = false;
  int working_ = 0;  ///< threads that compile
  Queue urgent_;
  Queue later_;
  std::map<std::string, Compilation> compilations_;  ///< by Program::key
  std::vector<std::thread> threads_;
};

}  // namespace foldtune
