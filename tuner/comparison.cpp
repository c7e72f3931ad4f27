#include "tuner/comparison.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <utility>

#include "runtime/variant.h"
#include "tuner/measure.h"
#include "tuner/statistics.h"

namespace foldtune {
namespace {

/// Few in a row, so that rounds are short against the drift of a clock.
constexpr int kSamplesPerRound = 3;

/// Rounds before a finalist may drop out: an interval of fewer samples means little.
constexpr int kRoundsBeforeDropping = 2;

constexpr int kCompleteSamples = 3;

/// About as fast in a graph: what a clear gain in a stream is worth there.
constexpr double kEqualWithin = 0.02;

/// What it is worth in a graph if a value that is waited for need not be copied to the host: it is
/// there some 10 us earlier.
constexpr double kShownWithin = 0.05;
constexpr double kShownWithinUs = 2;

/// Of one that seems clearly slower in a stream than another.
constexpr int kRetrials = 2;

/// Others of a kind that are timed completely.
constexpr std::size_t kMostOthers = 4;

bool was_measured(const Finalist& finalist) {
  return finalist.record.outcome == Outcome::ok && !finalist.record.samples_us.empty();
}

std::optional<std::size_t> fastest(const std::vector<Finalist>& finalists) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    if (!was_measured(finalists[i])) continue;
    if (!best || finalists[i].record.median_us < finalists[*best].record.median_us) best = i;
  }
  return best;
}

void drop_slower(std::vector<Finalist>& finalists) {
  const std::optional<std::size_t> best = fastest(finalists);
  if (!best) return;
  for (Finalist& finalist : finalists) {
    if (finalist.is_out || !was_measured(finalist)) continue;
    finalist.is_out = is_faster(finalists[*best].record.samples_us, finalist.record.samples_us);
  }
}

void time(Evaluator& evaluator, Finalist& finalist) {
  const MeasurementRecord record = evaluator.evaluate({.params = finalist.params,
                                                       .compiled = finalist.compiled,
                                                       .timing = Timing::comparison,
                                                       .samples = kSamplesPerRound});
  const bool is_first = finalist.record.samples_us.empty();
  finalist.record = is_first ? record : merge(std::move(finalist.record), record);
  finalist.is_out = record.outcome != Outcome::ok;
}

void time_completely(Evaluator& evaluator, Finalist& finalist) {
  const MeasurementRecord record = evaluator.evaluate({.params = finalist.params,
                                                       .compiled = finalist.compiled,
                                                       .timing = Timing::complete,
                                                       .samples = kCompleteSamples});
  if (record.outcome != Outcome::ok) return;  // what the comparison measured of it stays
  finalist.record = merge(std::move(finalist.record), record);
}

bool is_clearly_less(double stream_us, double than_us) {
  return stream_us > 0 && stream_us < 0.95 * than_us;  // 0: not measured
}

/// A few that were measured, take `most_us` at most and are of the kind, the fastest first.
std::vector<std::size_t> find_within(const std::vector<Finalist>& finalists, double most_us,
                                     const std::function<bool(const Finalist&)>& is_of_kind) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    const bool is_fast = was_measured(finalists[i]) && finalists[i].record.median_us <= most_us;
    if (is_fast && is_of_kind(finalists[i])) found.push_back(i);
  }
  std::ranges::stable_sort(found, {}, [&](std::size_t i) { return finalists[i].record.median_us; });
  if (found.size() > kMostOthers) found.resize(kMostOthers);
  return found;
}

/// The chosen one, or one that is about as fast and clearly faster in a stream.
std::size_t prefer_in_stream(Evaluator& evaluator, std::vector<Finalist>& finalists,
                             std::size_t chosen) {
  const std::vector<std::size_t> equals =
      find_within(finalists, finalists[chosen].record.median_us * (1 + kEqualWithin),
                  [&](const Finalist& finalist) { return &finalist != &finalists[chosen]; });
  time_completely(evaluator, finalists[chosen]);
  std::size_t kept = chosen;
  double least_us = finalists[kept].record.stream_us;
  for (const std::size_t i : equals) {
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
std::size_t prefer_shown(Evaluator& evaluator, std::vector<Finalist>& finalists, std::size_t kept) {
  if (shows_result(finalists[kept].params)) return kept;
  const MeasurementRecord& record = finalists[kept].record;
  const double most_us =
      record.median_us + std::min(kShownWithin * record.median_us, kShownWithinUs);
  for (const std::size_t i : find_within(finalists, most_us, [](const Finalist& finalist) {
         return shows_result(finalist.params);
       })) {
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
      if (options.stop_requested && options.stop_requested()) return;
      if (!finalists[i].is_out) time(evaluator, finalists[i]);
    }
    if (round >= kRoundsBeforeDropping) drop_slower(finalists);
    if (std::ranges::count(finalists, false, &Finalist::is_out) <= 1) return;
  }
}

std::optional<std::size_t> choose(const std::vector<Finalist>& finalists,
                                  std::optional<std::size_t> incumbent) {
  const std::optional<std::size_t> best = fastest(finalists);
  if (!best || !incumbent || !was_measured(finalists[*incumbent])) return best;
  const bool is_better =
      is_faster(finalists[*best].record.samples_us, finalists[*incumbent].record.samples_us);
  return is_better ? best : incumbent;
}

std::size_t settle(Evaluator& evaluator, std::vector<Finalist>& finalists, std::size_t chosen) {
  return prefer_shown(evaluator, finalists, prefer_in_stream(evaluator, finalists, chosen));
}

}  // namespace foldtune
