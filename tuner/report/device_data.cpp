#include "tuner/report/device_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "cache/field_text.h"
#include "templates/family.h"
#include "tuner/inspect/stored_problem.h"
#include "tuner/inspect/stored_rows.h"
#include "tuner/session/problem_history.h"
#include "tuner/text/format.h"
#include "tuner/text/table.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Such an input is read in a few nanoseconds, so what is measured is the launch.
constexpr std::uint64_t kLaunchBytes = 16 << 10;

/// Reasons of failures that are told; those that happened most often.
constexpr std::size_t kReasons = 200;
constexpr std::size_t kReasonWidth = 400;

auto order_of(const ProblemKey& key) {
  return std::tie(key.family, key.problem, key.layout, key.conditions, key.bucket);
}

struct ByName {
  bool operator()(const ProblemKey& a, const ProblemKey& b) const {
    return order_of(a) < order_of(b);
  }
};

/// The product of the extents; 0 for a text that is no shape.
double elements_of(const MeasurementRecord& m) {
  const Family* const family = find_family(m.problem.family);
  const auto shape = family == nullptr ? std::nullopt : parse_shape(*family, m.shape);
  if (!shape) return 0;
  double elements = 1;
  for (std::size_t i = 0; i < family->extents().size(); ++i) {
    elements *= static_cast<double>((*shape)[i]);
  }
  return elements;
}

/// What problems are grouped by: the value of their first field, such as the operator.
std::string group_of(const ProblemKey& key) {
  const auto words = words_of(key.problem);
  return words && !words->empty() ? std::string(words->front().value) : key.family;
}

OrderedJson or_null(double value) { return value > 0 ? OrderedJson(value) : OrderedJson(); }

/// Five digits are more than a chart shows, and than a screening is worth.
double rounded(double us) {
  constexpr int kDigits = 5;
  const double unit = std::pow(10.0, std::floor(std::log10(us)) + 1 - kDigits);
  return std::stod(fmt::format("{:.{}g}", std::round(us / unit) * unit, kDigits));
}

/// The default's time in the comparison that chose the best, else its best time for the shape.
double find_default_us(const std::vector<const StoredResult*>& rows, const StoredResult& best) {
  if (best.measurement.is_default) return best.measurement.median_us;
  const MeasurementRecord* compared = nullptr;
  const StoredResult* any = nullptr;
  for (const StoredResult* const row : rows) {
    const MeasurementRecord& m = row->measurement;
    if (!m.is_default || m.outcome != Outcome::ok || m.shape != best.measurement.shape) continue;
    if (m.round == kCompared && row->run == best.run) compared = &m;
    if (any == nullptr || is_better(*row, *any)) any = row;
  }
  if (compared != nullptr) return compared->median_us;
  return any != nullptr ? any->measurement.median_us : 0;
}

/// Empty if nothing succeeded.
std::optional<ProblemView> view_problem(const std::vector<const StoredResult*>& rows) {
  ProblemView view;
  for (const StoredResult* const row : rows) {
    const MeasurementRecord& m = row->measurement;
    if (m.outcome != Outcome::ok) continue;
    if (view.best == nullptr || is_better(*row, *view.best)) view.best = row;
  }
  if (view.best == nullptr) return std::nullopt;
  std::vector<const MeasurementRecord*> of_shape;
  for (const StoredResult* const row : rows) {
    if (row->measurement.shape == view.best->measurement.shape) {
      of_shape.push_back(&row->measurement);
    }
  }
  view.default_us = find_default_us(rows, *view.best);
  view.landscape = view_landscape(of_shape);
  return view;
}

std::vector<ProblemView> view_problems(const std::vector<const StoredResult*>& rows) {
  std::map<ProblemKey, std::vector<const StoredResult*>, ByName> of_problem;
  for (const StoredResult* const row : rows) of_problem[row->measurement.problem].push_back(row);
  std::vector<ProblemView> views;
  for (const auto& [key, its_rows] : of_problem) {
    if (auto view = view_problem(its_rows)) views.push_back(std::move(*view));
  }
  return views;
}

std::size_t index_of(ConfigTable& configs, const MeasurementRecord& m) {
  return configs.index_of(m.problem.family, m.params);
}

OrderedJson landscape_json(const ProblemView& problem, ConfigTable& configs) {
  const std::string& family = problem.best->measurement.problem.family;
  OrderedJson indices = OrderedJson::array();
  OrderedJson times = OrderedJson::array();
  OrderedJson failed = OrderedJson::array();
  for (const LandscapeView::Point& point : problem.landscape.points) {
    indices.push_back(configs.index_of(family, *point.params));
    times.push_back(rounded(point.median_us));
  }
  for (const std::string* const params : problem.landscape.failed) {
    failed.push_back(configs.index_of(family, *params));
  }
  return {{"configs", std::move(indices)},
          {"us", std::move(times)},
          {"failed", std::move(failed)},
          {"left_out", problem.landscape.left_out}};
}

