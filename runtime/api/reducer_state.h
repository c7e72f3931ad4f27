/// What a reducer's handles and plans share: its plans by size class and alignment.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "foldtune/miss.h"
#include "foldtune/reducer.h"
#include "runtime/compile/kernel_cache.h"
#include "runtime/device/device.h"
#include "runtime/launch/host_results.h"
#include "runtime/launch/resolved_plan.h"
#include "runtime/lookup/config_lookup.h"
#include "runtime/lookup/lookup.h"

namespace foldtune {

/// What a context tells its reducers.
struct ReducerSettings {
  MissPolicy miss{};  ///< with a function, if it is to tune
  bool check_pointers = false;
};

class Reducer::State {
 public:
  /// The device, the configurations and the cache must outlive the state.
  State(Device& device, const ConfigLookup& configs, KernelCache& kernels, const Problem& problem,
        ReducerSettings settings);

  void call(const Call& call, std::size_t inputs, Stream stream);
  /// Copies the result, of the problem's size, to `result`.
  void call_and_wait(Call call, std::size_t inputs, void* result, Stream stream);
  void prepare(const Call& call, std::size_t inputs, Stream stream);
  Explanation explain(std::uint64_t count);
  const Problem& problem() const { return problem_; }

  /// Throws InvalidArgument for a call that cannot be.
  void check_call(const Call& call, std::size_t inputs) const;
  /// Whether all inputs are fit for Alignment::vector.
  bool is_aligned(const Call& call) const;
  /// The plan for calls of this size, made now if it is the first time.
  ResolvedPlan& resolve(std::uint64_t count, Alignment alignment);

 private:
  static constexpr std::size_t kSizeClasses = 41;  // up to kMaxCount
  /// A size class and an alignment class, from 0.
  using Place = std::size_t;
  static Place place_of(std::uint64_t count, Alignment alignment) {
    return 2 * static_cast<Place>(size_class(count)) + (alignment == Alignment::vector ? 1 : 0);
  }

  /// The same for a call; not while the stream is being captured.
  ResolvedPlan& resolve(const Call& call, Stream stream);
  Problem problem_of(std::uint64_t count, Alignment alignment) const;
  /// Whether nothing can be wrong with a call: the usual case, in a few instructions.
  bool is_plain(const Call& call, std::size_t inputs) const;
  /// All but the output.
  void check_inputs(const Call& call, std::size_t inputs) const;
  /// What the look-up says.
  Choice& find_choice(const Problem& problem);
  /// The same, by the policy for misses.
  const Choice& choose(const Problem& problem);
  std::unique_ptr<ResolvedPlan> make_plan(const Problem& problem, const Choice& choice);
  void check_pointer(const void* pointer, const char* what) const;

  Device& device_;
  const ConfigLookup& configs_;
  KernelCache& kernels_;
  const Problem problem_;
  const ReducerSettings settings_;
  std::size_t input_count_ = 0;
  std::array<std::size_t, kMaxInputs> input_alignments_{};
  const std::size_t output_alignment_;

  /// Read without a lock; null until the first call of the place.
  std::array<std::atomic<ResolvedPlan*>, 2 * kSizeClasses> resolved_{};
  std::mutex mutex_;  // guards what follows
  std::map<Place, Choice> choices_;
  std::vector<std::unique_ptr<ResolvedPlan>> plans_;

  /// Goes before the plans, for it waits until kernels whose results were seen have ended.
  HostResults results_;
};

}  // namespace foldtune
