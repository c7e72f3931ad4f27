/// Trials in a process of their own, which may crash and hang.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/measure/evaluator.h"
#include "tuner/worker/session.h"

namespace foldtune {

struct WorkerOptions {
  /// The program and its arguments. See `worker_command`.
  std::vector<std::string> command;
  /// How long things may take, in seconds of wall time. A new worker may have to wait until the
  /// driver has stopped the kernel of the last one.
  double start_s = 60;
  double set_problem_s = 60;         ///< and what the inputs add, see below
  double set_problem_s_per_gb = 60;  ///< of 10^9 input bytes, which are made and folded here
  double evaluate_s = 10;            ///< a trial, and what its samples add
  double sample_s = 1;               ///< each
  // Where a budget leaves less than that it is what may be used, but for these.
  double least_preparation_s = 50;  ///< before any kernel runs; a compiler may be slow
  double least_evaluate_s = 2;
  double least_run_s = 1;        ///< a kernel that preparing runs: it may be one that does not end
  double restart_pause_s = 0.5;  ///< before a start after one that failed; twice as long then
  double quit_s = 2;             ///< for an idle worker to end when it is asked to
  /// True ends a start or a preparation, which may take a minute, with an error; a trial goes on to
  /// its end. May be empty.
  std::function<bool()> stop_requested = nullptr;
};

/// foldtune-worker, to try configurations on a device, with the seed of the inputs. Throws
/// Unavailable if it is not there.
std::vector<std::string> worker_command(const std::string& device_id, std::uint64_t seed);

/// Starts the worker, watches it, stops it when it takes too long, and starts it again. A trial
/// that the worker did not survive has the outcome `crashed`, one that was stopped `timeout`. The
/// thread that makes and uses it must live as long as the evaluator: workers end with the thread
/// that started them.
class WorkerEvaluator final : public Evaluator {
 public:
  /// Starts the worker. Throws InvalidArgument and Unavailable as the worker does, Unavailable if
  /// it cannot be started.
  explicit WorkerEvaluator(WorkerOptions options);
  WorkerEvaluator(const WorkerEvaluator&) = delete;
  WorkerEvaluator& operator=(const WorkerEvaluator&) = delete;
  ~WorkerEvaluator() override;

  const DeviceInfo& info() const override { return hello_.info; }
  /// NVRTC, in processes of foldtune-worker, or the host's compiler; null for a device of another
  /// kind.
  const Compiler* compiler() override;
  const std::string& compiler_version() override { return hello_.compiler_version; }
  void set_workload(const Workload& workload, const Workload& largest) override;
  void limit_preparation(double left_s) override { preparation_left_s_ = left_s; }
  /// Lost if the worker ends: the next one does without.
  void announce(const Workload& next) override;
  double read_bandwidth_gbps() const override { return read_bandwidth_gbps_; }
  MeasurementRecord evaluate(const Trial& trial) override;

  /// The process of the present worker; empty if none runs.
  std::optional<pid_t> worker_process() const;
  /// How many workers were started.
  int starts() const { return starts_; }

 private:
  struct Attempt {
    bool has_begun = false;  ///< whether what happened is due to the trial
    MeasurementRecord record;
  };

  std::string program() const;  ///< as messages have it
  bool is_stopped() const;
  void ensure_worker();
  void start();
  std::optional<Failure> start_once();
  std::optional<Failure> greet(WorkerSession& session);
  std::optional<Failure> send_workload(WorkerSession& session);
  Attempt attempt(const Trial& trial);

  WorkerOptions options_;
  Hello hello_;
  int starts_ = 0;
  std::optional<SetWorkload> workload_;
  double preparation_left_s_ = std::numeric_limits<double>::infinity();
  double read_bandwidth_gbps_ = 0;
  std::unique_ptr<Compiler> compiler_;
  /// Idle, and ready for the current problem; null if a worker must be started. Who talks with it
  /// takes it out, and puts it back if that went well.
  std::unique_ptr<WorkerSession> session_;
};

}  // namespace foldtune
