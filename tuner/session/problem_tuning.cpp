#include "tuner/session/problem_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <future>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "foldtune/error.h"
#include "runtime/lookup/lookup.h"
#include "templates/family.h"
#include "tuner/measure/comparison.h"
#include "tuner/measure/input_pool.h"
#include "tuner/measure/measure.h"
#include "tuner/measure/statistics.h"
#include "tuner/measure/trial_record.h"
#include "tuner/search/search.h"
#include "tuner/session/problem_history.h"

namespace foldtune {
namespace {

/// The part of a problem's time that is kept for the final comparison.
constexpr double kFinalShare = 0.2;

/// What preparing a problem may take beyond the budget: as much as a measurement.
constexpr double kPreparationSlackS = 1;

/// Preparations that are announced.
constexpr double kTellFromS = 2;

/// Rounds of a comparison that are worth having: before the last of them nothing drops out.
constexpr int kAffordableRounds = 3;

/// What takes no longer than this is timed for the other end of its bucket, too, in so many rounds.
constexpr double kServesWithin = 1.1;
constexpr int kRoundsForOtherEnd = 6;

/// Configurations compiled or waiting for it, per thread: enough to keep the device busy, and so
/// few that the search knows most of the results. Without results to wait for, enough for whole
/// batches.
constexpr int kLookAhead = 1;
constexpr int kLookAheadOfAll = 24;
constexpr int kLeastLookAhead = 4;

/// Best configurations of other problems that are tried.
constexpr std::size_t kSeeds = 6;

/// A configuration on its way from the search to the device.
struct Compiling {
  Config params;
  std::optional<CompilePool::Compilation> compilation{};  ///< empty where none is needed
  const MeasurementRecord* known = nullptr;               ///< what the store knows of it
};

/// As searches propose it, among the configurations that launch the same work.
Config canonical_default(const Space& space, int multiprocessor_count) {
  return space.canonical(space.default_params(multiprocessor_count), multiprocessor_count);
}

struct Scored {
  double cost_us;
  Config params;
};

class ProblemTuning {
 public:
  ProblemTuning(Evaluator& evaluator, const TuningSession& session, const ProblemTask& task)
      : evaluator_(evaluator),
        session_(session),
        task_(task),
        workload_(task.workload),
        largest_(task.largest),
        key_(make_tuning_key(evaluator.info().record, evaluator.compiler_version(), workload_)),
        history_(session.store, key_, workload_, session.options.resume),
        space_(workload_),
        limits_(limits_of(session.options.effort)),
        fallback_(canonical_default(space_, evaluator.info().record.multiprocessor_count)),
        in_use_(canonical(find_in_use(session.store, key_, workload_))),
        looked_up_(*canonical(choose_config(&session.store, evaluator.info().record,
                                            evaluator.compiler_version(), workload_)
                                  .params)),
        begin_s_(session.elapsed_s()),
        progress_{.workload = workload_,
                  .problem_index = task.index,
                  .problem_count = session.options.workloads.size(),
                  .budget_s = session.options.budget_s.value_or(0)} {
    if (session.options.max_evaluations) limits_.evaluations = *session.options.max_evaluations;
    if (session.options.only) {
      limits_.search = "exhaustive";  // which begins with the seeds, and gets no further
      limits_.evaluations = static_cast<int>(seeds().size());
    }
  }

  void prefetch() const {
    if (session_.compilations == nullptr || !space_.contains(fallback_) || is_done()) return;
    const std::unique_ptr<Search> search = begin_search();
    for (std::size_t i = 0; i < look_ahead() && may_propose(i); ++i) {
      const std::optional<Config> params = search->propose();
      if (!params) return;
      if (history_.find(*params) == nullptr) begin(*params, CompilePool::Urgency::later);
    }
  }

