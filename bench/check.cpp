#include "bench/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

namespace foldtune::bench {
namespace {

std::optional<double> ratio(const Figure* of, const Figure* to) {
  if (of == nullptr || to == nullptr) return std::nullopt;
  return of->median_us / to->median_us;
}

/// Empty where the row lacks a figure.
std::optional<double> read(const Row& row, Quantity quantity) {
  const Figure* const tuned = row.find(kTuned);
  switch (quantity) {
    case Quantity::peer_over_tuned:
      return ratio(row.best_peer(), tuned);
    case Quantity::cub_over_tuned:
      return ratio(row.find(kCub), tuned);
    case Quantity::cublas_over_tuned:
      return ratio(row.find(kCublas), tuned);
    case Quantity::tuned_over_cub:
      return ratio(tuned, row.find(kCub));
    case Quantity::untuned_over_tuned:
      return ratio(row.find(kUntuned), tuned);
    case Quantity::tuned_gbps:
      return tuned == nullptr ? std::nullopt : std::optional(tuned->gbps());
  }
  return std::nullopt;
}

bool is_worse(Bound bound, double a, double b) { return bound == Bound::at_least ? a < b : a > b; }

bool is_met(const Threshold& threshold, double value) {
  return !is_worse(threshold.bound, value, threshold.limit);
}

double geometric_mean(const std::vector<Miss>& values) {
  double sum = 0;
  for (const Miss& one : values) sum += std::log(one.value);
  return std::exp(sum / static_cast<double>(values.size()));
}

Verdict check(const std::vector<Row>& rows, const Threshold& threshold) {
  std::vector<Miss> values;
  for (const Row& row : rows) {
    if (row.cell->manner != threshold.manner || !threshold.applies(*row.cell)) continue;
    const std::optional<double> value = read(row, threshold.quantity);
    if (value) values.push_back({.cell = row.cell, .value = *value});
  }
  Verdict verdict{.threshold = &threshold, .cells = static_cast<int>(values.size()), .misses = {}};
  if (values.empty()) return verdict;
  if (threshold.over == Over::geometric_mean) {
    verdict.value = geometric_mean(values);
  } else {
    std::ranges::stable_sort(values, [&](const Miss& a, const Miss& b) {
      return is_worse(threshold.bound, a.value, b.value);
    });
    verdict.value = values.front().value;
    std::ranges::copy_if(values, std::back_inserter(verdict.misses),
                         [&](const Miss& one) { return !is_met(threshold, one.value); });
  }
  verdict.outcome = is_met(threshold, verdict.value) ? Outcome::met : Outcome::missed;
  return verdict;
}

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::met:
      return "met";
    case Outcome::missed:
      return "MISSED";
    case Outcome::not_measured:
      break;
  }
  return "NOT MEASURED";
}

std::string_view name(Quantity quantity) {
  switch (quantity) {
    case Quantity::peer_over_tuned:
      return "best library/tuned";
    case Quantity::cub_over_tuned:
      return "CUB/tuned";
    case Quantity::cublas_over_tuned:
      return "cuBLAS/tuned";
    case Quantity::tuned_over_cub:
      return "tuned/CUB";
    case Quantity::untuned_over_tuned:
      return "untuned/tuned";
    case Quantity::tuned_gbps:
      break;
  }
  return "GB/s";
}

/// Ratios to three digits after the point, bandwidths to none.
std::string format_value(Quantity quantity, double value) {
  return quantity == Quantity::tuned_gbps ? fmt::format("{:.0f}", value)
                                          : fmt::format("{:.3f}", value);
}

std::string format_line(const Verdict& verdict) {
  const Threshold& threshold = *verdict.threshold;
  const bool is_mean = threshold.over == Over::geometric_mean;
  const std::string wanted = fmt::format("{} {} {}", name(threshold.quantity),
                                         threshold.bound == Bound::at_least ? ">=" : "<=",
                                         format_value(threshold.quantity, threshold.limit));
  std::string line = fmt::format("{:<13} {} ({}): {}{}", name(verdict.outcome), threshold.name,
                                 threshold.manner, wanted, is_mean ? " in geometric mean" : "");
  if (verdict.outcome == Outcome::not_measured) return line;
  return line + fmt::format("; {} {} of {} cells", is_mean ? "is" : "worst",
                            format_value(threshold.quantity, verdict.value), verdict.cells);
}

}  // namespace

std::vector<Verdict> check(const Report& report, std::span<const Threshold> thresholds) {
  std::vector<Row> rows = rows_of(report);
  // Nothing is claimed of them yet.
  std::erase_if(rows, [](const Row& row) { return has_own_shape(*row.cell); });
  std::vector<Verdict> verdicts;
  for (const Threshold& threshold : thresholds) verdicts.push_back(check(rows, threshold));
  return verdicts;
}

bool is_passed(const Report& report, std::span<const Verdict> verdicts) {
  return std::ranges::all_of(verdicts,
                             [](const Verdict& one) { return one.outcome == Outcome::met; }) &&
         std::ranges::none_of(report.faults, &Fault::is_wrong) && report.not_run.empty();
}

std::string format_verdicts(const Report& report, std::span<const Verdict> verdicts) {
  std::string text;
  for (const Verdict& verdict : verdicts) {
    text += format_line(verdict) + '\n';
    for (const Miss& miss : verdict.misses) {
      text +=
          fmt::format("{:<13}   {} {}\n", "", format_value(verdict.threshold->quantity, miss.value),
                      describe(*miss.cell));
    }
  }
  for (const Fault& fault : report.faults) {
    if (!fault.is_wrong) continue;
    text += fmt::format("{:<13} {}, {} ({}): {}\n", "WRONG", fault.contender, describe(fault.cell),
                        fault.cell.manner, fault.reason);
  }
  if (!report.not_run.empty()) {
    text += fmt::format("{:<13} {} cells, for want of time\n", "NOT RUN", report.not_run.size());
  }
  text += is_passed(report, verdicts) ? "check passed" : "check failed";
  return text;
}

}  // namespace foldtune::bench
