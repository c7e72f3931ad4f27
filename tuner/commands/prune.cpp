// foldtune prune: removes what is no longer wanted, and the space that it took.
#include "cache/prune.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "cache/compact.h"
#include "cache/config_store.h"
#include "cache/record_check.h"
#include "foldtune/error.h"
#include "templates/family.h"
#include "templates/fingerprint.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/commands/row_filter.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

struct PruneArguments {
  std::optional<std::string> database;
  std::optional<double> older_than_days;
  std::optional<std::string> device;
  bool other_kernels = false;
  bool dry_run = false;
  bool json = false;

  bool has_rule() const { return older_than_days || device || other_kernels; }
};

constexpr double kSecondsPerDay = 86400;
constexpr double kMostDays = 36500;  ///< a century

double parse_days(const std::string& text) {
  double days = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, days, std::chars_format::fixed);
  if (error == std::errc() && stop == end && days >= 0 && days <= kMostDays) return days;
  throw InvalidArgument(
      fmt::format("--older-than takes a number of days from 0 to {}, not '{}'", kMostDays, text));
}

std::string days_ago(double days) {
  return utc_text(std::time(nullptr) - std::llround(days * kSecondsPerDay));
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family* const family : families()) names.emplace_back(family->name());
  return names;
}

PruneRules make_rules(const PruneArguments& arguments) {
  return {.before = arguments.older_than_days ? days_ago(*arguments.older_than_days) : "",
          .device = device_filter(arguments.device.value_or("")),
          .seeds = arguments.other_kernels,
          .present_fingerprints = kernel_fingerprints(),
          .families = family_names()};
}

void print_report(const PruneReport& report, bool dry_run) {
  std::size_t all = 0;
  for (const PrunedGroup& group : report.groups) {
    print_to(stdout, "{} (driver {}), {}{}: {} of {}\n", group.device_name, group.driver,
             group.compiler, group.is_seed ? ", other kernels than those here" : "",
             format_count(group.measurements, "measurement"),
             format_count(group.problems, "problem"));
    all += group.measurements;
  }
  print_to(stdout, "{} {}", dry_run ? "would remove" : "removed", format_count(all, "measurement"));
  if (report.kept_best > 0) {
    print_to(stdout, "; {} more {} the best of its problem, or pinned", report.kept_best,
             report.kept_best == 1 ? "stays, since it is" : "stay, since each is");
  }
  print_to(stdout, "\n");
}

using OrderedJson = nlohmann::ordered_json;

OrderedJson to_json(const PruneReport& report, const std::string& path, bool dry_run) {
  std::size_t all = 0;
  OrderedJson groups = OrderedJson::array();
  for (const PrunedGroup& group : report.groups) {
    all += group.measurements;
    groups.push_back({{"device_name", group.device_name},
                      {"device_driver", group.driver},
                      {"compiler", group.compiler},
                      {"has_these_kernels", !group.is_seed},
                      {"measurements", group.measurements},
                      {"problems", group.problems}});
  }
  return {{"database", path},
          {"dry_run", dry_run},
          {"measurements", all},
          {"kept_best", report.kept_best},
          {"groups", groups}};
}

ExitCode run_prune(const PruneArguments& arguments) {
  const PruneRules rules = make_rules(arguments);
  const std::string path = database_path(arguments.database);
  PruneReport report;
  if (arguments.has_rule()) {
    report = arguments.dry_run ? preview_prune(path, rules) : prune_database(path, rules);
    if (!arguments.json) print_report(report, arguments.dry_run);
  } else if (arguments.dry_run) {
    (void)open_sqlite_store(path, OpenMode::read_only);  // whether it can be made smaller
    if (!arguments.json) print_to(stdout, "would remove nothing: no rule is given\n");
  }
  OrderedJson json = to_json(report, path, arguments.dry_run);
  if (!arguments.dry_run) {
    const CompactReport size = compact_database(path);
    json["bytes_before"] = size.bytes_before;
    json["bytes_after"] = size.bytes_after;
    if (!arguments.json) {
      print_to(stdout, "{}: {} before, {} after\n", path, format_bytes(size.bytes_before),
               format_bytes(size.bytes_after));
    }
  }
  if (arguments.json) print_indented(json);
  return ExitCode::ok;
}

}  // namespace

Action prepare_prune(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<PruneArguments>();
  add_database_option(app, arguments->database);
  app.add_option_function<std::string>(
         "--older-than",
         [arguments](const std::string& text) { arguments->older_than_days = parse_days(text); },
         "What was measured that long ago")
      ->type_name("DAYS");
  app.add_option("--device", arguments->device, kDeviceFilterHelp)->type_name("TEXT");
  app.add_flag("--other-kernels", arguments->other_kernels,
               "What was measured with other kernels than this Foldtune's");
  app.add_flag("--dry-run", arguments->dry_run, "Print what would be removed, and change nothing");
  app.add_flag("--json", arguments->json, "Print JSON: an object");
  app.footer(
      "Removes the measurements that every given rule holds for, in one transaction; without a\n"
      "rule none. The best of a problem stays as long as this Foldtune's kernels are those that "
      "it\n"
      "was measured with, unless --device is given; what is pinned stays in any case.\n"
      "--other-kernels leaves families from files alone, whose kernels are not known here. Then "
      "the\n"
      "file is written anew without unused space, which takes room for a copy meanwhile, and its "
      "size\nis printed.\n\n"
      "Examples:\n"
      "  foldtune prune --other-kernels --dry-run\n"
      "  foldtune prune --older-than 90\n"
      "  foldtune prune --device h100");
  return [arguments] { return run_prune(*arguments); };
}

}  // namespace foldtune