  ProblemOutcome run() {
    // Families find that fault of a workload themselves; what is not valid is never run.
    if (!space_.contains(fallback_)) return {.failure = without_default()};
    if (is_done()) return {.result = stored_result()};
    if (!task_.is_first && left_of_budget_s() == 0) return {.failure = not_begun()};
    if (auto failure = plan_preparation()) return {.failure = std::move(failure)};
    search_ = begin_search();
    fill();  // compiled while the inputs are made
    if (session_.compilations != nullptr) session_.compilations->drop_later();
    const double begin_s = session_.elapsed_s();
    auto failure = set_workload(workload_);
    busy_s_ += session_.elapsed_s() - begin_s;
    if (failure) {
      if (stop_requested()) failure.reset();  // which may be all that is wrong with it
      return {.failure = std::move(failure), .busy_s = busy_s_};
    }
    if (task_.next) evaluator_.announce(*task_.next);
    run_ = &session_.run(evaluator_);
    screen();
    session_.prefetch_next();
    std::optional<ProblemResult> result = compare();
    if (!result && !stop_requested()) failure = unfinished();
    return {.result = std::move(result),
            .failure = std::move(failure),
            .busy_s = busy_s_,
            .waited_s = waited_s_,
            .prepared = largest_};
  }

 private:
  ProblemFailure without_default() const {
    return {.workload = workload_,
            .reason = fmt::format("its untuned default is not valid: {}", to_json(fallback_))};
  }

  ProblemFailure not_begun() const {
    return {.workload = workload_,
            .reason =
                "not begun, since the budget was over: give a larger one, or choose fewer "
                "problems; the same command goes on from what is stored"};
  }

  std::optional<Config> canonical(const std::optional<Config>& params) const {
    if (!params) return std::nullopt;
    return space_.canonical(*params, evaluator_.info().record.multiprocessor_count);
  }

  bool fits_memory(const Workload& largest) const {
    const DeviceInfo& device = evaluator_.info();
    return device.memory_bytes == 0 || InputPool::bytes_for(device, largest) <= device.memory_bytes;
  }

  /// The inputs are made for larger problems, too, if there is memory and time for that. A failure
  /// where there is no time for this one: a budget is not spent on what cannot be measured any
  /// more. What does not fit the memory takes none: making it fails at once.
  std::optional<ProblemFailure> plan_preparation() {
    if (!fits_memory(largest_)) largest_ = workload_;
    if (!fits_memory(largest_)) return std::nullopt;
    const auto estimate = [&](const Workload* largest) {
      return session_.options.estimate_preparation_s(evaluator_.info(), workload_, largest);
    };
    double needed_s = estimate(task_.has_inputs ? nullptr : &largest_);
    const double left_s = left_of_budget_s() + kPreparationSlackS;
    if (needed_s > left_s && !task_.has_inputs && largest_ != workload_) {
      largest_ = workload_;
      needed_s = estimate(&largest_);
    }
    if (needed_s > left_s) {
      return ProblemFailure{
          .workload = workload_,
          .reason = fmt::format("to make its inputs and the result to expect would take about "
                                "{:.0f} s on this host, and the budget leaves {:.1f} s: give more "
                                "time, or choose a smaller one",
                                needed_s, left_of_budget_s())};
    }
    if (needed_s >= kTellFromS) session_.report_preparing(workload_, needed_s);
    return std::nullopt;
  }

  /// Of all problems together; infinite without a budget.
  double left_of_budget_s() const {
    if (!session_.options.budget_s) return std::numeric_limits<double>::infinity();
    return std::max(0.0, *session_.options.budget_s - session_.elapsed_s());
  }

  /// Of this problem.
  double left_s() const {
    if (!task_.deadline_s) return std::numeric_limits<double>::infinity();
    return std::max(0.0, *task_.deadline_s - session_.elapsed_s());
  }

  bool is_over() const { return left_s() == 0; }

