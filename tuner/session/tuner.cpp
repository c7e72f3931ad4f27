#include "tuner/session/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "foldtune/error.h"
#include "tuner/measure/compile_pool.h"
#include "tuner/measure/input_pool.h"
#include "tuner/measure/work_queue.h"
#include "tuner/session/problem_tuning.h"

namespace foldtune {
namespace {

using Clock = std::chrono::steady_clock;

/// Problems ahead of those that workers have or will have next. The seeds of those further away are
/// known too little for what is compiled for them to be used.
constexpr std::size_t kPrefetched = 2;

int compile_threads(const TuneOptions& options) {
  if (options.compile_threads > 0) return options.compile_threads;
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

/// The tuning of one list of problems, which the evaluators take one after another.
class Tuning {
 public:
  Tuning(std::span<Evaluator* const> evaluators, ConfigStore& store, const TuneOptions& options,
         TuneObserver& observer)
      : evaluators_(evaluators), store_(store), options_(options), observer_(observer) {
    if (const Compiler* const compiler = evaluators_.front()->compiler()) {
      compilations_ = std::make_unique<CompilePool>(*compiler, compile_threads(options));
    }
  }

  TuneSummary run() {
    if (evaluators_.size() == 1) {
      work(0);
    } else {
      std::vector<std::jthread> threads;
      for (std::size_t worker = 0; worker < evaluators_.size(); ++worker) {
        threads.emplace_back([this, worker] { work_safely(worker); });
      }
    }
    if (failure_) std::rethrow_exception(failure_);
    return summarize();
  }

 private:
  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  /// Problems until none is left.
  void work(std::size_t worker) {
    Evaluator& evaluator = *evaluators_[worker];
    const TuningSession session{
        .options = options_,
        .store = store_,
        .compilations = compilations_.get(),
        .run = [this](const Evaluator& which) -> const Run& { return run_of(which); },
        .report =
            [this](const TuneProgress& progress) {
              const std::lock_guard lock(mutex_);
              observer_.on_progress(progress);
            },
        .report_preparing =
            [this](const Workload& workload, double seconds) {
              const std::lock_guard lock(mutex_);
              observer_.on_preparing(workload, seconds);
            },
        .elapsed_s = [this] { return elapsed_s(); },
        .candidates = [this](const ProblemTask& task) { return candidates_of(task); },
        .prefetch_later = [&] { prefetch_later(worker, session); },
        .prefetch_next =
            [&] {
              if (const auto next = queue_.next(worker)) {
                prefetch_programs(evaluator, session, task_of(*next));
              }
            }};
    bool has_begun = false;            // a problem that took the evaluator's time
    std::optional<Workload> prepared;  // whose inputs the evaluator holds
    while (!stopped()) {
      const std::optional<std::size_t> index = queue_.take(worker);
      if (!index) return;
      ProblemTask task = task_of(*index);
      task.is_first = !has_begun;
      task.has_inputs = prepared && input_bytes(task.workload) <= input_bytes(*prepared) &&
                        InputPool::has_same_inputs(prepared->problem, task.workload.problem);
      if (const auto next = queue_.next(worker)) task.next = options_.workloads[*next];
      ProblemOutcome outcome;
      try {
        outcome = tune_problem(evaluator, session, task);
      } catch (const Unavailable&) {  // A worker's start that was stopped is one, too.
        if (is_asked_to_stop()) return;
        throw;
      }
      has_begun = has_begun || outcome.busy_s > 0;
      if (outcome.prepared && !task.has_inputs) prepared = outcome.prepared;
      const std::lock_guard lock(mutex_);
      candidates_.erase(*index);
      busy_s_ += outcome.busy_s;
      waited_s_ += outcome.waited_s;
      keep(*index, std::move(outcome));
    }
  }

  ProblemTask task_of(std::size_t index) const {
    const Workload& workload = options_.workloads[index];
    return {.workload = workload,
            .largest = largest_like(workload),
            .index = index,
            .is_first = true,
            .has_inputs = false,
            .next = std::nullopt,
            .deadline_s = deadline_s(index)};
  }

  /// The first programs of problems that are nobody's yet, as long as compiler threads would be
  /// idle without them. Each once: when it is somebody's next one, better seeds are known.
  void prefetch_later(std::size_t worker, const TuningSession& session) {
    if (compilations_ == nullptr) return;
    for (const std::size_t index : queue_.coming(worker, kPrefetched)) {
      {
        const std::lock_guard lock(mutex_);
        const bool is_idle =
            compilations_->waiting() < static_cast<std::size_t>(compilations_->threads());
        if (!is_idle) return;
        if (!prefetched_.insert(index).second) continue;
      }
      prefetch_programs(*evaluators_[worker], session, task_of(index));
    }
  }

  std::shared_ptr<const Candidates> candidates_of(const ProblemTask& task) {
    {
      const std::lock_guard lock(mutex_);
      const auto known = candidates_.find(task.index);
      if (known != candidates_.end()) return known->second;
    }
    auto made =
        std::make_shared<const Candidates>(task.workload, evaluators_.front()->info().record);
    const std::lock_guard lock(mutex_);
    return candidates_.emplace(task.index, std::move(made)).first->second;
  }

  void keep(std::size_t index, ProblemOutcome outcome) {
    if (outcome.failure) {
      observer_.on_failure(*outcome.failure);
      failures_[index] = std::move(outcome.failure);
    }
    if (outcome.result) {
      observer_.on_result(*outcome.result);
      results_[index] = std::move(outcome.result);
    }
  }

  void work_safely(std::size_t worker) {
    try {
      work(worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  bool is_asked_to_stop() const { return options_.stop_requested && options_.stop_requested(); }

  bool stopped() {
    if (is_asked_to_stop()) return true;
    const std::lock_guard lock(mutex_);
    return failure_ != nullptr;
  }

  /// Of the problems that can share inputs with this one.
  Workload largest_like(const Workload& workload) const {
    Workload largest = workload;
    for (const Workload& other : options_.workloads) {
      if (input_bytes(other) > input_bytes(largest) &&
          InputPool::has_same_inputs(workload.problem, other.problem)) {
        largest = other;
      }
    }
    return largest;
  }

  /// A problem's time is its share of what is left, so that a slow compilation at the start does
  /// not starve the last ones.
  std::optional<double> deadline_s(std::size_t index) const {
    if (!options_.budget_s) return std::nullopt;
    const auto left = static_cast<double>(options_.workloads.size() - index);
    const auto workers = static_cast<double>(evaluators_.size());
    const double now_s = elapsed_s();
    return now_s + (*options_.budget_s - now_s) * std::min(1.0, workers / left);
  }

  /// Registers the run when the first problem is ready, and the read bandwidth known.
  const Run& run_of(const Evaluator& evaluator) {
    const std::lock_guard lock(mutex_);
    if (run_) return *run_;
    RunRecord record{.device = evaluator.info().record,
                     .compiler = evaluators_.front()->compiler_version(),
                     .foldtune_version = FOLDTUNE_VERSION,
                     .command = options_.command,
                     .seed = options_.seed,
                     .read_bandwidth_gbps = evaluator.read_bandwidth_gbps()};
    const ConfigStore::RunId id = store_.begin_run(record);
    observer_.on_start(evaluator.read_bandwidth_gbps());
    run_ = Run{.id = id, .record = std::move(record)};
    return *run_;
  }

  TuneSummary summarize() {
    TuneSummary summary{.elapsed_s = elapsed_s()};
    for (std::optional<ProblemResult>& result : results_) {
      if (result) summary.results.push_back(std::move(*result));
    }
    for (std::optional<ProblemFailure>& failure : failures_) {
      if (failure) summary.failures.push_back(std::move(*failure));
    }
    const double available_s = summary.elapsed_s * static_cast<double>(evaluators_.size());
    if (available_s > 0) {
      summary.busy_fraction = std::min(1.0, busy_s_ / available_s);
      summary.compiler_wait_fraction = std::min(1.0, waited_s_ / available_s);
    }
    return summary;
  }

  const std::span<Evaluator* const> evaluators_;
  ConfigStore& store_;
  const TuneOptions& options_;
  TuneObserver& observer_;
  const Clock::time_point begin_ = Clock::now();
  std::unique_ptr<CompilePool> compilations_;
  WorkQueue queue_{InputPool::groups(options_.workloads), evaluators_.size()};
  std::mutex mutex_;                  // guards what follows, and the observer
  std::set<std::size_t> prefetched_;  ///< problems that need no first prefetch
  std::map<std::size_t, std::shared_ptr<const Candidates>> candidates_;  ///< of open problems
  std::optional<Run> run_;
  std::vector<std::optional<ProblemResult>> results_{options_.workloads.size()};
  std::vector<std::optional<ProblemFailure>> failures_{options_.workloads.size()};
  double busy_s_ = 0;
  double waited_s_ = 0;  ///< for the compiler
  std::exception_ptr failure_;
};

}  // namespace

TuneSummary tune(std::span<Evaluator* const> evaluators, ConfigStore& store,
                 const TuneOptions& options, TuneObserver& observer) {
  if (evaluators.empty()) throw InvalidArgument("tuning: no device was given");
  for (const Workload& workload : options.workloads) {
    if (const std::string fault = find_fault(workload); !fault.empty()) {
      throw InvalidArgument(fmt::format("tuning {}: {}", to_string(workload), fault));
    }
  }
  return Tuning(evaluators, store, options, observer).run();
}

}  // namespace foldtune
