#include "cache/check.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cache/queries.h"
#include "cache/record_check.h"
#include "cache/rows.h"
#include "cache/schema.h"
#include "cache/sqlite_connection.h"
#include "cache/sqlite_kernels.h"

namespace foldtune {
namespace {

using Findings = std::vector<std::string>;

constexpr const char* kRecover =
    "keep a copy of the file, and try `sqlite3 FILE .recover` or an older copy";
constexpr const char* kDeleteRow = "delete the row, or take an older copy of the file";

void add(Findings& findings, const std::string& where, const std::string& what,
         const std::string& remedy) {
  std::string line = fmt::format("{}: {}; {}", where, what, remedy);
  std::ranges::replace(line, '\n', ' ');
  findings.push_back(std::move(line));
}

// Without CHECK constraints, which SQLite leaves out where it may only read: `check_rows` looks at
// the values instead.
void check_integrity(SQLite::Database& database, Findings& findings) {
  SQLite::Statement rows(database, "PRAGMA integrity_check");
  while (rows.executeStep()) {
    const std::string text = rows.getColumn(0).getString();
    if (text != "ok") add(findings, "file", text, kRecover);
  }
}

void check_references(SQLite::Database& database, Findings& findings) {
  SQLite::Statement rows(database, "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check");
  while (rows.executeStep()) {
    add(findings, fmt::format("{} {}", rows.getColumn(0).getString(), rows.getColumn(1).getInt64()),
        fmt::format("the {} that it refers to is not there", rows.getColumn(2).getString()),
        kDeleteRow);
  }
}

/// Whether the schema is as it should be. What is there besides is the user's.
bool check_shape(SQLite::Database& database, Findings& findings) {
  constexpr const char* kRemedy =
      "take back what was changed by hand, or take an older copy of the file";
  const std::vector<SchemaFault> faults = schema_faults(database);
  for (const SchemaFault& fault : faults) {
    add(findings, fault.object,
        fault.is_missing ? "missing, though the schema has it" : "not as the schema has it",
        kRemedy);
  }
  return faults.empty();
}

void check_runs(SQLite::Database& database, Findings& findings) {
  SQLite::Statement rows(database, "SELECT " + run_columns() + " FROM run ORDER BY run_id");
  while (rows.executeStep()) {
    const StoredResult run = read_run(rows);
    const std::string where = fmt::format("run {} ({})", run.run_id, run.run.device.name);
    if (run.run.device.fingerprint() != run.device_fingerprint) {
      add(findings, where,
          "its fingerprint is not the hash of its device's columns, so no program finds its "
          "results",
          "take back what was changed in the row");
    }
    if (!is_time(run.started_at)) {
      add(findings, where,
          fmt::format("its time \"{}\" is not of the form 2026-01-31T12:00:00Z", run.started_at),
          "correct it");
    }
    if (const std::string fault = fault_of(run.run); !fault.empty()) {
      add(findings, where, fault, "correct it");
    }
  }
}

void check_configs(SQLite::Database& database, Findings& findings) {
  SQLite::Statement rows(database, "SELECT config_id, params FROM config");
  while (rows.executeStep()) {
    const std::string where = fmt::format("config {}", rows.getColumn(0).getInt64());
    const std::string params = rows.getColumn(1).getString();
    const auto json = nlohmann::json::parse(params, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) {
      add(findings, where, "its params are not a JSON object: " + params, kDeleteRow);
    } else if (json.dump() != params) {
      add(findings, where, "its params have unsorted keys or spaces: " + params,
          "write them as " + json.dump());
    }
  }
}

/// What is wrong with the measurement; empty if nothing. Its run and its config are others'.
std::string fault_of_row(const ResultRow& row, const CheckRules& rules) {
  const MeasurementRecord& measurement = row.result.measurement;
  if (std::string fault = fault_of(measurement); !fault.empty()) return fault;
  if (!is_time(row.result.measured_at)) {
    return fmt::format("its time \"{}\" is not of the form 2026-01-31T12:00:00Z",
                       row.result.measured_at);
  }
  if (row.result.run.template_fingerprint != rules.template_fingerprint) return {};
  return rules.fault_of_params(measurement);
}

/// Returns how many there are.
std::size_t check_measurements(SQLite::Database& database, const CheckRules& rules,
                               Findings& findings) {
  std::size_t count = 0;
  SQLite::Statement rows(database, select_results(kMeasurements));
  for (; rows.executeStep(); ++count) {
    const ResultRow row = read_row(rows);
    const std::string where = fmt::format("measurement {}", row.result.measurement_id);
    if (!row.fault.empty()) {
      add(findings, where, "it cannot be read", row.fault);
    } else if (const std::string fault = fault_of_row(row, rules); !fault.empty()) {
      add(findings, where, fault, kDeleteRow);
    }
  }
  return count;
}

/// Returns how many there are.
std::size_t check_kernels(SQLite::Database& database, Findings& findings) {
  std::size_t count = 0;
  SQLite::Statement rows(database, std::string(kSelectKernels) + " ORDER BY kernel_id");
  for (; rows.executeStep(); ++count) {
    if (!read_kernel(rows).is_damaged) continue;
    add(findings, fmt::format("kernel {}", rows.getColumn(0).getInt64()),
        "its hash is not that of its columns, so it is compiled again where it is needed",
        "delete the row");
  }
  return count;
}

void check_rows(SQLite::Database& database, const CheckRules& rules, CheckReport& report) {
  check_runs(database, report.findings);
  check_configs(database, report.findings);
  report.measurements = check_measurements(database, rules, report.findings);
  report.kernels = check_kernels(database, report.findings);
}

CheckReport check(SQLite::Database& database, const CheckRules& rules) {
  const SQLite::Transaction snapshot(database);
  CheckReport report;
  try {
    check_integrity(database, report.findings);
    check_references(database, report.findings);
    if (!check_shape(database, report.findings)) {
      add(report.findings, "rows", "not looked at, since the schema is another one",
          "check again when it is right");
      return report;
    }
    check_rows(database, rules, report);
  } catch (const SQLite::Exception& error) {
    const bool is_damaged = error.getErrorCode() == SQLITE_CORRUPT;
    if (!is_damaged && report.findings.empty()) throw;
    add(report.findings, "file", fmt::format("it cannot be read to its end ({})", error.what()),
        kRecover);
  }
  return report;
}

}  // namespace

CheckReport check_database(const std::string& path, const CheckRules& rules) {
  const SqliteConnection connection(path, OpenMode::read_only,
                                    {.inspect = false});  // More than that is done here.
  return connection.read("check",
                         [&](SQLite::Database& database) { return check(database, rules); });
}

}  // namespace foldtune