  /// Failures of the problem itself. Without the evaluator's device nothing can be tuned.
  std::optional<ProblemFailure> set_workload(const Workload& workload) {
    try {
      evaluator_.limit_preparation(left_of_budget_s());
      is_ready_ = false;
      evaluator_.set_workload(workload, largest_);
      is_ready_ = true;
      return std::nullopt;
    } catch (const DeviceError& error) {
      return ProblemFailure{.workload = workload_, .reason = error.what()};
    } catch (const CompileError& error) {
      return ProblemFailure{.workload = workload_, .reason = error.what()};
    } catch (const std::logic_error& error) {  // of the family, or of its judge
      return ProblemFailure{.workload = workload_, .reason = error.what()};
    }
  }

  /// Whether an earlier run chose, with at least this effort.
  bool is_done() const {
    if (!session_.options.resume || history_.chosen() == nullptr) return false;
    const auto known = static_cast<int>(history_.size());
    return (limits_.evaluations > 0 && known >= limits_.evaluations) ||
           known >= distinct_configurations(
                        workload_, evaluator_.info().record.multiprocessor_count, known + 1);
  }

  ProblemResult stored_result() const {
    ProblemResult result = summarize(*history_.chosen(), history_.fallback());
    result.known = static_cast<int>(history_.size());
    result.failed = static_cast<int>(history_.failed());
    result.measured = result.known - result.failed;
    return result;
  }

  /// `fallback` is of what is used untuned, and may be null.
  ProblemResult summarize(const MeasurementRecord& best, const MeasurementRecord* fallback) const {
    ProblemResult result{.workload = workload_,
                         .best = config_from_json(workload_.problem.family(), best.params),
                         .best_us = best.median_us,
                         .mad_us = best.mad_us,
                         .gbps = static_cast<double>(best.bytes) / best.median_us / 1e3};
    if (const double read_gbps = evaluator_.read_bandwidth_gbps(); read_gbps > 0) {
      result.read_bandwidth_fraction = result.gbps / read_gbps;
    }
    if (fallback != nullptr && fallback->outcome == Outcome::ok && fallback->median_us > 0) {
      result.default_us = fallback->median_us;
      result.gain = best.is_default ? Ratio{} : time_ratio(*fallback, best);
    }
    return result;
  }

  /// What is used now first, so that nothing replaces it untried, and the default; then what is
  /// known of this and of other problems, then what is known to be good somewhere.
  std::vector<Config> seeds() const {
    std::vector<Config> seeds = {in_use_.value_or(fallback_)};
    const auto add = [&](const Config& params) {
      if (space_.contains(params) && std::ranges::find(seeds, params) == seeds.end()) {
        seeds.push_back(params);
      }
    };
    add(fallback_);
    if (session_.options.only) {
      const int multiprocessors = evaluator_.info().record.multiprocessor_count;
      for (const Config& params : session_.options.only(workload_)) {
        if (space_.contains(params)) add(space_.canonical(params, multiprocessors));
      }
      return seeds;
    }
    if (const auto chosen = history_.chosen_params()) add(*chosen);
    add(looked_up_);
    for (const Config& params : history_.imported()) add(params);
    for (const Config& params : seeds_of_others(session_.store, key_, workload_, kSeeds)) {
      add(params);
    }
    for (const Config& params : workload_.problem.family().known_good(workload_)) add(params);
    return seeds;
  }

  Compiling begin(const Config& params,
                  CompilePool::Urgency urgency = CompilePool::Urgency::now) const {
    if (session_.compilations == nullptr) return {.params = params};
    return {.params = params,
            .compilation = session_.compilations->request(
                make_program({.workload = workload_, .params = params}), urgency)};
  }

  /// False if that takes longer than the budget leaves, or the tuning is to stop. The first trial
  /// has a limit of its own, so that there is a result.
  bool await(const Compiling& compiling) {
    if (!compiling.compilation) return true;
    const bool is_first = evaluations() == 0;
    const double begin_s = session_.elapsed_s();
    const bool is_ready =
        wait_for(*compiling.compilation, is_first ? session_.options.first_compile_s : left_s());
    waited_s_ += session_.elapsed_s() - begin_s;
    if (is_ready || !is_first || stop_requested()) return is_ready;
    throw CompileError(fmt::format(
        "tuning {}: compiling its first configuration with {} did not end within {:.0f} s; see "
        "whether this compiler works",
        to_string(workload_), evaluator_.compiler_version(), session_.options.first_compile_s));
  }

