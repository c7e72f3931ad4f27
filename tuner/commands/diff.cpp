// foldtune diff: the best results of two databases beside each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cache/config_store.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/commands/row_filter.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/inspect/stored_problem.h"
#include "tuner/inspect/stored_rows.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"
#include "tuner/text/table.h"

namespace foldtune {
namespace {

struct DiffArguments {
  std::string a;
  std::string b;
  RowFilter filter;
  bool json = false;
};

/// What the databases hold of one problem on one device; at least one of them does.
struct Pair {
  std::optional<StoredResult> a{};
  std::optional<StoredResult> b{};

  const StoredResult& any() const { return a ? *a : *b; }
  bool is_whole() const { return a && b; }
  /// The time in B over that in A; for a whole pair.
  double ratio() const { return b->measurement.median_us / a->measurement.median_us; }
  bool has_same_config() const { return a->measurement.params == b->measurement.params; }
};

/// Whatever the driver, the compiler and the kernels.
bool is_same_problem(const StoredResult& a, const StoredResult& b) {
  return is_same_device(a.run.device, b.run.device) &&
         a.measurement.problem == b.measurement.problem &&
         a.measurement.shape == b.measurement.shape;
}

/// Puts the row into its pair. Of several in one database, such as those of two drivers, the newest
/// stays.
void add(std::vector<Pair>& pairs, const StoredResult& row,
         std::optional<StoredResult> Pair::*side) {
  auto pair = std::ranges::find_if(
      pairs, [&](const Pair& other) { return is_same_problem(other.any(), row); });
  if (pair == pairs.end()) pair = pairs.insert(pairs.end(), Pair{});
  std::optional<StoredResult>& place = (*pair).*side;
  if (!place || !is_preferred(*place, row)) place = row;
}

std::vector<StoredResult> read_best(const std::string& path, const RowFilter& filter) {
  return select(open_sqlite_store(path, OpenMode::read_only)->best(), filter);
}

std::vector<Pair> make_pairs(const DiffArguments& arguments) {
  select({}, arguments.filter);  // before the files are looked for, the names are checked
  std::vector<Pair> pairs;
  for (const StoredResult& row : read_best(arguments.a, arguments.filter)) {
    add(pairs, row, &Pair::a);
  }
  for (const StoredResult& row : read_best(arguments.b, arguments.filter)) {
    add(pairs, row, &Pair::b);
  }
  return pairs;
}

/// "driver 580.1, nvrtc 13.0", each once.
std::string describe_origins(const std::vector<Pair>& pairs,
                             std::optional<StoredResult> Pair::*side) {
  std::vector<std::string> origins;
  for (const Pair& pair : pairs) {
    if (!(pair.*side)) continue;
    const RunRecord& run = (pair.*side)->run;
    std::string origin = fmt::format("driver {}, {}{}", run.device.driver, run.compiler,
                                     describe_import(*(pair.*side)));
    if (std::ranges::find(origins, origin) == origins.end()) origins.push_back(std::move(origin));
  }
  return origins.empty() ? "nothing" : fmt::format("{}", fmt::join(origins, "; "));
}

std::string describe_configs(const Pair& pair) {
  if (!pair.is_whole()) {
    return fmt::format("only in {}: {}", pair.a ? "A" : "B",
                       format_config(pair.any().measurement.params));
  }
  if (pair.has_same_config()) return "the same";
  return fmt::format("{} -> {}", format_config(pair.a->measurement.params),
                     format_config(pair.b->measurement.params));
}

std::string format_time(const std::optional<StoredResult>& row) {
  return row ? format_number(row->measurement.median_us) : "-";
}

/// Pairs of one device.
struct DevicePairs {
  std::vector<Pair> pairs;

