#include "tuner/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <random>
#include <thread>

#include "foldtune/error.h"
#include "runtime/lookup.h"
#include "templates/embedded.h"
#include "templates/space.h"
#include "tuner/compile_pool.h"
#include "tuner/input_pool.h"
#include "tuner/measure.h"
#include "tuner/search.h"

namespace foldtune {
namespace {

using Clock = std::chrono::steady_clock;

/// Samples of the screening, enough to tell which configurations are worth the final comparison.
constexpr int kScreeningSamples = 2;

/// The best of the screening are timed again, in turns and in random order, so that a drift of the
/// clocks meets them all.
constexpr std::size_t kFinalists = 10;
constexpr int kFinalRounds = 5;
constexpr int kSamplesPerRound = 3;

/// The part of a problem's time that is kept for the final comparison.
constexpr double kFinalShare = 0.2;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A configuration on its way from the search to the measurement.
struct Proposal {
  Params params;
  CompilePool::Compilation compilation;
};

/// Removes and returns a proposal that is compiled; waits for the oldest if there is none.
Proposal take_compiled(std::deque<Proposal>& proposals) {
  auto ready = std::ranges::find_if(proposals, [](const Proposal& proposal) {
    return proposal.compilation.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  if (ready == proposals.end()) ready = proposals.begin();
  Proposal proposal = std::move(*ready);
  proposals.erase(ready);
  return proposal;
}

/// The tuning of one list of problems.
class Tuning {
 public:
  Tuning(Device& device, ConfigStore& store, const TuneOptions& options, TuneObserver& observer)
      : device_(device),
        store_(store),
        options_(options),
        observer_(observer),
        compilations_(device.compiler(), compile_threads(options)) {}

  std::vector<ProblemResult> run() {
    std::vector<ProblemResult> results;
    for (std::size_t i = 0; i < options_.problems.size() && !stop_requested(); ++i) {
      if (auto result = tune_problem(i)) results.push_back(*result);
    }
    return results;
  }

 private:
  static int compile_threads(const TuneOptions& options) {
    if (options.compile_threads > 0) return options.compile_threads;
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }

  bool stop_requested() const { return options_.stop_requested && options_.stop_requested(); }

  /// The pool of the problem's inputs, large enough for all the problems that it serves.
  const InputPool& pool_for(const Problem& problem) {
    if (pool_ == nullptr || !pool_->serves(problem)) {
      Problem largest = problem;
      for (const Problem& other : options_.problems) {
        largest.count =
            std::max(largest.count, InputPool::same_elements(problem, other) ? other.count : 0);
      }
      pool_.reset();  // before the next one takes its memory
      pool_ = std::make_unique<InputPool>(device_, largest, options_.seed);
    }
    return *pool_;
  }

  /// Registers the run at the first problem, when the read bandwidth can be measured.
  void begin_run(const InputPool& pool) {
    if (run_) return;
    read_bandwidth_gbps_ = measure_read_bandwidth(device_, compilations_, pool);
    run_ = store_.begin_run({.device = device_.info().record,
                             .template_fingerprint = template_fingerprint(),
                             .compiler = device_.compiler().version(),
                             .foldtune_version = FOLDTUNE_VERSION,
                             .command = options_.command,
                             .seed = options_.seed,
                             .read_bandwidth_gbps = read_bandwidth_gbps_});
    observer_.on_start(read_bandwidth_gbps_);
  }

  /// The default first, then what is known of this and of near sizes, then what is known to be good
  /// somewhere.
  std::vector<Params> seeds_for(const Problem& problem, const Params& fallback) const {
    const Choice known =
        choose_config(&store_, device_.info().record, device_.compiler().version(), problem);
    std::vector<Params> seeds = rules(family_of(problem.op)).known_good(problem);
    seeds.insert(seeds.begin(), {fallback, known.params});
    return seeds;
  }

  std::optional<ProblemResult> tune_problem(std::size_t index) {
    const Problem& problem = options_.problems[index];
    const double left_s = options_.budget_s - seconds_since(begin_);
    const double share_s = left_s / static_cast<double>(options_.problems.size() - index);
    const double problem_begin_s = seconds_since(begin_);

    const InputPool& pool = pool_for(problem);
    begin_run(pool);
    Measurer measurer(device_, compilations_, pool, problem);
    const int multiprocessors = device_.info().record.multiprocessor_count;
    const Space space(problem);
    const Params fallback = space.default_params(multiprocessors);
    Search search(space, multiprocessors, seeds_for(problem, fallback), options_.seed + index);

    TuneProgress progress{.problem = problem,
                          .problem_index = index,
                          .problem_count = options_.problems.size(),
                          .budget_s = options_.budget_s};
    screen(measurer, search, fallback, problem_begin_s + share_s * (1 - kFinalShare), progress);
    return compare(measurer, search.best(kFinalists), fallback, progress);
  }

  /// Times what the search proposes until `deadline_s`; compiles ahead meanwhile.
  void screen(Measurer& measurer, Search& search, const Params& fallback, double deadline_s,
              TuneProgress& progress) {
    const std::size_t look_ahead = 2 * static_cast<std::size_t>(compilations_.threads());
    std::deque<Proposal> proposals;
    for (;;) {
      while (proposals.size() < look_ahead) {
        const std::optional<Params> params = search.propose();
        if (!params) break;
        proposals.push_back({*params, compilations_.request(make_program(
                                          {.problem = progress.problem, .params = *params}))});
      }
      // The default is measured whatever the budget, so that there is always a result.
      const bool in_time = seconds_since(begin_) < deadline_s || progress.measured == 0;
      if (proposals.empty() || !in_time || stop_requested()) return;

      const Proposal proposal = take_compiled(proposals);
      Candidate candidate = measurer.prepare(proposal.params);
      if (candidate.plan != nullptr) measurer.time(candidate, kScreeningSamples);
      candidate.record.is_default = proposal.params == fallback;
      store_.put(*run_, candidate.record);

      const bool ok = candidate.record.outcome == Outcome::ok;
      const double cost = candidate.record.median_us;
      search.report(proposal.params, ok ? std::optional(cost) : std::nullopt);
      ok ? ++progress.measured : ++progress.failed;
      if (ok && (progress.best_us == 0 || cost < progress.best_us)) progress.best_us = cost;
      progress.elapsed_s = seconds_since(begin_);
      observer_.on_progress(progress);
    }
  }

  /// The final comparison of the finalists and the default.
  std::optional<ProblemResult> compare(Measurer& measurer, std::vector<Params> finalists,
                                       const Params& fallback, const TuneProgress& progress) {
    if (std::ranges::find(finalists, fallback) == finalists.end()) finalists.push_back(fallback);
    std::vector<Candidate> candidates;
    for (const Params& params : finalists) {
      Candidate candidate = measurer.prepare(params);
      candidate.record.is_default = params == fallback;
      candidate.record.round = 1;
      if (candidate.plan != nullptr) candidates.push_back(std::move(candidate));
    }
    std::mt19937_64 random(options_.seed);
    for (int round = 0; round < kFinalRounds && !stop_requested(); ++round) {
      std::ranges::shuffle(candidates, random);
      for (Candidate& candidate : candidates) {
        if (candidate.record.outcome == Outcome::ok) measurer.time(candidate, kSamplesPerRound);
      }
    }

    std::optional<ProblemResult> result;
    double default_us = 0;
    for (const Candidate& candidate : candidates) {
      const MeasurementRecord& record = candidate.record;
      if (record.samples_us.empty()) continue;
      store_.put(*run_, record);
      if (record.outcome != Outcome::ok) continue;
      if (record.is_default) default_us = record.median_us;
      if (result && result->best_us < record.median_us) continue;
      result = ProblemResult{.problem = progress.problem,
                             .best = candidate.plan->variant().params,
                             .best_us = record.median_us,
                             .gbps = static_cast<double>(record.bytes) / record.median_us / 1e3,
                             .measured = progress.measured,
                             .failed = progress.failed};
    }
    if (!result) return std::nullopt;
    result->default_us = default_us;
    if (read_bandwidth_gbps_ > 0) {
      result->read_bandwidth_fraction = result->gbps / read_bandwidth_gbps_;
    }
    observer_.on_result(*result);
    return result;
  }

  Device& device_;
  ConfigStore& store_;
  const TuneOptions& options_;
  TuneObserver& observer_;
  const Clock::time_point begin_ = Clock::now();
  CompilePool compilations_;
  std::unique_ptr<InputPool> pool_;
  std::optional<ConfigStore::RunId> run_;
  double read_bandwidth_gbps_ = 0;
};

}  // namespace

std::vector<ProblemResult> tune(Device& device, ConfigStore& store, const TuneOptions& options,
                                TuneObserver& observer) {
  for (const Problem& problem : options.problems) {
    if (const std::string fault = find_fault(problem); !fault.empty()) {
      throw InvalidArgument(fmt::format("tuning {}: {}", to_string(problem), fault));
    }
  }
  return Tuning(device, store, options, observer).run();
}

}  // namespace foldtune