  bool wait_for(const CompilePool::Compilation& compilation, double max_s) const {
    constexpr double kStopCheckS = 0.05;
    const double end_s = session_.elapsed_s() + max_s;
    for (;;) {
      const double left_s = std::max(0.0, end_s - session_.elapsed_s());
      const std::chrono::duration<double> pause(std::min(left_s, kStopCheckS));
      if (compilation.wait_for(pause) == std::future_status::ready) return true;
      if (left_s <= kStopCheckS || stop_requested()) return false;
    }
  }

  /// Compiles, or takes the compilation, and tries. What goes wrong is in the record.
  MeasurementRecord evaluate(const Compiling& compiling) {
    Trial trial{.params = compiling.params,
                .compiled = {},
                .timing = Timing::screening,
                .left_s = left_s()};
    try {
      if (compiling.compilation) trial.compiled = compiling.compilation->get();
    } catch (const CompileError& error) {
      return failed_trial(workload_, trial, Outcome::compile_error, error.what());
    }
    const double begin_s = session_.elapsed_s();
    MeasurementRecord record = evaluator_.evaluate(trial);
    busy_s_ += session_.elapsed_s() - begin_s;
    return record;
  }

  bool stop_requested() const {
    return session_.options.stop_requested && session_.options.stop_requested();
  }

  int evaluations() const { return progress_.measured + progress_.failed; }

  bool may_propose(std::size_t in_flight) const {
    return limits_.evaluations == 0 ||
           evaluations() + static_cast<int>(in_flight) < limits_.evaluations;
  }

  /// The first is tried whatever the budget, so that there is a result.
  bool is_in_time() const {
    if (evaluations() == 0 || !task_.deadline_s) return true;
    const double share_s = *task_.deadline_s - begin_s_;
    return session_.elapsed_s() < begin_s_ + share_s * (1 - kFinalShare);
  }

  std::unique_ptr<Search> begin_search() const {
    const std::optional<std::string>& chosen = session_.options.search;
    return make_search(chosen ? *chosen : limits_.search, session_.candidates(task_), seeds(),
                       session_.options.seed + task_.index);
  }

  /// How many proposals are in flight.
  std::size_t look_ahead() const {
    const int threads = session_.compilations == nullptr ? 0 : session_.compilations->threads();
    const int ahead = limits_.evaluations == 0 ? kLookAheadOfAll : kLookAhead;
    return static_cast<std::size_t>(std::max(kLeastLookAhead, ahead * threads));
  }

  void screen() {
    bool has_all = false;
    for (;;) {
      const bool is_exhausted = !fill();
      if (!has_all && !may_propose(in_flight_.size())) {
        has_all = true;
        session_.prefetch_later();
      }
      if (in_flight_.empty() && is_exhausted) return;
      if (!is_in_time() || stop_requested()) return;
      // In the order of the proposals, whichever is compiled first: so the same costs give the same
      // proposals, also when some of the costs were measured by an earlier run.
      const Compiling next = std::move(in_flight_.front());
      in_flight_.pop_front();
      if (next.known != nullptr) {
        ++known_used_;
        take(next.params, *next.known);
        continue;
      }
      if (!await(next)) return;
      MeasurementRecord record = evaluate(next);
      // With more time it may have ended: that is not known of it.
      if (record.outcome == Outcome::timeout && is_over()) {
        unfinished_ = record.failure;
        return;
      }
      record.round = kScreened;
      record.is_default = next.params == fallback_;
      keep(record);
      take(next.params, record);
    }
  }