  const DeviceRecord& device() const { return pairs.front().any().run.device; }
  std::ptrdiff_t in_both() const { return std::ranges::count_if(pairs, &Pair::is_whole); }
  /// The geometric mean of the whole pairs, of which there is one.
  double mean_ratio() const {
    double logarithms = 0;
    for (const Pair& pair : pairs) logarithms += pair.is_whole() ? std::log(pair.ratio()) : 0;
    return std::exp(logarithms / static_cast<double>(in_both()));
  }
};

/// In the order of their first pairs.
std::vector<DevicePairs> by_device(std::vector<Pair> pairs) {
  std::vector<DevicePairs> devices;
  while (!pairs.empty()) {
    const DeviceRecord device = pairs.front().any().run.device;
    const auto rest = std::stable_partition(pairs.begin(), pairs.end(), [&](const Pair& pair) {
      return is_same_device(pair.any().run.device, device);
    });
    devices.push_back({{pairs.begin(), rest}});
    pairs.erase(pairs.begin(), rest);
  }
  return devices;
}

void print_device(const DevicePairs& of_device) {
  const std::vector<Pair>& pairs = of_device.pairs;
  const DeviceRecord& device = of_device.device();
  print_to(stdout, "{} ({}): A of {}; B of {}\n", device.name, device.kind,
           describe_origins(pairs, &Pair::a), describe_origins(pairs, &Pair::b));
  Table table({{"problem"},
               {"A us", Align::right},
               {"B us", Align::right},
               {"B/A", Align::right},
               {"config"}});
  for (const Pair& pair : pairs) {
    const MeasurementRecord& m = pair.any().measurement;
    table.add_row({describe_problem(m.problem, m.shape), format_time(pair.a), format_time(pair.b),
                   pair.is_whole() ? fmt::format("{:.3f}", pair.ratio()) : "-",
                   describe_configs(pair)});
  }
  print_to(stdout, "{}", Lines{table.to_string(terminal_width(stdout))});
  if (of_device.in_both() == 0) {
    print_to(stdout, "no problem is in both\n\n");
  } else {
    print_to(stdout, "{} in both: B takes {:.3f} times as long as A in the geometric mean\n\n",
             of_device.in_both(), of_device.mean_ratio());
  }
}

void print_text(const std::vector<Pair>& pairs, const DiffArguments& arguments) {
  std::vector<StoredResult> rows;
  rows.reserve(pairs.size());
  for (const Pair& pair : pairs) rows.push_back(pair.any());
  for (const DevicePairs& of_device : by_device(pairs)) print_device(of_device);
  print_to(stdout, "us: per call. B/A: below 1 B is faster.\n{}A: {}\nB: {}\n",
           Lines{config_legends(rows)}, arguments.a, arguments.b);
}

using OrderedJson = nlohmann::ordered_json;

OrderedJson to_json(const Pair& pair) {
  const StoredResult& any = pair.any();
  return {{"device_name", any.run.device.name},
          {"device_kind", any.run.device.kind},
          {"workload", describe_problem(any.measurement.problem, any.measurement.shape)},
          {"ratio", pair.is_whole() ? OrderedJson(pair.ratio()) : OrderedJson()},
          {"same_config", pair.is_whole() ? OrderedJson(pair.has_same_config()) : OrderedJson()},
          {"a", pair.a ? foldtune::to_json(*pair.a) : OrderedJson()},
          {"b", pair.b ? foldtune::to_json(*pair.b) : OrderedJson()}};
}

void print_json(const std::vector<Pair>& pairs, const DiffArguments& arguments) {
  OrderedJson problems = OrderedJson::array();
  for (const Pair& pair : pairs) problems.push_back(to_json(pair));
  OrderedJson devices = OrderedJson::array();
  for (const DevicePairs& of_device : by_device(pairs)) {
    const std::ptrdiff_t both = of_device.in_both();
    devices.push_back(
        {{"device_name", of_device.device().name},
         {"device_kind", of_device.device().kind},
         {"in_both", both},
         {"mean_ratio", both > 0 ? OrderedJson(of_device.mean_ratio()) : OrderedJson()}});
  }
  print_indented({{"a", arguments.a},
                  {"b", arguments.b},
                  {"devices", std::move(devices)},
                  {"problems", std::move(problems)}});
}

ExitCode run_diff(const DiffArguments& arguments) {
  const std::vector<Pair> pairs = make_pairs(arguments);
  if (arguments.json) {
    print_json(pairs, arguments);
  } else if (pairs.empty()) {
    print_to(stdout, "nothing in {} and {} matches what was asked for\n", arguments.a, arguments.b);
  } else {
    print_text(pairs, arguments);
  }
  return ExitCode::ok;
}

}  // namespace

Action prepare_diff(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<DiffArguments>();
  app.add_option("A", arguments->a, "A tuning database")->type_name(kFileToRead)->required();
  app.add_option("B", arguments->b, "Another one")->type_name(kFileToRead)->required();
  add_row_filter(app, arguments->filter);
  app.add_flag("--json", arguments->json, "Print JSON: an object with the array \"problems\"");
  app.footer(
      "Compares the best results of two databases: problems of the same shape on devices of the "
      "same\nname, whatever the driver, the compiler and the kernels. Both files are only read.\n\n"
      "Example:\n"
      "  foldtune diff before.db after.db --op sum");
  return [arguments] { return run_diff(*arguments); };
}

}  // namespace foldtune
