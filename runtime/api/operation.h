/// All plans of one problem, by bucket and layout. What the handles of the public functions are
/// faces of; it knows the problem's family as data alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <tuple>
#include <vector>

#include "foldtune/explanation.h"
#include "foldtune/miss.h"
#include "foldtune/workload.h"
#include "runtime/api/tune_on_miss.h"
#include "runtime/compile/kernel_cache.h"
#include "runtime/device/device.h"
#include "runtime/launch/append_only_map.h"
#include "runtime/launch/resolved_plan.h"
#include "runtime/lookup/config_lookup.h"
#include "runtime/lookup/lookup.h"
#include "templates/family.h"

namespace foldtune {

/// What a context tells its operations.
struct OperationSettings {
  OnMiss on_miss = OnMiss::use_default;
  std::function<Tuned(const Workload& workload)> tune = nullptr;   ///< there, if misses are tuned
  std::function<void(const Workload& workload)> record = nullptr;  ///< there, if calls are recorded
  bool check_pointers = false;
  Conditions conditions = Conditions::cold_graph;
};

/// What a context's operations share, and which must outlive them.
struct OperationParts {
  Device& device;
  const ConfigLookup& configs;
  KernelCache& kernels;
  const OperationSettings& settings;
};

/// Member functions may be called from several threads.
class Operation {
 public:
  /// The problem is without fault.
  Operation(const OperationParts& parts, const Problem& problem);
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  /// Enqueues a call. But for the first one of a bucket and layout, and the first one on a stream,
  /// it takes no lock and allocates nothing.
  void call(const Call& call, Stream stream);
  /// The same with an output of its own, which it waits for and copies to `result`.
  void call_and_wait(const Call& call, void* result, Stream stream);
  /// Does everything that the first such call would do, except the launch: of its arguments only
  /// the inputs count, and of them no tables.
  void prepare(const Call& call, Stream stream);
  /// Of calls with the best addresses.
  Explanation explain(const Shape& shape);
  const Problem& problem() const { return problem_; }
  /// Of such calls.
  Workload workload(const Shape& shape) const {
    return workload_of(shape, usual_layout(problem_, shape));
  }

  /// Throws InvalidArgument for a call that cannot be.
  void check_call(const Call& call) const;
  /// The same for a shape.
  void check_shape(const Shape& shape) const;
  int layout_of(const Call& call) const { return family_.layout(problem_, call); }
  /// The plan for calls of this shape, made now if it is the first time.
  ResolvedPlan& resolve(const Shape& shape, int layout);

 private:
  /// Whose calls share a plan: a bucket and a layout.
  struct Key {
    std::uint64_t classes;
    std::uint64_t layout;
    std::uint64_t bits() const { return classes ^ (layout << 61); }
    bool operator==(const Key&) const = default;
    bool operator<(const Key& other) const {
      return std::tie(classes, layout) < std::tie(other.classes, other.layout);
    }
  };
  Key key_of(const Shape& shape, int layout) const;

  /// The same for a call; not while the stream is being captured.
  ResolvedPlan& resolve(const Call& call, Stream stream);
  Workload workload_of(const Shape& shape, int layout) const;
  void check_argument(const Call& call, std::size_t i) const;
  /// The rest of it, for addresses that are not as usual.
  void check_odd_argument(const Call& call, std::size_t i) const;
  /// What the look-up says.
  Choice& find_choice(const Workload& workload);
  /// The same, by the policy for misses.
  const Choice& choose(const Workload& workload);
  std::unique_ptr<ResolvedPlan> make_plan(const Workload& workload, const Choice& choice);

  Device& device_;
  const ConfigLookup& configs_;
  KernelCache& kernels_;
  const OperationSettings& settings_;
  const Problem problem_;
  const Family& family_;
  const std::vector<Argument> arguments_;

  AppendOnlyMap<Key, ResolvedPlan> plans_;
  std::mutex mutex_;  // guards what follows, and what is added to the plans
  std::map<Key, Choice> choices_;
};

}  // namespace foldtune
