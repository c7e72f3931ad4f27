#include "foldtune/context.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "cache/excerpt.h"
#include "cache/printable.h"
#include "foldtune/error.h"
#include "runtime/api/axis_reducer_state.h"
#include "runtime/api/call_record.h"
#include "runtime/api/histogram_state.h"
#include "runtime/api/reducer_state.h"
#include "runtime/api/segment_reducer_state.h"
#include "runtime/api/tune_on_miss.h"
#include "runtime/device/device.h"
#include "runtime/lookup/config_lookup.h"
#include "runtime/support/log.h"

namespace foldtune {
namespace {

void throw_fault(const std::string& fault, std::string_view what) {
  if (!fault.empty()) throw InvalidArgument(fmt::format("making {}: {}", what, fault));
}

/// As of `foldtune tune --budget`: a week.
constexpr double kMaxBudgetS = 7 * 86400;

/// A text that was told is not told again. What `notify` throws is lost, as of a log's callback:
/// the work goes on.
std::function<void(const std::string&)> once(std::function<void(const std::string&)> notify) {
  struct Told {
    std::mutex mutex;
    std::set<std::string> texts;
  };
  return [told = std::make_shared<Told>(), notify = std::move(notify)](const std::string& text) {
    const std::string message = shortened(printable_lines(text));
    {
      const std::lock_guard lock(told->mutex);
      if (!told->texts.insert(message).second) return;
    }
    try {
      notify(message);
    } catch (...) {  // NOLINT(bugprone-empty-catch): said above
    }
  };
}

/// Nothing is said twice on the standard error.
void notify_log_or_once(const std::string& text) {
  if (!Log::takes(LogLevel::warning)) return note_once(text);
  Log::write(LogLevel::warning, text);
}

std::function<void(const std::string&)> notify_of(const ContextOptions& options) {
  return once(options.notify ? options.notify : notify_log_or_once);
}

OperationSettings settings_of(const ContextOptions& options, const Device& device) {
  const MissPolicy& miss = options.on_miss;
  if (miss.action < OnMiss::use_default || miss.action > OnMiss::fail) {
    throw InvalidArgument("making a context: MissPolicy::action is none of OnMiss");
  }
  const bool is_sensible = miss.budget_s > 0 && miss.budget_s <= kMaxBudgetS;  // and no NaN
  if (!is_sensible) {
    throw InvalidArgument(fmt::format(
        "making a context: {} s is no sensible time to tune what was not tuned: it is more than "
        "0 and at most a week",
        miss.budget_s));
  }
  if (options.only_pinned && miss.action == OnMiss::tune) {
    throw InvalidArgument(
        "making a context: with only_pinned, later processes would not use what OnMiss::tune "
        "tunes; leave out one of them");
  }
  const auto conditions = static_cast<std::size_t>(options.conditions);
  if (conditions >= conditions_names().size()) {
    throw InvalidArgument("making a context: ContextOptions::conditions is none of Conditions");
  }
  OperationSettings settings{.on_miss = miss.action,
                             .record = record_of_environment(notify_of(options)),
                             .check_pointers = options.check_pointers,
                             .conditions = options.conditions};
  if (miss.action != OnMiss::tune) return settings;
  if (miss.tune) {
    settings.tune = [tune = miss.tune](const Workload& workload) {
      return Tuned{.config = tune(workload), .reason = "MissPolicy::tune returned none"};
    };
  } else {
    settings.tune = tune_in_worker(device.quick_info().id, options.database, miss.budget_s);
  }
  return settings;
}

}  // namespace

/// Owned by the context and by every handle together: a handle points to its operation and counts
/// as an owner of this, so that handles may be used when the context is gone, at no cost.
class Context::State : public std::enable_shared_from_this<Context::State> {
 public:
  State(std::shared_ptr<Device> device, ConfigLookup configs, const ContextOptions& options)
      : device_(std::move(device)),
        configs_(std::move(configs)),
        settings_(settings_of(options, *device_)),
        kernels_(configs_.kernels()) {}

  /// The operation of a problem, whose family has the face `Face`, which is made of `typed`. Throws
  /// InvalidArgument for a problem with a fault: `what` is not made then. What there is has none.
  template <class Face, class Typed>
  std::shared_ptr<Face> operation(const Problem& problem, const Typed& typed,
                                  std::string_view what) {
    const std::lock_guard lock(mutex_);
    auto found = operations_.find(problem);
    if (found == operations_.end()) {
      throw_fault(find_fault(problem), what);
      const OperationParts parts{*device_, configs_, kernels_, settings_};
      found = operations_.emplace(problem, std::make_unique<Face>(parts, typed)).first;
    }
    return {shared_from_this(), static_cast<Face*>(found->second.get())};
  }

  const Device& device() const { return *device_; }

 private:
  /// Finds the operation of a problem among others.
  struct ProblemHash {
    std::size_t operator()(const Problem& problem) const {
      constexpr std::size_t kFactor = 31;
      std::size_t hash = std::hash<const Family*>()(&problem.family());
      for (const Field& field : problem.family().fields()) {
        hash = kFactor * hash + static_cast<std::size_t>(problem.get(field));
      }
      if (problem.custom() == nullptr) return hash;
      return kFactor * hash + std::hash<std::string>()(problem.custom()->hash());
    }
  };

  // In this order: operations use all the rest, and go first.
  std::shared_ptr<Device> device_;
  ConfigLookup configs_;
  const OperationSettings settings_;
  KernelCache kernels_;
  std::mutex mutex_;
  std::unordered_map<Problem, std::unique_ptr<Operation>, ProblemHash> operations_;
};

Context::Context(const ContextOptions& options)
    : Context(open_device(options.device),
              ConfigLookup::open({.database = options.database,
                                  .bundles = options.bundles,
                                  .cache_bytes = options.cache_bytes,
                                  .only_pinned = options.only_pinned},
                                 notify_of(options)),
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

Reducer Context::reducer(const Reduction& problem) {
  // The key of a problem has not all of its operator: not the tolerance.
  if (problem.custom != nullptr) throw_fault(find_fault(Problem(problem)), "a reducer");
  Reduction of_any_count = problem;
  of_any_count.count = 0;
  of_any_count.alignment = Alignment::vector;
  return Reducer(state_->operation<Reducer::State>(of_any_count, of_any_count, "a reducer"));
}

AxisReducer Context::axis_reducer(const AxisReduction& problem) {
  if (problem.row.custom != nullptr) {
    throw_fault(find_fault(Problem(problem)), "a reducer along axes");
  }
  return AxisReducer(
      state_->operation<AxisReducer::State>(problem, problem, "a reducer along axes"));
}

SegmentReducer Context::segment_reducer(const SegmentReduction& problem) {
  if (problem.segment.custom != nullptr) {
    throw_fault(find_fault(Problem(problem)), "a reducer of segments");
  }
  return SegmentReducer(
      state_->operation<SegmentReducer::State>(problem, problem, "a reducer of segments"));
}

Histogram Context::histogram(const HistogramOptions& options) {
  const Problem problem = make_workload(options);
  return Histogram(state_->operation<Histogram::State>(problem, options, "a histogram"));
}

const std::string& Context::device_name() const {
  return state_->device().quick_info().record.name;
}

}  // namespace foldtune
