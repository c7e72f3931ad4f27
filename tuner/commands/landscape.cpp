// foldtune landscape: how the configurations of a problem compare.
#include "tuner/exchange/landscape.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/error.h"
#include "runtime/lookup/lookup.h"
#include "templates/fingerprint.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/files_read.h"
#include "tuner/commands/options.h"
#include "tuner/commands/problem_selection.h"
#include "tuner/exchange/kernel_tuner.h"
#include "tuner/files/output_file.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/inspect/stored_rows.h"
#include "tuner/measure/statistics.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"
#include "tuner/text/table.h"

namespace foldtune {
namespace {

struct LandscapeArguments {
  ProblemSelection selection;
  std::string kernel_tuner;
};

/// What is near the optimum is counted within these.
constexpr double kNear[] = {0.01, 0.02, 0.05, 0.1};

/// The times of all that succeeded, in ascending order.
std::vector<double> sorted_times(const Landscape& landscape) {
  std::vector<double> times;
  for (const LandscapePoint& point : landscape.points) {
    if (point.outcome == Outcome::ok) times.push_back(point.median_us);
  }
  std::ranges::sort(times);
  return times;
}

/// How many are at most so much slower than the fastest, itself included.
std::ptrdiff_t count_near(const std::vector<double>& times, const LandscapePoint& best,
                          double near) {
  return std::ranges::upper_bound(times, best.median_us * (1 + near)) - times.begin();
}

void print_heading(const Landscape& landscape) {
  print_to(
      stdout, "{} on {}{}{}\n", to_string(landscape.workload),
      describe_origin(landscape.device, landscape.compiler),
      is_of_these_kernels(landscape.template_fingerprint) ? "" : ", other kernels than those here",
      landscape.imported_from.empty() ? "" : ", imported from " + landscape.imported_from);
  std::map<Outcome, int> counts;
  for (const LandscapePoint& point : landscape.points) ++counts[point.outcome];
  std::string outcomes;
  for (const auto& [outcome, count] : counts) {
    outcomes += fmt::format("{}{} {}", outcomes.empty() ? "" : ", ", count, to_string(outcome));
  }
  print_to(stdout, "{}: {}\n", format_count(landscape.points.size(), "configuration"), outcomes);
}

/// The configuration that is used untuned; null if it was not recorded, or failed.
const LandscapePoint* find_default(const Landscape& landscape) {
  const int multiprocessors = landscape.device.multiprocessor_count;
  const Space space(landscape.workload);
  const Config params = space.canonical(space.default_params(multiprocessors), multiprocessors);
  for (const LandscapePoint& point : landscape.points) {
    if (point.params == params) return point.outcome == Outcome::ok ? &point : nullptr;
  }
  return nullptr;
}

void print_spread(const Landscape& landscape, const LandscapePoint& best) {
  const double bytes = static_cast<double>(input_bytes(landscape.workload));
  const double gbps = bytes / best.median_us / 1e3;
  print_to(stdout, "\nfastest  {:>10}  {}  ({} GB/s", format_us(best.median_us),
           format_config(best.params), format_number(gbps));
  if (landscape.read_bandwidth_gbps > 0) {
    print_to(stdout, ", {}% of the read bandwidth",
             format_percent(gbps / landscape.read_bandwidth_gbps));
  }
  print_to(stdout, ")\n");
  if (const LandscapePoint* const untuned = find_default(landscape)) {
    print_to(stdout, "untuned  {:>10}  {}  ({:.2f} times the fastest)\n",
             format_us(untuned->median_us), format_config(untuned->params),
             untuned->median_us / best.median_us);
  }
  const std::vector<double> times = sorted_times(landscape);
  print_to(stdout, "median   {:>10}  {:.2f} times the fastest\n", format_us(median(times)),
           median(times) / best.median_us);
  print_to(stdout, "slowest  {:>10}  {:.2f} times the fastest\n", format_us(times.back()),
           times.back() / best.median_us);
  for (const double near : kNear) {
    const auto count = count_near(times, best, near);
    print_to(stdout, "{}{} within {:.0f}%", near == kNear[0] ? "" : ", ", count, 100 * near);
  }
  print_to(stdout, " of the fastest\n");
}

/// How fast the best configuration with each value of a tunable is, in times of the fastest of all.
struct TunableWorth {
  std::string name;
  std::vector<std::pair<std::string, double>> values;
};

/// Of the tunables that had more than one value.
std::vector<TunableWorth> worth_of_tunables(const Landscape& landscape,
                                            const LandscapePoint& best) {
  std::vector<TunableWorth> result;
  for (const Tunable& tunable : landscape.workload.problem.family().tunables()) {
    std::map<int, double> times;
    for (const LandscapePoint& point : landscape.points) {
      if (point.outcome != Outcome::ok) continue;
      const auto [place, is_new] = times.emplace(point.params.get(tunable), point.median_us);
      if (!is_new) place->second = std::min(place->second, point.median_us);
    }
    if (times.size() < 2) continue;
    TunableWorth& worth = result.emplace_back();
    worth.name = tunable.name;
    for (const auto& [value, time] : times) {
      worth.values.emplace_back(tunable.labels.empty()
                                    ? fmt::to_string(value)
                                    : std::string(tunable.labels[static_cast<std::size_t>(value)]),
                                time / best.median_us);
    }
  }
  return result;
}

void print_values(const Landscape& landscape, const LandscapePoint& best) {
  Table table({{"tunable"}, {"fastest with each value, in times of the fastest of all"}});
  for (const TunableWorth& worth : worth_of_tunables(landscape, best)) {
    std::string cell;
    for (const auto& [value, ratio] : worth.values) {
      cell += fmt::format("{}{} {:.2f}", cell.empty() ? "" : "  ", value, ratio);
    }
    table.add_row({worth.name, cell});
  }
  if (!table.empty()) print_to(stdout, "\n{}", Lines{table.to_string(terminal_width(stdout))});
  print_to(stdout, "\nconfig: {}\n", config_legend(landscape.workload.problem.family()));
}

/// Now, as every Python reads it.
std::string python_time() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}+00:00", fmt::gmtime(std::time(nullptr)));
}

