#include "tuner/replay/replay_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "foldtune/error.h"
#include "runtime/lookup.h"
#include "tuner/replay/noise.h"

namespace foldtune {
namespace {

/// No noise makes a time shorter than this part of what was recorded.
constexpr double kLeastShare = 0.5;

}  // namespace

ReplayEvaluator::ReplayEvaluator(std::vector<Landscape> landscapes, const ReplayOptions& options)
    : landscapes_(std::move(landscapes)), noise_(options.noise), random_(options.seed) {
  if (landscapes_.empty()) {
    throw InvalidArgument("replaying landscapes: there are none; record some");
  }
  const Landscape& first = landscapes_.front();
  for (const Landscape& landscape : landscapes_) {
    if (landscape.device == first.device && landscape.compiler == first.compiler) continue;
    throw InvalidArgument(
        fmt::format("replaying landscapes: they are of several devices or compilers, {} with {} "
                    "and {} with {}; choose those of one",
                    first.device.name, first.compiler, landscape.device.name, landscape.compiler));
  }
  info_ = {.id = "replay", .record = first.device};
  info_.record.kind = kReplayKind;
}

void ReplayEvaluator::set_problem(const Problem& problem, std::uint64_t) {
  const ProblemKey key = make_problem_key(problem);
  const auto found = std::ranges::find_if(landscapes_, [&](const Landscape& landscape) {
    return landscape.problem.count == problem.count && make_problem_key(landscape.problem) == key;
  });
  if (found == landscapes_.end()) {
    std::string names;
    for (const Landscape& landscape : landscapes_) {
      names += fmt::format("{}{}", names.empty() ? "" : "; ", to_string(landscape.problem));
    }
    throw InvalidArgument(fmt::format("replaying {}: no landscape is of it; there are {}",
                                      to_string(problem), names));
  }
  current_ = &*found;
  points_.clear();
  for (const LandscapePoint& point : current_->points) points_[to_json(point.params)] = &point;
}

MeasurementRecord ReplayEvaluator::evaluate(const Trial& trial) {
  const Problem& problem = current_->problem;
  MeasurementRecord record{.problem = make_problem_key(problem),
                           .count = problem.count,
                           .bytes = problem.input_bytes(),
                           .params = to_json(trial.params)};
  auto found = points_.find(record.params);
  if (found == points_.end()) {
    const Params canonical =
        Space(problem).canonical(trial.params, info_.record.multiprocessor_count);
    found = points_.find(to_json(canonical));
  }
  if (found == points_.end()) {
    record.outcome = Outcome::compile_error;
    record.failure = "the landscape does not hold this configuration";
    return record;
  }
  const LandscapePoint& point = *found->second;
  record.outcome = point.outcome;
  if (point.outcome != Outcome::ok) {
    record.failure = fmt::format("recorded as {}", to_string(point.outcome));
    return record;
  }
  record.compile_ms = current_->compile_ms;
  for (int i = 0; i < std::max(1, trial.samples); ++i) {
    const double deviation = noise_ * point.mad_us * kDeviationPerMad;
    const double noisy =
        point.median_us + (deviation > 0 ? deviation * standard_normal(random_) : 0);
    record.samples_us.push_back(std::max(noisy, kLeastShare * point.median_us));
  }
  std::vector<double> sorted = record.samples_us;
  std::ranges::sort(sorted);
  const std::size_t half = sorted.size() / 2;
  record.median_us = sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  record.mad_us = point.mad_us;
  return record;
}

}  // namespace foldtune
