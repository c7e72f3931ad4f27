#include "tuner/comparison.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "tuner/measure.h"
#include "tuner/statistics.h"

namespace foldtune {
namespace {

/// Few in a row, so that rounds are short against the drift of a clock.
constexpr int kSamplesPerRound = 3;

/// Rounds before a finalist may drop out: an interval of fewer samples means little.
constexpr int kRoundsBeforeDropping = 2;

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

}  // namespace foldtune