void print_landscape(const Landscape& landscape) {
  print_heading(landscape);
  if (const LandscapePoint* const best = find_optimum(landscape)) {
    print_spread(landscape, *best);
    print_values(landscape, *best);
  }
}

using OrderedJson = nlohmann::ordered_json;

OrderedJson point_json(const LandscapePoint& point) {
  return {{"median_us", point.median_us},
          {"config", OrderedJson::parse(foldtune::to_json(point.params))}};
}

/// What is told only where something succeeded.
void add_spread(OrderedJson& json, const Landscape& landscape, const LandscapePoint& best) {
  const double gbps = static_cast<double>(input_bytes(landscape.workload)) / best.median_us / 1e3;
  const double peak = landscape.read_bandwidth_gbps;
  const LandscapePoint* const untuned = find_default(landscape);
  const std::vector<double> times = sorted_times(landscape);
  json["fastest"] = point_json(best);
  json["bandwidth_gbps"] = gbps;
  json["read_bandwidth_fraction"] = peak > 0 ? OrderedJson(gbps / peak) : OrderedJson();
  json["untuned"] = untuned != nullptr ? point_json(*untuned) : OrderedJson();
  json["median_us"] = median(times);
  json["slowest_us"] = times.back();
  json["near_fastest"] = OrderedJson::array();
  for (const double near : kNear) {
    json["near_fastest"].push_back({{"within", near}, {"count", count_near(times, best, near)}});
  }
  json["tunables"] = OrderedJson::object();
  for (const TunableWorth& worth : worth_of_tunables(landscape, best)) {
    for (const auto& [value, ratio] : worth.values) json["tunables"][worth.name][value] = ratio;
  }
}

