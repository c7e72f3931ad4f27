// foldtune show: what the database holds.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/problem.h"
#include "templates/embedded.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/commands/stored_problem.h"
#include "tuner/format.h"
#include "tuner/table.h"
#include "tuner/terminal.h"

namespace foldtune {
namespace {

struct Arguments {
  std::optional<std::string> database;
  std::string operators = "all";
  std::string types = "all";
  std::string device;
  bool all = false;
  bool json = false;
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The rows that the options ask for. Without a filter all of them, whatever their names.
std::vector<StoredResult> select(std::vector<StoredResult> rows, const Arguments& arguments) {
  const auto ops = parse_operators(arguments.operators);
  const auto types = parse_element_types(arguments.types);
  const std::string device = lower(arguments.device);
  std::erase_if(rows, [&](const StoredResult& row) {
    const ProblemKey& problem = row.measurement.problem;
    return (arguments.operators != "all" && !has_operator_of(problem, ops)) ||
           (arguments.types != "all" && !has_type_of(problem, types)) ||
           lower(row.run.device.name).find(device) == std::string::npos;
  });
  return rows;
}

double gbps(const MeasurementRecord& measurement) {
  return static_cast<double>(measurement.bytes) / measurement.median_us / 1e3;
}

/// Null for a time that was not measured.
nlohmann::ordered_json optional_time(double us) {
  return us > 0 ? nlohmann::ordered_json(us) : nlohmann::ordered_json();
}

nlohmann::ordered_json to_json(const StoredResult& row) {
  const MeasurementRecord& m = row.measurement;
  const DeviceRecord& device = row.run.device;
  const bool is_ok = m.outcome == Outcome::ok;
  const bool has_bandwidth = is_ok && row.run.read_bandwidth_gbps > 0;
  // The names are those of the database's view `result`.
  return {
      {"measured_at", row.measured_at},
      {"device_fingerprint", device.fingerprint()},
      {"device_kind", device.kind},
      {"device_name", device.name},
      {"device_architecture", device.architecture},
      {"device_multiprocessor_count", device.multiprocessor_count},
      {"device_memory_clock_khz", device.memory_clock_khz},
      {"device_memory_bus_bits", device.memory_bus_bits},
      {"device_l2_bytes", device.l2_bytes},
      {"device_driver", device.driver},
      {"template_fingerprint", row.run.template_fingerprint},
      {"compiler", row.run.compiler},
      {"foldtune_version", row.run.foldtune_version},
      {"command", row.run.command},
      {"seed", row.run.seed},
      {"read_bandwidth_gbps", row.run.read_bandwidth_gbps},
      {"family", m.problem.family},
      {"op", m.problem.op},
      {"element_type", m.problem.element_type},
      {"accumulator_type", m.problem.accumulator_type},
      {"alignment", m.problem.alignment},
      {"determinism", m.problem.determinism},
      {"options", m.problem.options},
      {"size_class", m.problem.size_class},
      {"element_count", m.count},
      {"input_bytes", m.bytes},
      {"params", nlohmann::ordered_json::parse(m.params)},
      {"is_default", m.is_default},
      {"round", m.round},
      {"outcome", to_string(m.outcome)},
      {"failure", m.failure},
      {"median_us", m.median_us},
      {"mad_us", m.mad_us},
      {"discarded_samples", m.discarded_samples},
      {"hot_us", optional_time(m.hot_us)},
      {"stream_us", optional_time(m.stream_us)},
      {"latency_us", optional_time(m.latency_us)},
      {"bandwidth_gbps", is_ok ? nlohmann::ordered_json(gbps(m)) : nlohmann::ordered_json()},
      {"percent_of_read_bandwidth",
       has_bandwidth ? nlohmann::ordered_json(100 * gbps(m) / row.run.read_bandwidth_gbps)
                     : nlohmann::ordered_json()},
      {"registers", m.registers},
      {"shared_bytes", m.shared_bytes},
      {"local_bytes", m.local_bytes},
      {"occupancy", m.occupancy},
      {"compile_ms", m.compile_ms},
      {"sm_clock_mhz", m.sm_clock_mhz},
      {"memory_clock_mhz", m.memory_clock_mhz},
      {"samples_us", m.samples_us},
  };
}

void print_json(const std::vector<StoredResult>& rows) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const StoredResult& row : rows) array.push_back(to_json(row));
  fmt::print("{}\n", array.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// Results of one group are comparable, and found by the same programs.
std::tuple<std::string, std::string, std::string> group_key(const StoredResult& row) {
  return {row.run.device.fingerprint(), row.run.compiler, row.run.template_fingerprint};
}

void print_heading(const StoredResult& row) {
  const DeviceRecord& device = row.run.device;
  fmt::print("{} ({}, {}, driver {}), {}", device.name, device.kind, device.architecture,
             device.driver, row.run.compiler);
  if (row.run.template_fingerprint != template_fingerprint()) {
    fmt::print(", kernels of another version of Foldtune: not used by this one");
  }
  fmt::print("\n");
}

/// "2026-01-31T12:00:00Z" without its seconds.
std::string minutes_of(const std::string& time) {
  std::string text = time.substr(0, 16);
  std::ranges::replace(text, 'T', ' ');
  return text;
}

std::string format_bandwidth_share(const StoredResult& row) {
  const double peak = row.run.read_bandwidth_gbps;
  return format_percent(peak > 0 ? gbps(row.measurement) / peak : 0);
}

/// How far half of the samples lie from the median at most, as a part of it.
std::string format_spread(const MeasurementRecord& m) {
  return m.samples_us.size() < 2 ? "-" : fmt::format("{:.1f}", 100 * m.mad_us / m.median_us);
}

std::string format_optional_time(double us) { return us > 0 ? format_number(us) : "-"; }

bool has_other_times(const StoredResult& row) {
  const MeasurementRecord& m = row.measurement;
  return m.hot_us > 0 || m.stream_us > 0 || m.latency_us > 0;
}

Table make_table(const std::vector<StoredResult>& rows, bool all) {
  const bool others = all && std::ranges::any_of(rows, has_other_times);
  std::vector<Column> columns{{"problem"}};
  if (all) columns.insert(columns.end(), {{"round", Align::right}, {"outcome"}});
  columns.push_back({"us", Align::right});
  if (all) columns.push_back({"+-%", Align::right});
  if (others) {
    columns.insert(columns.end(),
                   {{"hot", Align::right}, {"stream", Align::right}, {"latency", Align::right}});
  }
  columns.insert(columns.end(),
                 {{"GB/s", Align::right}, {"%read", Align::right}, {"measured (UTC)"}, {"config"}});
  Table table(columns);
  for (const StoredResult& row : rows) {
    const MeasurementRecord& m = row.measurement;
    const bool is_ok = m.outcome == Outcome::ok;
    std::vector<std::string> cells{describe_problem(m.problem, m.count)};
    if (all) cells.insert(cells.end(), {fmt::to_string(m.round), to_string(m.outcome)});
    const std::string failure = is_ok ? "" : ": " + first_line(m.failure);
    cells.push_back(is_ok ? format_number(m.median_us) : "-");
    if (all) cells.push_back(is_ok ? format_spread(m) : "-");
    if (others) {
      for (const double us : {m.hot_us, m.stream_us, m.latency_us}) {
        cells.push_back(format_optional_time(us));
      }
    }
    cells.insert(cells.end(),
                 {is_ok ? format_number(gbps(m)) : "-", is_ok ? format_bandwidth_share(row) : "-",
                  minutes_of(row.measured_at), format_config(m.params) + failure});
    table.add_row(std::move(cells));
  }
  return table;
}

/// A line for each family in the rows.
std::string config_legends(const std::vector<StoredResult>& rows) {
  std::string text;
  for (const Family family : {Family::reduce, Family::histogram}) {
    const bool is_shown = std::ranges::any_of(rows, [&](const StoredResult& row) {
      return row.measurement.problem.family == name(family);
    });
    if (is_shown) text += fmt::format("config: {}\n", config_legend(family));
  }
  return text;
}

constexpr const char* kOtherTimes =
    "us per call with inputs in the L2; back to back in a stream; from launch to result.";

void print_tables(std::vector<StoredResult> rows, bool all) {
  const std::string legends = config_legends(rows);
  const bool has_others = std::ranges::any_of(rows, has_other_times);
  // Groups in the order of their first rows, rows in the order of the store.
  while (!rows.empty()) {
    const auto key = group_key(rows.front());
    const auto rest = std::stable_partition(
        rows.begin(), rows.end(), [&](const StoredResult& row) { return group_key(row) == key; });
    const std::vector<StoredResult> group(rows.begin(), rest);
    print_heading(group.front());
    fmt::print("{}\n", make_table(group, all).to_string(terminal_width(stdout)));
    rows.erase(rows.begin(), rest);
  }
  if (all) {
    fmt::print("+-%: how far half of the samples lie from their median us at most.\n");
    if (has_others) fmt::print("hot, stream, latency: {}\n", kOtherTimes);
  }
  fmt::print("%read: of the read bandwidth measured in the same run.\n{}", legends);
}

ExitCode run_show(const Arguments& arguments) {
  const std::string path = database_path(arguments.database);
  // Before the file is looked for, the names are checked.
  select({}, arguments);
  const std::unique_ptr<const ConfigStore> store = open_sqlite_store(path, OpenMode::read_only);
  std::vector<StoredResult> stored = arguments.all ? store->measurements() : store->best();
  const bool is_empty = stored.empty();
  std::vector<StoredResult> rows = select(std::move(stored), arguments);
  if (arguments.json) {
    print_json(rows);
  } else if (is_empty) {
    fmt::print("{} holds no {} yet; `foldtune tune` makes some\n", path,
               arguments.all ? "measurements" : "results");
  } else if (rows.empty()) {
    fmt::print("nothing in {} matches --op, --type and --device\n", path);
  } else {
    print_tables(std::move(rows), arguments.all);
    fmt::print("database: {}\n", path);
  }
  return ExitCode::ok;
}

}  // namespace

Action prepare_show(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<Arguments>();
  app.add_option("--db", arguments->database, "The tuning database [see foldtune --help]")
      ->type_name("FILE");
  app.add_option("--op", arguments->operators, "Operators by comma, or all [all]")
      ->type_name("LIST");
  app.add_option("--type", arguments->types, "Element types by comma, or all [all]")
      ->type_name("LIST");
  app.add_option("--device", arguments->device, "Part of a device's name, such as h200")
      ->type_name("TEXT");
  app.add_flag("--all", arguments->all, "Every measurement, and failures with their reason");
  app.add_flag("--json", arguments->json, "Print JSON: an array with every field");
  app.footer(
      "Shows the best configuration of every problem, for each device of the database. The file "
      "is\nonly read, and plain sqlite3 answers questions, too: its view is called best.\n\n"
      "Examples:\n"
      "  foldtune show --device h200 --op sum\n"
      "  foldtune show --all --json > measurements.json\n"
      "  sqlite3 ~/.cache/foldtune/tuning.db 'SELECT * FROM best'");
  return [arguments] { return run_show(*arguments); };
}

}  // namespace foldtune