  /// Of a problem of which nothing is known but that the time was over before its first trial.
  std::optional<ProblemFailure> unfinished() const {
    if (!unfinished_ || evaluations() > 0) return std::nullopt;
    return ProblemFailure{
        .workload = workload_,
        .reason = fmt::format("its first configuration, {}, {}, since the budget leaves no more. "
                              "Nothing was stored; if it ends at all, a larger budget helps",
                              in_use_ ? "what is used now" : "the untuned default", *unfinished_)};
  }

  /// Proposals until enough are in flight. False if nothing is left to propose.
  bool fill() {
    while (in_flight_.size() < look_ahead() && may_propose(in_flight_.size())) {
      const std::optional<Config> params = search_->propose();
      if (!params) return false;
      const MeasurementRecord* const known = history_.find(*params);
      in_flight_.push_back(known == nullptr ? begin(*params)
                                            : Compiling{.params = *params, .known = known});
    }
    return !in_flight_.empty();
  }

  void take(const Config& params, const MeasurementRecord& record) {
    const bool ok = record.outcome == Outcome::ok;
    search_->report(params, ok ? std::optional(record.median_us) : std::nullopt);
    ok ? ++progress_.measured : ++progress_.failed;
    if (!ok) failed_.insert(to_json(params));
    if (ok) {
      scored_.push_back({record.median_us, params});
      if (params == fallback_) screened_default_ = record;
      if (params == in_use_) screened_in_use_ = record;
      if (!screened_best_ || record.median_us < screened_best_->median_us) screened_best_ = record;
      if (progress_.best_us == 0 || record.median_us < progress_.best_us) {
        progress_.best_us = record.median_us;
      }
    }
    progress_.elapsed_s = session_.elapsed_s();
    session_.report(progress_);
  }

  bool is_known_to_fail(const Config& params) const {
    const MeasurementRecord* const known = history_.find(params);
    return failed_.contains(to_json(params)) || (known != nullptr && known->outcome != Outcome::ok);
  }

  /// The best of the screening, the default and what was chosen before. One of them stores its
  /// result once, if any does: `break_ties` may prefer it.
  std::vector<Config> finalists() {
    std::ranges::stable_sort(scored_, {}, &Scored::cost_us);
    std::vector<Config> result;
    const auto add = [&](const Config& params) {
      const bool is_there = std::ranges::find(result, params) != result.end();
      if (!is_there && !is_known_to_fail(params)) result.push_back(params);
    };
    // What was asked for is compared, all of it; of a search's tries the best.
    const std::size_t most = session_.options.only ? scored_.size() : affordable_finalists();
    for (const Scored& scored : scored_) {
      if (result.size() >= most) break;
      add(scored.params);
    }
    if (std::ranges::none_of(result, stores_result_once)) {
      const auto shown = std::ranges::find_if(scored_, stores_result_once, &Scored::params);
      if (shown != scored_.end()) add(shown->params);
    }
    add(fallback_);
    if (!session_.options.only) add(looked_up_);
    if (in_use_) add(*in_use_);
    if (const auto chosen = history_.chosen_params()) add(*chosen);
    return result;
  }

  /// So many that some rounds are finished in what is left of the problem's time.
  std::size_t affordable_finalists() const {
    const double trials_s =
        evaluations() > known_used_ ? busy_s_ / (evaluations() - known_used_) : 0;
    if (!std::isfinite(left_s()) || trials_s <= 0) return limits_.finalists;
    const double most = left_s() / (trials_s * kAffordableRounds);
    return most < static_cast<double>(limits_.finalists)
               ? static_cast<std::size_t>(std::max(1.0, most))
               : limits_.finalists;
  }