OrderedJson to_json(const Landscape& landscape) {
  const std::string& source = landscape.imported_from;
  OrderedJson json = workload_json(landscape.workload);
  json.update(origin_json(landscape.device, landscape.compiler));
  json["template_fingerprint"] = landscape.template_fingerprint;
  json["has_these_kernels"] = is_of_these_kernels(landscape.template_fingerprint);
  json["imported_from"] = source.empty() ? OrderedJson() : OrderedJson(source);
  json["configurations"] = landscape.points.size();
  json["outcomes"] = OrderedJson::object();
  for (const LandscapePoint& point : landscape.points) {
    OrderedJson& count = json["outcomes"][to_string(point.outcome)];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  if (const LandscapePoint* const best = find_optimum(landscape))
    add_spread(json, landscape, *best);
  return json;
}

/// A result of each device, of any driver, compiler and kernels: the newest, imported ones last.
std::vector<StoredResult> newest_by_device(const std::vector<StoredResult>& results) {
  std::vector<StoredResult> newest;
  for (const StoredResult& row : results) {
    const auto found = std::ranges::find_if(newest, [&](const StoredResult& other) {
      return is_same_device(other.run.device, row.run.device);
    });
    if (found == newest.end()) {
      newest.push_back(row);
    } else if (!is_preferred(*found, row)) {
      *found = row;
    }
  }
  return newest;
}

/// Everything that was tried where, and with what, `result` was measured.
Landscape landscape_around(const ConfigStore& store, const StoredResult& result,
                           Workload workload) {
  if (const auto shape = parse_shape(workload.problem.family(), result.measurement.shape)) {
    workload.shape = *shape;
  }
  std::vector<MeasurementRecord> records;
  for (StoredResult& row : store.measurements_of(tuning_key(result.run, result.measurement))) {
    if (row.imported_from == result.imported_from) records.push_back(std::move(row.measurement));
  }
  Landscape landscape = make_landscape(result.run, workload, records);
  landscape.imported_from = result.imported_from;
  return landscape;
}

/// One for each device. Says so where there is none, in text, and throws if there has to be one.
std::vector<Landscape> stored_landscapes(const ProblemSelection& selection, bool must_exist) {
  const Workload workload = selected_workload(selection);
  const std::string path = database_path(selection.database);
  const std::unique_ptr<const ConfigStore> store = open_sqlite_store(path, OpenMode::read_only);
  std::vector<StoredResult> results = select_device(store->best(), selection);
  const bool has_results = !results.empty();
  const ProblemKey key = make_problem_key(workload);
  std::erase_if(results, [&](const StoredResult& row) { return row.measurement.problem != key; });
  std::vector<Landscape> landscapes;
  for (const StoredResult& result : newest_by_device(results)) {
    landscapes.push_back(landscape_around(*store, result, workload));
    if (landscapes.back().points.empty()) landscapes.pop_back();  // which a note says
  }
  if (landscapes.empty() && must_exist) {
    throw InvalidArgument(
        fmt::format("nothing was measured of {}, so there is nothing to write; `foldtune show` "
                    "lists what was",
                    to_string(workload)));
  }
  if (selection.json || (landscapes.empty() && !results.empty())) return landscapes;
  if (!has_results) {
    print_to(stdout, "{} holds no results yet; `foldtune tune` makes some\n", path);
  } else if (landscapes.empty()) {
    print_to(stdout, "nothing was measured of {}; `foldtune show` lists what was\n",
             to_string(workload));
  }
  return landscapes;
}

void write_kernel_tuner(const Landscape& landscape, const std::string& path,
                        const std::vector<std::string>& read) {
  OutputFile file(path, "cache file of Kernel Tuner", read);
  file.write(to_kernel_tuner_cache(landscape, python_time()));
  file.commit();
}

void print_json(const std::vector<Landscape>& landscapes, const std::string& kernel_tuner) {
  OrderedJson array = OrderedJson::array();
  for (const Landscape& landscape : landscapes) {
    array.push_back(to_json(landscape));
    if (!kernel_tuner.empty()) array.back()["kernel_tuner"] = kernel_tuner;
  }
  print_indented(array);
}

void print_text(const std::vector<Landscape>& landscapes) {
  for (const Landscape& landscape : landscapes) {
    if (&landscape != &landscapes.front()) print_to(stdout, "\n");
    print_landscape(landscape);
  }
}

ExitCode run_landscape(const LandscapeArguments& arguments, const std::vector<std::string>& read) {
  const std::string& kernel_tuner = arguments.kernel_tuner;
  const bool as_json = arguments.selection.json;
  require_place_for_json(as_json, kernel_tuner, "the cache file", "--kernel-tuner");
  const std::vector<Landscape> landscapes =
      stored_landscapes(arguments.selection, !kernel_tuner.empty());
  if (!kernel_tuner.empty() && landscapes.size() > 1) {
    throw InvalidArgument("--kernel-tuner writes one landscape: choose the device with --device");
  }
  if (!kernel_tuner.empty() && landscapes.size() == 1) {
    write_kernel_tuner(landscapes.front(), kernel_tuner, read);
    // Where the summary would have no place beside it.
    if (is_standard_output(kernel_tuner)) return ExitCode::ok;
    if (!as_json) print_to(stderr, "wrote {}\n", kernel_tuner);
  }
  if (as_json) {
    print_json(landscapes, kernel_tuner);
  } else {
    print_text(landscapes);
  }
  return ExitCode::ok;
}

}  // namespace

Action prepare_landscape(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<LandscapeArguments>();
  add_problem_selection(app, arguments->selection);
  app.add_option(
         "--kernel-tuner", arguments->kernel_tuner,
         "Write it as a cache file of Kernel Tuner, for its simulation mode; - for stdout alone")
      ->type_name(kFileToWrite);
  app.add_flag("--json", arguments->selection.json,
               "Print JSON: an array with an object for each device");
  app.footer(
      "Summarises what was measured of a problem: the fastest configuration, how far the others "
      "are from\nit, and what each tunable is worth; for each device what its newest result is of, "
      "imported\nones last."
      "\n\nExamples:\n"
      "  foldtune landscape --op sum --type f32 --n 2^20 --device h200\n"
      "  foldtune tune --n 2^24 --effort exhaustive && foldtune landscape --n 2^24 --kernel-tuner "
      "sum.json");
  return [arguments, &app] { return run_landscape(*arguments, files_read(app)); };
}

}  // namespace foldtune
