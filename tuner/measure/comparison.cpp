#include "tuner/measure/comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <utility>

#include "templates/family.h"
#include "tuner/measure/measure.h"

namespace foldtune {
namespace {

/// Few in a row, so that rounds are short against the drift of a clock.
constexpr int kSamplesPerRound = 3;

/// Rounds before a finalist may drop out: fewer turns than that may all have met other work.
constexpr int kRoundsBeforeDropping = 3;

/// Rounds before the comparison may end early against one that stays, which is what a gain is told
/// from.
constexpr int kRoundsBeforeDeciding = 6;

constexpr int kCompleteSamples = 3;

/// About as fast in a graph: what a clear gain in a stream is worth there.
constexpr double kEqualWithin = 0.02;

/// What it is worth in a graph if a value that is waited for need not be copied to the host: it is
/// there some 10 us earlier.
constexpr double kStoredOnceWithin = 0.05;
constexpr double kStoredOnceWithinUs = 2;

/// Of one that seems clearly slower in a stream than another.
constexpr int kRetrials = 2;

/// Others of a kind that are timed completely.
constexpr std::size_t kMostOthers = 4;

bool was_measured(const Finalist& finalist) {
  return finalist.record.outcome == Outcome::ok && !finalist.record.samples_us.empty();
}

/// Of those that are not out, which have as many turns each.
std::optional<std::size_t> fastest(const std::vector<Finalist>& finalists) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    if (!was_measured(finalists[i]) || finalists[i].is_out) continue;
    if (!best || finalists[i].record.median_us < finalists[*best].record.median_us) best = i;
  }
  return best;
}

/// Returns whether only the best is left.
bool drop_slower(std::vector<Finalist>& finalists) {
  const std::optional<std::size_t> best = fastest(finalists);
  if (!best) return true;
  bool is_decided = true;
  for (Finalist& finalist : finalists) {
    if (finalist.is_out || &finalist == &finalists[*best]) continue;
    const bool is_slower = is_clearly_faster(finalists[*best], finalist);
    if (is_slower && !finalist.stays) finalist.is_out = true;
    is_decided = is_decided && is_slower;
  }
  return is_decided;
}

void set_samples(MeasurementRecord& record, std::vector<double> samples_us) {
  record.samples_us = std::move(samples_us);
  record.median_us = median(record.samples_us);
  record.mad_us = median_absolute_deviation(record.samples_us);
}

/// False if there was no time for all of its samples.
bool time(Evaluator& evaluator, Finalist& finalist, const ComparisonOptions& options) {
  Trial trial{.params = finalist.params,
              .compiled = finalist.compiled,
              .timing = Timing::comparison,
              .samples = kSamplesPerRound};
  if (options.left_s) trial.left_s = options.left_s();
  const MeasurementRecord record = evaluator.evaluate(trial);
  const bool is_over = options.stop_requested && options.stop_requested();
  if (record.outcome == Outcome::timeout && is_over) return false;  // it may have ended in time
  const bool is_first = finalist.record.samples_us.empty();
  finalist.record = is_first ? record : merge(std::move(finalist.record), record);
  finalist.is_out = record.outcome != Outcome::ok;
  if (!finalist.is_out) finalist.turns_us.push_back(median(record.samples_us));
  return finalist.is_out || record.samples_us.size() == kSamplesPerRound;
}

/// Of a round that was not finished nothing stays, so that all have as many samples.
void drop_turns_after(int rounds, std::vector<Finalist>& finalists) {
  for (Finalist& finalist : finalists) {
    const auto turns = static_cast<std::size_t>(rounds);
    if (finalist.is_out || finalist.turns_us.size() <= turns) continue;
    finalist.turns_us.resize(turns);
    std::vector<double> samples = std::move(finalist.record.samples_us);
    samples.resize(std::min(samples.size(), turns * std::size_t{kSamplesPerRound}));
    set_samples(finalist.record, std::move(samples));
  }
}

/// Its samples stay those of the comparison, of which the others have as many.
void time_completely(Evaluator& evaluator, Finalist& finalist) {
  const MeasurementRecord record = evaluator.evaluate({.params = finalist.params,
                                                       .compiled = finalist.compiled,
                                                       .timing = Timing::complete,
                                                       .samples = kCompleteSamples});
  if (record.outcome != Outcome::ok) return;  // what the comparison measured of it stays
  std::vector<double> compared = finalist.record.samples_us;
  finalist.record = merge(std::move(finalist.record), record);
  set_samples(finalist.record, std::move(compared));
}

