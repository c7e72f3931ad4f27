#include "foldtune/context.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <tuple>

#include "foldtune/error.h"
#include "runtime/api/reducer_state.h"
#include "runtime/api/tune_on_miss.h"
#include "runtime/device/device.h"
#include "runtime/lookup/config_lookup.h"
#include "runtime/support/log.h"

namespace foldtune {
namespace {

/// What tells reducers apart. The text is that of a custom operator, and short for all others.
using Key = std::tuple<Operator, ElementType, ElementType, ElementType, Determinism, NanPolicy, int,
                       std::uint32_t, Binning, Distribution, std::string>;

Key make_key(const Problem& problem) {
  const HistogramShape& histogram = problem.histogram;
  return {problem.op,
          problem.type,
          problem.accumulator_type(),
          problem.result_type(),
          problem.determinism,
          problem.nan_policy,
          problem.ddof,
          histogram.bins,
          histogram.binning,
          histogram.distribution,
          problem.custom == nullptr ? std::string() : problem.custom->hash()};
}

/// `problem` for any count. Throws InvalidArgument if it cannot be.
Problem checked(Problem problem, std::string_view what) {
  problem.count = 0;
  if (const std::string fault = find_fault(problem); !fault.empty()) {
    throw InvalidArgument(fmt::format("making {}: {}", what, fault));
  }
  return problem;
}

/// As of `foldtune tune --budget`: a week.
constexpr double kMaxBudgetS = 7 * 86400;

/// Nothing is said twice on the standard error.
void notify_log_or_once(const std::string& text) {
  if (!Log::takes(LogLevel::warning)) return note_once(text);
  Log::write(LogLevel::warning, text);
}

ReducerSettings settings_of(const ContextOptions& options, const Device& device) {
  ReducerSettings settings{.miss = options.on_miss, .check_pointers = options.check_pointers};
  MissPolicy& miss = settings.miss;
  if (miss.action < OnMiss::use_default || miss.action > OnMiss::fail) {
    throw InvalidArgument("making a context: MissPolicy::action is none of OnMiss");
  }
  if (miss.action == OnMiss::tune && !miss.tune) {
    const bool is_sensible = miss.budget_s > 0 && miss.budget_s <= kMaxBudgetS;  // and no NaN
    if (!is_sensible) {
      throw InvalidArgument(fmt::format(
          "making a context: {} s is no sensible time to tune what was not tuned: it is more than "
          "0 and at most a week",
          miss.budget_s));
    }
    miss.tune = tune_in_worker(device.quick_info().id, options.database, miss.budget_s);
  }
  return settings;
}

}  // namespace

/// Owned by the context and by every handle together: a handle points to its reducer and counts as
/// an owner of this, so that handles may be used when the context is gone, at no cost.
class Context::State : public std::enable_shared_from_this<Context::State> {
 public:
  State(std::shared_ptr<Device> device, ConfigLookup configs, const ContextOptions& options)
      : device_(std::move(device)),
        configs_(std::move(configs)),
        settings_(settings_of(options, *device_)),
        kernels_(configs_.kernels()) {}

  std::shared_ptr<Reducer::State> reducer(const Problem& problem) {
    const Key key = make_key(problem);
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Reducer::State>& reducer = reducers_[key];
    if (reducer == nullptr) {
      reducer = std::make_unique<Reducer::State>(*device_, configs_, kernels_, problem, settings_);
    }
    return {shared_from_this(), reducer.get()};
  }

  const Device& device() const { return *device_; }

 private:
  // In this order: reducers use the device and the configurations, and go first.
  std::shared_ptr<Device> device_;
  ConfigLookup configs_;
  const ReducerSettings settings_;
  KernelCache kernels_;
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<Reducer::State>> reducers_;
};

Context::Context(const ContextOptions& options)
    : Context(open_device(options.device),
              ConfigLookup::open({.database = options.database,
                                  .bundles = options.bundles,
                                  .cache_bytes = options.cache_bytes},
                                 options.notify ? options.notify : notify_log_or_once),
              options) {}

Context::Context(std::shared_ptr<Device> device, std::shared_ptr<const ConfigStore> store,
                 const ContextOptions& options)
    : Context(std::move(device), ConfigLookup(std::move(store)), options) {}

Context::Context(std::shared_ptr<Device> device, ConfigLookup configs,
                 const ContextOptions& options)
    : state_(std::make_shared<State>(std::move(device), std::move(configs), options)) {}

Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;
Context::~Context() = default;

Reducer Context::reducer(const Problem& problem) {
  if (problem.op == Operator::histogram) {
    throw InvalidArgument("making a reducer: a histogram is none; call Context::histogram");
  }
  return Reducer(state_->reducer(checked(problem, "a reducer")));
}

Histogram Context::histogram(const HistogramOptions& options) {
  const Problem problem{
      .op = Operator::histogram,
      .type = options.type,
      .accumulator = options.counter,
      .histogram = {
          .bins = options.bins, .binning = options.binning, .distribution = options.distribution}};
  return Histogram(state_->reducer(checked(problem, "a histogram")));
}

const std::string& Context::device_name() const {
  return state_->device().quick_info().record.name;
}

}  // namespace foldtune
