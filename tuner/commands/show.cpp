// foldtune show: what the database holds.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/error.h"
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

struct ShowArguments {
  std::optional<std::string> database;
  RowFilter filter;
  std::string order;
  bool all = false;
  bool json = false;
  bool csv = false;
};

using Less = bool (*)(const StoredResult& a, const StoredResult& b);

bool is_before(const StoredResult& a, const StoredResult& b) {
  const auto key = [](const MeasurementRecord& m) {
    const ProblemKey& p = m.problem;
    return std::tie(p.family, p.problem, p.layout, p.conditions, m.bytes, m.shape);
  };
  return key(a.measurement) < key(b.measurement);
}

/// Failures, which have no time, come last.
bool is_faster_than(const StoredResult& a, const StoredResult& b) {
  const auto key = [](const MeasurementRecord& m) {
    return std::pair(m.outcome != Outcome::ok, m.median_us);
  };
  return key(a.measurement) < key(b.measurement);
}

bool has_more_bandwidth(const StoredResult& a, const StoredResult& b) {
  const auto key = [](const MeasurementRecord& m) {
    return m.outcome == Outcome::ok ? gbps(m) : 0;
  };
  return key(a.measurement) > key(b.measurement);
}

/// What --sort takes.
struct Order {
  std::string_view name;
  Less less;
};
constexpr std::array kOrders{Order{"problem", is_before}, Order{"us", is_faster_than},
                             Order{"gbps", has_more_bandwidth}, Order{"age", is_newer}};

/// Null for the order of the store.
Less require_order(const std::string& name) {
  if (name.empty()) return nullptr;
  const auto* const found = std::ranges::find(kOrders, name, &Order::name);
  if (found != kOrders.end()) return found->less;
  throw InvalidArgument(
      fmt::format("there is no order '{}'; there is problem, us, gbps, age", name));
}

/// Results of one group are comparable, and found by the same programs.
using Group = std::vector<const StoredResult*>;

bool is_imported(const StoredResult* row) { return !row->imported_from.empty(); }
bool is_pinned(const StoredResult* row) { return row->is_pinned; }

bool is_of_group(const Group& group, const StoredResult& row) {
  const RunRecord& run = group.front()->run;
  return run.device == row.run.device && run.compiler == row.run.compiler &&
         has_these_kernels(*group.front()) == has_these_kernels(row);
}

/// In the order of their first rows, rows in their own.
std::vector<Group> make_groups(const std::vector<StoredResult>& rows) {
  std::vector<Group> groups;
  std::size_t last = 0;  // mostly the next row's, too
  for (const StoredResult& row : rows) {
    if (groups.empty() || !is_of_group(groups[last], row)) {
      const auto found =
          std::ranges::find_if(groups, [&](const Group& group) { return is_of_group(group, row); });
      last = static_cast<std::size_t>(found - groups.begin());
      if (found == groups.end()) groups.emplace_back();
    }
    groups[last].push_back(&row);
  }
  return groups;
}

void print_heading(const StoredResult& row) {
  std::string kernels;
  if (!has_these_kernels(row)) {
    const bool is_known = find_family(row.measurement.problem.family) != nullptr;
    kernels = fmt::format(", other kernels than those here: not used{}",
                          is_known ? "" : " (of a family from a file: name it with --family)");
  }
  print_to(stdout, "{}{}\n", describe_origin(row.run.device, row.run.compiler), kernels);
}

std::string format_bandwidth_share(const StoredResult& row) {
  const double peak = row.run.read_bandwidth_gbps;
  return format_percent(peak > 0 ? gbps(row.measurement) / peak : 0);
}

std::string format_optional_time(double us) { return us > 0 ? format_number(us) : "-"; }

bool has_other_times(const StoredResult* row) {
  const MeasurementRecord& m = row->measurement;
  return m.hot_us > 0 || m.stream_us > 0 || m.latency_us > 0;
}

Table make_table(const Group& rows, bool all) {
  const bool others = all && std::ranges::any_of(rows, has_other_times);
  std::vector<Column> columns{{"problem"}};
  if (all) columns.insert(columns.end(), {{"round", Align::right}, {"outcome"}});
  columns.push_back({"us", Align::right});
  columns.push_back({"+-%", Align::right});
  if (others) {
    columns.insert(columns.end(),
                   {{"hot", Align::right}, {"stream", Align::right}, {"latency", Align::right}});
  }
  columns.insert(columns.end(),
                 {{"GB/s", Align::right}, {"% of memory", Align::right}, {"measured (UTC)"}});
  const bool has_imports = std::ranges::any_of(rows, is_imported);
  const bool has_pins = std::ranges::any_of(rows, is_pinned);
  if (has_imports) columns.push_back({"from"});
  if (has_pins) columns.push_back({"pinned"});
  columns.push_back({"config"});
  Table table(columns);
  for (const StoredResult* const row : rows) {
    const MeasurementRecord& m = row->measurement;
    const bool is_ok = m.outcome == Outcome::ok;
    std::vector<std::string> cells{describe_problem(m.problem, m.shape)};
    if (all) cells.insert(cells.end(), {fmt::to_string(m.round), to_string(m.outcome)});
    const std::string failure = is_ok ? "" : ": " + first_line(m.failure);
    cells.push_back(is_ok ? format_number(m.median_us) : "-");
    const bool has_spread = is_ok && m.samples_us.size() > 1;
    cells.push_back(has_spread ? format_spread(m.mad_us, m.median_us) : "-");
    if (others) {
      for (const double us : {m.hot_us, m.stream_us, m.latency_us}) {
        cells.push_back(format_optional_time(us));
      }
    }
    cells.insert(cells.end(),
                 {is_ok ? format_number(gbps(m)) : "-", is_ok ? format_bandwidth_share(*row) : "-",
                  minutes_of(row->measured_at)});
    if (has_imports) cells.push_back(describe_source(*row));
    if (has_pins) cells.emplace_back(is_pinned(row) ? "yes" : "-");
    cells.push_back(format_config(m.params) + failure);
    table.add_row(std::move(cells));
  }
  return table;
}

