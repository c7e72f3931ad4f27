// foldtune check: whether a database is sound.
#include "cache/check.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "templates/embedded.h"
#include "templates/space.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/format.h"

namespace foldtune {
namespace {

std::string fault_of_params(const MeasurementRecord& measurement) {
  for (const Family family : {Family::reduce, Family::histogram}) {
    if (measurement.problem.family != name(family)) continue;
    try {
      params_from_json(family, measurement.params);
      return {};
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  }
  return fmt::format("there is no family \"{}\"", measurement.problem.family);
}

ExitCode run_check(const std::optional<std::string>& database) {
  const std::string path = database_path(database);
  const CheckReport report = check_database(
      path, {.template_fingerprint = template_fingerprint(), .fault_of_params = fault_of_params});
  for (const std::string& finding : report.findings) fmt::print("{}\n", finding);
  if (!report.findings.empty()) {
    fmt::print("{} is not sound: {} found\n", path, report.findings.size());
    return ExitCode::database;
  }
  fmt::print("{} is sound: {}{}\n", path, format_count(report.measurements, "measurement"),
             report.kernels == 0 ? "" : ", " + format_count(report.kernels, "kernel"));
  return ExitCode::ok;
}

}  // namespace

Action prepare_check(CLI::App& app, const std::string&) {
  auto database = std::make_shared<std::optional<std::string>>();
  app.add_option("--db", *database, "The tuning database [see foldtune --help]")->type_name("FILE");
  app.footer(
      "Looks at the whole file, its tables and every row, and changes nothing. Each finding is a "
      "line\nthat says where it is, what it is, and what to do. The exit code is 0 only if there "
      "is "
      "none.\n\n"
      "Example:\n"
      "  foldtune check --db tuning.db");
  return [database] { return run_check(*database); };
}

}  // namespace foldtune
