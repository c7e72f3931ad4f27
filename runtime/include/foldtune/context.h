/// A device with a tuning database: where everything starts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foldtune/axis_reducer.h"
#include "foldtune/axis_reduction.h"
#include "foldtune/export.h"
#include "foldtune/histogram.h"
#include "foldtune/miss.h"
#include "foldtune/reduce_plan.h"
#include "foldtune/reducer.h"
#include "foldtune/reduction.h"
#include "foldtune/segment_reducer.h"
#include "foldtune/segment_reduction.h"
#include "foldtune/workload.h"

namespace foldtune {

class ConfigStore;
class Device;
class ConfigLookup;

/// Which device and which database. A value type.
struct ContextOptions {
  /// "cuda:N" or "cpu". A CUDA device is used through its primary context, so pointers and streams
  /// of the CUDA runtime API, of PyTorch and of CuPy work.
  std::string device = "cuda:0";

  /// Path of the tuning database; empty: `$FOLDTUNE_DB`, else
  /// `$XDG_CACHE_HOME/foldtune/tuning.db`, else `~/.cache/foldtune/tuning.db`. A file that does not
  /// exist, or cannot be used, is no error: everything then runs untuned. A look-up waits half a
  /// second at most for a file that another process keeps locked.
  ///
  /// Kernels that had to be compiled are kept in it, so that the next process needs no compiler; a
  /// file that does not exist is made for that. Tuning results are only read. A file that cannot be
  /// written is no error either, and on a network file system, which hosts may share, none is.
  std::string database{};

  /// Paths of bundles, which `foldtune bundle` writes: what was tuned and compiled elsewhere, and
  /// is shipped with a program. They are looked up after the database, in this order; those in
  /// `$FOLDTUNE_BUNDLE`, separated by colons, come last. They are only read.
  std::vector<std::string> bundles{};

  /// Takes from the database what `foldtune pin` has pinned, and nothing else; what is not pinned
  /// runs untuned, or as the bundles have it. So no result that is tuned or imported later changes
  /// a configuration, and with it a sum's bits or its time. Not together with OnMiss::tune.
  bool only_pinned = false;

  /// Where the inputs of this context's calls are, and how they are launched: what was tuned for
  /// these conditions is used, and where there is none, what was for Conditions::cold_graph. Say
  /// warm_graph or warm_stream where inputs were written or read just before, and fit the L2 cache.
  Conditions conditions = Conditions::cold_graph;

  /// What kept kernels may take in the database, in bytes: those that were not used for the longest
  /// time go first. 0: none are kept. Empty: `$FOLDTUNE_CACHE_BYTES`, else 256 MiB.
  std::optional<std::uint64_t> cache_bytes{};

  /// Is told why a database that is there, or a bundle, is not used, and what is odd about it; each
  /// thing once. What it throws is lost. May be called from the threads that call.
  /// Empty: the log (foldtune/log.h) if it takes warnings, else a line on the standard error, once
  /// per process for each reason.
  std::function<void(const std::string&)> notify{};

  /// What becomes of calls whose problem was not tuned.
  MissPolicy on_miss{};

  /// Asks the driver for every pointer of a call whether kernels can use it, which takes a fraction
  /// of a microsecond each. A pointer to the host's or another device's memory is then an
  /// InvalidArgument; else it may end the process's CUDA context. Leave it off where devices use
  /// each other's memory: it takes that for a mistake.
  bool check_pointers = false;
};

/// Move-only. Member functions may be called from several threads.
///
/// After a fork the child may destroy its copies, and on the CPU device use them, unless another
/// thread was in a function of Foldtune then: what it had locked stays locked in the child.
class FOLDTUNE_API Context {
 public:
  /// Throws InvalidArgument for an unknown device name, Unavailable without a driver or such a
  /// device.
  explicit Context(const ContextOptions& options = {});

  /// @{
  /// Over a device and a store (null: none) of the caller's, for tests and tools.
  /// Of the options, only what is about calls.
  Context(std::shared_ptr<Device> device, std::shared_ptr<const ConfigStore> store,
          const ContextOptions& options = {});
  Context(std::shared_ptr<Device> device, ConfigLookup configs, const ContextOptions& options = {});
  /// @}

  /// A context that was moved from can only be destroyed or assigned to.
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;  ///< gives up what this context held, as the destructor
  /// Gives up device, kernels and scratch, which the context shares with its reducers, plans and
  /// histograms: these may be used as before, in any thread. The last one of them all frees it,
  /// when nothing that was enqueued may be running any more, and no graph that holds a call is
  /// replayed again.
  ~Context();

  /// The reducer of a problem, whose count and alignment are ignored: they come with each call. The
  /// same problem gives the same reducer. Throws InvalidArgument for a problem that cannot be.
  Reducer reducer(const Reduction& problem);

  /// The same for reductions along axes, whose shape and alignment come with each call.
  AxisReducer axis_reducer(const AxisReduction& problem);

  /// The same for reductions of segments, whose numbers come with each call.
  SegmentReducer segment_reducer(const SegmentReduction& problem);

  /// The same for histograms. Throws InvalidArgument for bins and types that cannot be.
  Histogram histogram(const HistogramOptions& options);

  /// The device's name, "NVIDIA H200". Valid as long as the context.
  const std::string& device_name() const;

 private:
  class FOLDTUNE_LOCAL State;
  std::shared_ptr<State> state_;
};

}  // namespace foldtune