constexpr const char* kOtherTimes =
    "us per call with inputs in the L2; back to back in a stream; from launch to result.";

void print_tables(const std::vector<StoredResult>& rows, bool all) {
  bool has_others = false;
  for (const Group& group : make_groups(rows)) {
    has_others = has_others || std::ranges::any_of(group, has_other_times);
    print_heading(*group.front());
    print_to(stdout, "{}\n", Lines{make_table(group, all).to_string(terminal_width(stdout))});
  }
  if (all) {
    print_to(stdout, "round: 0 screening, 1 comparison, above what was chosen.\n");
    if (has_others) print_to(stdout, "hot, stream, latency: {}\n", kOtherTimes);
  }
  print_to(stdout,
           "us: per call. +-%: how far half of the samples lie from their median us at most.\n"
           "% of memory: of the read bandwidth measured in the same run.\n{}",
           Lines{config_legends(rows)});
  if (std::ranges::any_of(rows, [](const StoredResult& row) { return is_imported(&row); })) {
    print_to(stdout, "from: measured here, or the file that it was imported from.\n");
  }
  if (std::ranges::any_of(rows, [](const StoredResult& row) { return is_pinned(&row); })) {
    print_to(stdout,
             "pinned: of a problem that has such results, programs use no others until `foldtune "
             "unpin`.\n");
  }
}

ExitCode run_show(const ShowArguments& arguments) {
  const std::string path = database_path(arguments.database);
  // Before the file is looked for, the names are checked.
  const auto is_wanted = row_test(arguments.filter);
  const Less less = require_order(arguments.order);
  const std::unique_ptr<const ConfigStore> store = open_sqlite_store(path, OpenMode::read_only);
  bool is_empty = true;
  const auto is_shown = [&](const StoredResult& row) {
    is_empty = false;
    return is_wanted(row);
  };
  std::vector<StoredResult> rows =
      arguments.all ? store->measurements_where(is_shown) : store->best();
  if (!arguments.all) std::erase_if(rows, std::not_fn(is_shown));
  if (less == is_newer) std::ranges::reverse(rows);  // of one second, the last is the newest
  if (less != nullptr) std::ranges::stable_sort(rows, less);
  if (arguments.json) {
    print_indented(to_json(rows));
  } else if (arguments.csv) {
    print_to(stdout, "{}", Lines{to_csv(rows)});
  } else if (is_empty) {
    print_to(stdout, "{} holds no {} yet; `foldtune tune` makes some\n", path,
             arguments.all ? "measurements" : "results");
  } else if (rows.empty()) {
    print_to(stdout, "nothing in {} matches what was asked for\n", path);
  } else {
    print_tables(rows, arguments.all);
    print_to(stdout, "database: {}\n", path);
  }
  return ExitCode::ok;
}

}  // namespace

Action prepare_show(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<ShowArguments>();
  add_database_option(app, arguments->database);
  add_row_filter(app, arguments->filter);
  app.add_option("--sort", arguments->order,
                 "By problem, us (fastest first), gbps (highest first) or age (newest first)")
      ->type_name("ORDER");
  app.add_flag("--all", arguments->all, "Every measurement, and failures with their reason");
  CLI::Option* const json =
      app.add_flag("--json", arguments->json, "Print JSON: an array with every field");
  app.add_flag("--csv", arguments->csv, "Print CSV: a header, and every field of each row")
      ->excludes(json);
  app.footer(
      "Shows the best configuration of every problem, for each device of the database. The file "
      "is\nonly read, and plain sqlite3 answers questions, too: its view is called best.\n\n"
      "Examples:\n"
      "  foldtune show --device h200 --op sum\n"
      "  foldtune show --op sum --sort gbps\n"
      "  foldtune show --all --json > measurements.json\n"
      "  foldtune show --all --csv > measurements.csv\n"
      "  sqlite3 ~/.cache/foldtune/tuning.db 'SELECT * FROM best'");
  return [arguments] { return run_show(*arguments); };
}

}  // namespace foldtune