  std::optional<ProblemResult> compare() {
    std::vector<Compiling> compiling;
    for (const Config& params : finalists()) compiling.push_back(begin(params));
    std::vector<Finalist> candidates;
    for (const Compiling& one : compiling) {
      Finalist finalist{.params = one.params, .compiled = {}, .stays = is_incumbent(one.params)};
      if (!await(one)) continue;
      try {
        if (one.compilation) finalist.compiled = one.compilation->get();
      } catch (const CompileError&) {
        continue;  // its failure is stored
      }
      candidates.push_back(std::move(finalist));
    }
    const double begin_s = session_.elapsed_s();
    const auto must_stop = [this] { return stop_requested() || is_over(); };
    foldtune::compare(evaluator_, candidates,
                      {.rounds = limits_.rounds,
                       .seed = session_.options.seed + task_.index,
                       .stop_requested = must_stop,
                       .left_s = [this] { return left_s(); }});
    const std::optional<std::size_t> chosen = choose(candidates, incumbent(candidates));
    if (stop_requested()) return std::nullopt;
    if (!chosen) return keep_screened();
    const std::vector<Finalist> there = compare_at_other_end(candidates, *chosen, must_stop);
    const std::size_t serving =
        there.empty() ? *chosen
                      : choose_for_both(candidates, there, *chosen, incumbent(candidates));
    const std::size_t kept = break_ties(evaluator_, candidates, there, serving,
                                        [&] { return must_stop() || !is_ready_; });
    busy_s_ += session_.elapsed_s() - begin_s;
    return keep(candidates, kept);
  }

  /// The workload of the smallest shape of the bucket, where this one is of the largest: its result
  /// serves all between. Empty where it was asked for a shape within the bucket, or where inputs
  /// come from memory: there what is best hardly changes within a bucket.
  std::optional<Workload> other_end() const {
    const Family& family = workload_.problem.family();
    const Bucket bucket = bucket_of(workload_);
    Workload end = workload_;
    end.shape = family.min_shape(bucket);
    const bool is_between = workload_.shape != family.max_shape(bucket) || end == workload_;
    const auto l2_bytes = static_cast<std::uint64_t>(evaluator_.info().record.l2_bytes);
    if (is_between || input_bytes(workload_) > l2_bytes || session_.options.only) return {};
    return find_fault(end).empty() ? std::optional(end) : std::nullopt;
  }

  /// The finalists that are about as fast as the chosen one, timed at the bucket's other end, at
  /// their places; the others are out. Empty if nothing is to be chosen there.
  std::vector<Finalist> compare_at_other_end(const std::vector<Finalist>& candidates,
                                             std::size_t chosen,
                                             const std::function<bool()>& must_stop) {
    const std::optional<Workload> end = other_end();
    if (!end || must_stop()) return {};
    const std::optional<std::size_t> incumbent = this->incumbent(candidates);
    std::vector<Finalist> there;
    for (const Finalist& candidate : candidates) {
      const double ratio = ratio_of(candidate, candidates[chosen]);
      const bool is_incumbent = incumbent && &candidate == &candidates[*incumbent];
      there.push_back({.params = candidate.params,
                       .compiled = candidate.compiled,
                       .stays = true,
                       .is_out = ratio == 0 || (ratio > kServesWithin && !is_incumbent)});
    }
    if (std::ranges::count(there, false, &Finalist::is_out) < 2) return {};
    if (!set_workload(*end)) {
      foldtune::compare(evaluator_, there,
                        {.rounds = std::min(limits_.rounds, kRoundsForOtherEnd),
                         .seed = session_.options.seed + task_.index,
                         .stop_requested = must_stop,
                         .left_s = [this] { return left_s(); }});
    }
    set_workload(workload_);  // where the time is over, or it is to stop, what is measured remains
    return there;
  }

  /// Whoever measures knows nothing of where it is kept. A lack of memory is no property of the
  /// configuration: the next run tries it again.
  void keep(MeasurementRecord record) {
    if (record.outcome == Outcome::out_of_memory) return;
    record.template_fingerprint = key_.template_fingerprint;
    session_.store.put(run_->id, record);
  }

  /// For this count, else for another one of its bucket, or with another driver or compiler.
  std::optional<Config> chosen_before() const {
    return history_.chosen_params() ? history_.chosen_params() : in_use_;
  }

  /// What is used untuned, or was chosen before: it has to be beaten.
  bool is_incumbent(const Config& params) const {
    return params == fallback_ || (session_.options.resume && params == chosen_before());
  }

