/// Compilation in processes of their own.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/device/compiler.h"
#include "tuner/worker/session.h"

namespace foldtune {

struct ProcessCompilerOptions {
  /// The program and its arguments. See `compiler_command`.
  std::vector<std::string> command;
  /// How long things may take, in seconds of wall time. The slowest batch takes some ten seconds.
  double start_s = 60;
  double compile_s = 60;
};

/// foldtune-worker, to compile with NVRTC for `architecture`: "sm_90". Throws Unavailable if it is
/// not there.
std::vector<std::string> compiler_command(const std::string& architecture);

/// Compiles in worker processes, one per call at a time: NVRTC locks so much that the threads of
/// one process hardly compile more than one thread does. A call takes a process that is idle, or
/// starts one. A program that a process does not survive, or takes too long for, is a CompileError,
/// and costs that process alone.
///
/// Processes end with the thread that started them. Other threads get new ones then.
class ProcessCompiler final : public Compiler {
 public:
  /// Starts the first process. Throws Unavailable as the worker's compiler does, and if it cannot
  /// be started.
  explicit ProcessCompiler(ProcessCompilerOptions options);

  const std::string& version() const override { return version_; }
  CompiledKernel compile(const Program& program) const override;

 private:
  using Session = std::unique_ptr<WorkerSession>;

  Session take_idle() const;
  WorkerSession::Answer ask(Session session, const Program& program) const;

  ProcessCompilerOptions options_;
  std::string version_;
  mutable std::mutex mutex_;
  mutable std::vector<Session> idle_;  ///< guarded by the mutex; the latest last
};

}  // namespace foldtune