bool is_clearly_less(double stream_us, double than_us) {
  return stream_us > 0 && stream_us < 0.95 * than_us;  // 0: not measured
}

/// The turns of `here` that both took part in, and then those of `there`.
std::vector<double> turns_of_both(const Finalist& here, const Finalist& there,
                                  std::size_t rounds_here, std::size_t rounds_there) {
  std::vector<double> turns(here.turns_us.begin(),
                            here.turns_us.begin() + static_cast<std::ptrdiff_t>(rounds_here));
  turns.insert(turns.end(), there.turns_us.begin(),
               there.turns_us.begin() + static_cast<std::ptrdiff_t>(rounds_there));
  return turns;
}

/// Finalists, and the same of another shape, or nothing.
struct Compared {
  std::vector<Finalist>& here;
  const std::vector<Finalist>& there;

  /// Whether one takes at most `most` times as long as the chosen one, wherever they were compared.
  bool is_within(std::size_t i, std::size_t chosen, double most) const {
    const auto is_near = [&](const std::vector<Finalist>& all) {
      const double ratio = was_measured(all[i]) ? ratio_of(all[i], all[chosen]) : 0;
      return ratio > 0 && ratio <= most;
    };
    return is_near(here) && (there.empty() || !was_measured(there[chosen]) || is_near(there));
  }
};

/// A few that take at most `most` times as long as the chosen one and are of the kind, the fastest
/// first. They may be out: what is a percent slower for sure is so, too.
std::vector<std::size_t> find_within(const Compared& finalists, std::size_t chosen, double most,
                                     const std::function<bool(const Finalist&)>& is_of_kind) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < finalists.here.size(); ++i) {
    if (finalists.is_within(i, chosen, most) && is_of_kind(finalists.here[i])) found.push_back(i);
  }
  std::ranges::stable_sort(found, {}, [&](std::size_t i) {
    return ratio_of(finalists.here[i], finalists.here[chosen]);
  });
  if (found.size() > kMostOthers) found.resize(kMostOthers);
  return found;
}

/// The chosen one, or one that is about as fast and clearly faster in a stream.
std::size_t prefer_in_stream(Evaluator& evaluator, const Compared& compared, std::size_t chosen,
                             const std::function<bool()>& is_over) {
  std::vector<Finalist>& finalists = compared.here;
  const std::vector<std::size_t> equals =
      find_within(compared, chosen, 1 + kEqualWithin,
                  [&](const Finalist& finalist) { return &finalist != &finalists[chosen]; });
  time_completely(evaluator, finalists[chosen]);
  std::size_t kept = chosen;
  double least_us = finalists[kept].record.stream_us;
  for (const std::size_t i : equals) {
    if (is_over()) break;
    time_completely(evaluator, finalists[i]);
    const double stream_us = finalists[i].record.stream_us;
    // What disturbs the host only adds, and may have met the one kept so far alone.
    for (int again = 0; again < kRetrials && is_clearly_less(stream_us, least_us); ++again) {
      time_completely(evaluator, finalists[kept]);
      least_us = std::min(least_us, finalists[kept].record.stream_us);
    }
    if (!is_clearly_less(stream_us, least_us)) continue;
    kept = i;
    least_us = stream_us;
  }
  return kept;
}

/// The one kept so far; in the place of one that ends in atomics, one that stores its result once
/// and is nearly as fast.
std::size_t prefer_stored_once(Evaluator& evaluator, const Compared& compared, std::size_t kept,
                               const std::function<bool()>& is_over) {
  std::vector<Finalist>& finalists = compared.here;
  if (stores_result_once(finalists[kept].params)) return kept;
  const MeasurementRecord& record = finalists[kept].record;
  const double most = 1 + std::min(kStoredOnceWithin, kStoredOnceWithinUs / record.median_us);
  for (const std::size_t i : find_within(compared, kept, most, [](const Finalist& finalist) {
         return stores_result_once(finalist.params);
       })) {
    if (is_over()) break;
    time_completely(evaluator, finalists[i]);
    if (!is_clearly_less(record.stream_us, finalists[i].record.stream_us)) return i;
  }
  return kept;
}

}  // namespace