  /// Without a comparison nothing speaks for a change: what is used now stays, else the default;
  /// where that fails, the best of the screening.
  std::optional<ProblemResult> keep_screened() {
    if (session_.options.resume && history_.chosen() != nullptr) return with_tries(stored_result());
    std::optional<MeasurementRecord> record = screened_in_use_;
    if (!record) record = screened_default_ ? screened_default_ : screened_best_;
    if (!record) return std::nullopt;
    record->round = history_.next_round();
    keep(*record);
    ProblemResult result =
        with_tries(summarize(*record, screened_default_ ? &*screened_default_ : nullptr));
    if (!record->is_default) result.gain.reset();  // they were not timed in turns
    return result;
  }

  ProblemResult with_tries(ProblemResult result) const {
    result.measured = progress_.measured;
    result.failed = progress_.failed;
    result.known = known_used_;
    return result;
  }

  /// What was chosen before, else the default; empty if it does not take part.
  std::optional<std::size_t> incumbent(const std::vector<Finalist>& candidates) const {
    const std::optional<Config> chosen = session_.options.resume ? chosen_before() : std::nullopt;
    const Config params = chosen.value_or(fallback_);
    const auto found = std::ranges::find(candidates, params, &Finalist::params);
    if (found == candidates.end()) return std::nullopt;
    return static_cast<std::size_t>(found - candidates.begin());
  }

  ProblemResult keep(std::vector<Finalist>& candidates, std::size_t chosen) {
    Finalist& winner = candidates[chosen];
    // What is chosen comes first: whenever this ends, the store has it or nothing of the
    // comparison.
    winner.record.round = history_.next_round();
    put(winner);
    const MeasurementRecord* fallback = nullptr;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      // Of a round that was cut short nothing is left.
      const MeasurementRecord& record = candidates[i].record;
      const bool is_empty = record.outcome == Outcome::ok && record.samples_us.empty();
      if (candidates[i].params == fallback_) fallback = &record;
      if (i == chosen || record.params.empty() || is_empty) continue;
      candidates[i].record.round = kCompared;
      put(candidates[i]);
    }
    return with_tries(summarize(winner.record, fallback));
  }

  void put(Finalist& finalist) {
    finalist.record.is_default = finalist.params == fallback_;
    keep(finalist.record);
  }

  Evaluator& evaluator_;
  const TuningSession& session_;
  const ProblemTask& task_;
  const Workload& workload_;
  Workload largest_;  ///< that the inputs are made for
  const TuningKey key_;
  const ProblemHistory history_;
  const Space space_;
  EffortLimits limits_;
  const Config fallback_;
  const std::optional<Config> in_use_;  ///< chosen for the bucket, and used by programs until now
  const Config looked_up_;  ///< what programs use now, also of other buckets and problems
  const double begin_s_;
  const Run* run_ = nullptr;
  bool is_ready_ = false;  ///< the evaluator has the workload that was set last
  TuneProgress progress_;
  int known_used_ = 0;
  std::unique_ptr<Search> search_;
  std::deque<Compiling> in_flight_;  ///< proposed, and not yet tried
  std::vector<Scored> scored_;
  std::optional<MeasurementRecord> screened_default_;
  std::optional<MeasurementRecord> screened_in_use_;
  std::optional<MeasurementRecord> screened_best_;
  std::optional<std::string> unfinished_;  ///< how the trial ended that the budget cut short
  std::set<std::string> failed_;           ///< by the params' JSON
  double busy_s_ = 0;
  double waited_s_ = 0;  ///< for the compiler
};

}  // namespace

ProblemOutcome tune_problem(Evaluator& evaluator, const TuningSession& session,
                            const ProblemTask& task) {
  return ProblemTuning(evaluator, session, task).run();
}

void prefetch_programs(Evaluator& evaluator, const TuningSession& session,
                       const ProblemTask& task) {
  ProblemTuning(evaluator, session, task).prefetch();
}

}  // namespace foldtune
