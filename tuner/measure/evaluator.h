/// The seam between the tuner and what tries configurations for it.
///
/// Two implementations: the device of this process (device_evaluator.h), and a worker process that
/// may crash or hang (worker/worker_evaluator.h).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>

#include "cache/config_store.h"
#include "runtime/device/compiler.h"
#include "runtime/device/device.h"
#include "templates/space.h"

namespace foldtune {

/// How a configuration is timed.
enum class Timing {
  screening,   ///< a few samples: enough to tell the good from the bad
  comparison,  ///< under the workload's conditions: what the best are compared by
  complete,    ///< the same, and hot, in a stream, and from launch to result
};

/// A configuration of the current workload that is to be tried.
struct Trial {
  Config params;
  std::shared_ptr<const CompiledKernel> compiled;  ///< null where no compiler is needed
  Timing timing = Timing::screening;
  int samples = 2;
  /// Wall time that the budget leaves: once it is over, no more samples are taken than one.
  double left_s = std::numeric_limits<double>::infinity();
};

/// Tries configurations one at a time. Not thread-safe.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  virtual const DeviceInfo& info() const = 0;

  /// The compiler whose images trials need; null where they need none. Lives as long as the
  /// evaluator, and may be used from several threads. Throws Unavailable.
  virtual const Compiler* compiler() = 0;

  /// "nvrtc 13.0": the compiler that results depend on.
  virtual const std::string& compiler_version() = 0;

  /// Makes `workload` the current one: its inputs and its expected result. Later ones with the same
  /// inputs are no larger than `largest`, so that inputs can be made once. Throws DeviceError if
  /// that fails, CompileError for a custom operator that does not compile, after both of which it
  /// can be another one's turn; Unavailable if there is no device any more.
  virtual void set_workload(const Workload& workload, const Workload& largest) = 0;

  /// The wall time that the budget leaves for the next `set_workload`. What can be stopped is
  /// stopped when it takes longer, by some seconds at most.
  virtual void limit_preparation(double left_s) { (void)left_s; }

  /// From now on `set_workload` calls `tell` before each kernel that it runs to know what to
  /// expect. All is compiled then, and such a kernel, which is of the user's code, may not end.
  virtual void tell_of_runs(const std::function<void()>& tell) { (void)tell; }

  /// A hint: `next` will probably be the next one, so that what it needs may be made meanwhile.
  virtual void announce(const Workload& next) { (void)next; }

  /// Of the device, in 10^9 bytes per second; 0: not known. Valid after the first `set_workload`.
  virtual double read_bandwidth_gbps() const = 0;

  /// Checks and times a configuration. All that goes wrong with it is in the record's outcome, with
  /// the reason. Throws DeviceError or Unavailable only if nothing can be tried any more.
  virtual MeasurementRecord evaluate(const Trial& trial) = 0;
};

}  // namespace foldtune