OrderedJson best_json(const ProblemView& problem, OperationTable& operations,
                      ConfigTable& configs) {
  const StoredResult& best = *problem.best;
  const MeasurementRecord& m = best.measurement;
  const double peak = best.run.read_bandwidth_gbps;
  return {
      {"operation", operations.index_of(m.problem)},
      {"n", elements_of(m)},
      {"shape", m.shape},
      {"bytes", m.bytes},
      {"us", m.median_us},
      {"gbps", gbps(m)},
      {"percent_of_read_bandwidth", peak > 0 ? OrderedJson(100 * gbps(m) / peak) : OrderedJson()},
      {"default_us", or_null(problem.default_us)},
      {"config", index_of(configs, m)},
      {"measured_at", best.measured_at},
      {"imported_from",
       best.imported_from.empty() ? OrderedJson() : OrderedJson(describe_source(best))},
      {"landscape", landscape_json(problem, configs)}};
}

/// One invocation of the tuner, as far as its measurements are still there.
struct RunView {
  const StoredResult* first = nullptr;
  const StoredResult* last = nullptr;
  std::size_t measurements = 0;
};

/// The rows of a run mostly follow one another, but those of two tuners at once take turns.
std::vector<RunView> view_runs(const std::vector<const StoredResult*>& rows) {
  std::vector<RunView> runs;
  for (const StoredResult* const row : rows) {
    auto found = std::find_if(runs.rbegin(), runs.rend(),
                              [&](const RunView& run) { return run.first->run == row->run; });
    RunView& run = found == runs.rend() ? runs.emplace_back(RunView{.first = row}) : *found;
    run.last = row;
    ++run.measurements;
  }
  return runs;
}

OrderedJson runs_json(const std::vector<RunView>& runs) {
  OrderedJson array = OrderedJson::array();
  for (const RunView& run : runs) {
    const RunRecord& record = run.first->run;
    array.push_back({{"command", record.command},
                     {"foldtune_version", record.foldtune_version},
                     {"read_bandwidth_gbps", or_null(record.read_bandwidth_gbps)},
                     {"first_at", run.first->measured_at},
                     {"last_at", run.last->measured_at},
                     {"measurements", run.measurements}});
  }
  return array;
}

/// Of the newest run that measured it; 0: none did.
double newest_read_bandwidth(const std::vector<RunView>& runs) {
  const auto newest = std::find_if(runs.rbegin(), runs.rend(), [](const RunView& run) {
    return run.first->run.read_bandwidth_gbps > 0;
  });
  return newest == runs.rend() ? 0 : newest->first->run.read_bandwidth_gbps;
}

/// The place of the fastest problem that shows what a launch takes; empty if none is small enough.
std::optional<std::size_t> find_launch_floor(const std::vector<ProblemView>& problems) {
  std::optional<std::size_t> floor;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const MeasurementRecord& m = problems[i].best->measurement;
    if (m.bytes > kLaunchBytes) continue;
    if (!floor || m.median_us < problems[*floor].best->measurement.median_us) floor = i;
  }
  return floor;
}

OrderedJson floor_json(const std::vector<ProblemView>& problems) {
  const std::optional<std::size_t> floor = find_launch_floor(problems);
  if (!floor) return {};
  return {{"us", problems[*floor].best->measurement.median_us}, {"best", *floor}};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text with a '#' for each number, so that "off by 3.5e+07" and "off by 12" are one reason.
std::string without_numbers(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    if (!is_digit(text.front())) {
      result += text.front();
      text.remove_prefix(1);
      continue;
    }
    result += '#';
    while (!text.empty()) {
      const std::size_t glue = text.starts_with("e+") || text.starts_with("e-") ? 2
                               : text.starts_with('.')                          ? 1
                                                                                : 0;
      if (text.size() == glue || !is_digit(text[glue])) break;
      text.remove_prefix(glue + 1);
    }
  }
  return result;
}

/// Failures with one outcome and, but for numbers, one reason.
struct FailureView {
  const StoredResult* newest = nullptr;
  std::size_t times = 0;
  std::set<std::pair<std::size_t, std::string>> problems{};  ///< operations and shapes
  std::set<std::size_t> configs{};
};