void compare(Evaluator& evaluator, std::vector<Finalist>& finalists,
             const ComparisonOptions& options) {
  std::mt19937_64 random(options.seed);
  std::vector<std::size_t> order(finalists.size());
  std::iota(order.begin(), order.end(), 0);
  for (int round = 1; round <= options.rounds; ++round) {
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
      if (finalists[i].is_out) continue;
      const bool is_over = options.stop_requested && options.stop_requested();
      if (is_over || !time(evaluator, finalists[i], options)) {
        return drop_turns_after(round - 1, finalists);
      }
    }
    const bool may_drop = round >= kRoundsBeforeDropping;
    const bool is_decided = may_drop && drop_slower(finalists);
    if (is_decided && round >= kRoundsBeforeDeciding) return;
    if (std::ranges::count(finalists, false, &Finalist::is_out) <= 1) return;
  }
}

bool has_interval(const MeasurementRecord& record) {
  return record.outcome == Outcome::ok &&
         record.samples_us.size() >= static_cast<std::size_t>(StopRule{}.at_least);
}

Ratio time_ratio(const MeasurementRecord& record, const MeasurementRecord& other) {
  if (has_interval(record) && has_interval(other)) {
    // Those that dropped out have the first rounds alone.
    const std::size_t both = std::min(record.samples_us.size(), other.samples_us.size());
    return ratio_of_medians(std::span(record.samples_us).first(both),
                            std::span(other.samples_us).first(both));
  }
  const double ratio = record.median_us / other.median_us;
  return {ratio, ratio, ratio};
}

bool is_clearly_faster(const Finalist& a, const Finalist& b) {
  const std::size_t rounds = std::min(a.turns_us.size(), b.turns_us.size());
  const auto of_a = std::span(a.turns_us).first(rounds);
  const auto of_b = std::span(b.turns_us).first(rounds);
  // Other work only adds: in its best turn, too, the faster one is faster.
  return is_faster(of_a, of_b) && std::ranges::min(of_a) < std::ranges::min(of_b);
}

std::optional<std::size_t> choose(const std::vector<Finalist>& finalists,
                                  std::optional<std::size_t> incumbent) {
  const std::optional<std::size_t> best = fastest(finalists);
  if (!best || !incumbent || !was_measured(finalists[*incumbent])) return best;
  return is_clearly_faster(finalists[*best], finalists[*incumbent]) ? best : incumbent;
}

double ratio_of(const Finalist& a, const Finalist& b) {
  const auto rounds = static_cast<std::ptrdiff_t>(std::min(a.turns_us.size(), b.turns_us.size()));
  if (rounds == 0) return 0;
  return median({a.turns_us.begin(), a.turns_us.begin() + rounds}) /
         median({b.turns_us.begin(), b.turns_us.begin() + rounds});
}

std::size_t choose_for_both(const std::vector<Finalist>& here, const std::vector<Finalist>& there,
                            std::size_t chosen, std::optional<std::size_t> incumbent) {
  if (!was_measured(there[chosen])) return chosen;
  const auto cost = [&](std::size_t i) {
    const bool is_timed = was_measured(here[i]) && was_measured(there[i]);
    const double both =
        is_timed ? ratio_of(here[i], here[chosen]) * ratio_of(there[i], there[chosen]) : 0;
    return both > 0 ? both : std::numeric_limits<double>::infinity();
  };
  std::size_t best = chosen;
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (cost(i) < cost(best)) best = i;
  }
  if (!incumbent || best == *incumbent || std::isinf(cost(*incumbent))) return best;
  const auto joined = [&](std::size_t i) {
    const auto rounds = [&](const std::vector<Finalist>& all) {
      return std::min(all[best].turns_us.size(), all[*incumbent].turns_us.size());
    };
    return Finalist{.params = here[i].params,
                    .compiled = nullptr,
                    .turns_us = turns_of_both(here[i], there[i], rounds(here), rounds(there))};
  };
  return is_clearly_faster(joined(best), joined(*incumbent)) ? best : *incumbent;
}

std::size_t break_ties(Evaluator& evaluator, std::vector<Finalist>& finalists,
                       const std::vector<Finalist>& there, std::size_t chosen,
                       const std::function<bool()>& stop_requested) {
  const auto is_over = [&] { return stop_requested && stop_requested(); };
  if (is_over()) return chosen;
  const Compared compared{.here = finalists, .there = there};
  const std::size_t kept = prefer_in_stream(evaluator, compared, chosen, is_over);
  return is_over() ? kept : prefer_stored_once(evaluator, compared, kept, is_over);
}

}  // namespace foldtune
