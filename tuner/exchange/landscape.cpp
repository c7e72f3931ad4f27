#include "tuner/exchange/landscape.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "cache/notice.h"
#include "runtime/lookup/lookup.h"
#include "tuner/session/problem_history.h"
#include "tuner/text/format.h"

namespace foldtune {
namespace {

/// Of an odd number of values the middle one, else the upper of the two.
double upper_median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

LandscapePoint make_point(const Config& params, const MeasurementRecord& record) {
  const bool is_ok = record.outcome == Outcome::ok;
  return {.params = params, .outcome = record.outcome, .median_us = is_ok ? record.median_us : 0};
}

/// The values of the tunables, which order configurations as the space does.
std::vector<int> values_of(const Config& params) {
  std::vector<int> values;
  for (const Tunable& tunable : params.family().tunables()) {
    values.push_back(params.get(tunable));
  }
  return values;
}

}  // namespace

Landscape make_landscape(const RunRecord& run, const Workload& workload,
                         const std::vector<MeasurementRecord>& records) {
  const Family& family = workload.problem.family();
  const ProblemKey key = make_problem_key(workload);
  const std::string shape = to_text(family, workload.shape);
  std::map<std::vector<int>, const MeasurementRecord*> chosen;
  std::vector<double> compile_ms;
  std::size_t measured = 0;
  std::size_t left_out = 0;
  for (const MeasurementRecord& record : records) {
    if (record.problem != key || record.shape != shape) continue;
    ++measured;
    const std::optional<Config> params = read_params(workload, record.params);
    if (!params) {
      ++left_out;
      continue;
    }
    const MeasurementRecord*& place = chosen[values_of(*params)];
    if (place == nullptr || record.round <= place->round) place = &record;
  }
  Landscape landscape{.device = run.device,
                      .compiler = run.compiler,
                      .template_fingerprint = {},
                      .read_bandwidth_gbps = run.read_bandwidth_gbps,
                      .workload = workload,
                      .points = {}};
  for (const auto& [values, record] : chosen) {
    const Config params = config_from_json(family, record->params);
    landscape.points.push_back(make_point(params, *record));
    landscape.template_fingerprint = record->template_fingerprint;
    if (record->compile_ms > 0) compile_ms.push_back(record->compile_ms);
  }
  if (left_out > 0) {
    note_once(fmt::format(
        "{} of {} of {} on {} left out, since the configuration is none that "
        "this Foldtune knows; foldtune show --all lists them",
        left_out, format_count(measured, "measurement"), to_string(workload), run.device.name));
  }
  landscape.compile_ms = upper_median(std::move(compile_ms));
  return landscape;
}

const LandscapePoint* find_optimum(const Landscape& landscape) {
  const LandscapePoint* best = nullptr;
  for (const LandscapePoint& point : landscape.points) {
    if (point.outcome != Outcome::ok) continue;
    if (best == nullptr || point.median_us < best->median_us) best = &point;
  }
  return best;
}

}  // namespace foldtune