/// The most frequent first.
std::vector<FailureView> view_failures(const std::vector<const StoredResult*>& rows,
                                       OperationTable& operations, ConfigTable& configs) {
  std::map<std::pair<Outcome, std::string>, FailureView> by_reason;
  for (const StoredResult* const row : rows) {
    const MeasurementRecord& m = row->measurement;
    if (m.outcome == Outcome::ok) continue;
    FailureView& view = by_reason[{m.outcome, without_numbers(first_line(m.failure))}];
    view.newest = row;
    ++view.times;
    view.problems.emplace(operations.index_of(m.problem), m.shape);
    view.configs.insert(index_of(configs, m));
  }
  std::vector<FailureView> views;
  views.reserve(by_reason.size());
  for (auto& [key, view] : by_reason) views.push_back(std::move(view));
  std::ranges::stable_sort(views, std::greater(), &FailureView::times);
  return views;
}

OrderedJson failures_json(const std::vector<FailureView>& failures, OperationTable& operations,
                          ConfigTable& configs) {
  OrderedJson array = OrderedJson::array();
  for (std::size_t i = 0; i < std::min(failures.size(), kReasons); ++i) {
    const FailureView& failure = failures[i];
    const MeasurementRecord& m = failure.newest->measurement;
    array.push_back({{"outcome", to_string(m.outcome)},
                     {"reason", cut(first_line(m.failure), kReasonWidth)},
                     {"times", failure.times},
                     {"problems", failure.problems.size()},
                     {"configs", failure.configs.size()},
                     {"operation", operations.index_of(m.problem)},
                     {"n", elements_of(m)},
                     {"shape", m.shape},
                     {"config", index_of(configs, m)},
                     {"measured_at", failure.newest->measured_at}});
  }
  return array;
}

std::size_t failed_of(const std::vector<FailureView>& failures) {
  std::size_t failed = 0;
  for (const FailureView& failure : failures) failed += failure.times;
  return failed;
}

}  // namespace

std::size_t OperationTable::index_of(const ProblemKey& key) {
  ProblemKey operation = key;
  operation.bucket.clear();
  const auto found = std::ranges::find(keys_, operation);
  const auto place = static_cast<std::size_t>(found - keys_.begin());
  if (found == keys_.end()) keys_.push_back(std::move(operation));
  return place;
}

OrderedJson OperationTable::to_json() const {
  OrderedJson array = OrderedJson::array();
  for (const ProblemKey& key : keys_) {
    array.push_back({{"label", describe_operation(key)}, {"group", group_of(key)}});
  }
  return array;
}

std::vector<DeviceView> view_devices(const std::vector<StoredResult>& rows) {
  std::map<std::tuple<std::string, std::string, std::string, bool>, DeviceView> by_origin;
  for (const StoredResult& row : rows) {
    by_origin[{row.run.device.fingerprint(), row.run.device.driver, row.run.compiler,
               has_these_kernels(row)}]
        .rows.push_back(&row);
  }
  std::vector<DeviceView> devices;
  devices.reserve(by_origin.size());
  for (auto& [origin, device] : by_origin) devices.push_back(std::move(device));
  std::ranges::stable_sort(devices, std::greater(), [](const DeviceView& device) {
    return std::pair(device.rows.back()->measured_at, device.rows.back()->measurement_id);
  });
  for (DeviceView& device : devices) device.problems = view_problems(device.rows);
  return devices;
}

OrderedJson to_json(const DeviceView& device, OperationTable& operations, ConfigTable& configs) {
  const RunRecord& run = device.rows.back()->run;
  const DeviceRecord& record = run.device;
  const std::vector<RunView> runs = view_runs(device.rows);
  const std::vector<FailureView> failures = view_failures(device.rows, operations, configs);
  OrderedJson bests = OrderedJson::array();
  for (const ProblemView& problem : device.problems) {
    bests.push_back(best_json(problem, operations, configs));
  }
  return {{"name", record.name},
          {"kind", record.kind},
          {"architecture", record.architecture},
          {"multiprocessor_count", record.multiprocessor_count},
          {"memory_bytes", record.memory_bytes},
          {"memory_clock_khz", record.memory_clock_khz},
          {"memory_bus_bits", record.memory_bus_bits},
          {"l2_bytes", record.l2_bytes},
          {"driver", record.driver},
          {"compiler", run.compiler},
          {"has_these_kernels", has_these_kernels(*device.rows.back())},
          {"read_bandwidth_gbps", or_null(newest_read_bandwidth(runs))},
          {"launch_floor", floor_json(device.problems)},
          {"launch_floor_bytes", kLaunchBytes},
          {"measurements", device.rows.size()},
          {"failed", failed_of(failures)},
          {"runs", runs_json(runs)},
          {"bests", std::move(bests)},
          {"failures", failures_json(failures, operations, configs)},
          {"failures_left_out", failures.size() - std::min(failures.size(), kReasons)}};
}

}  // namespace foldtune
