#include "cache/check.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cache/record_check.h"
#include "cache/row_reader.h"
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

void check_devices(SQLite::Database& database, Findings& findings) {
  SQLite::Statement rows(database, "SELECT * FROM device");
  while (rows.executeStep()) {
    const auto text = [&](const char* column) { return rows.getColumn(column).getString(); };
    const auto integer = [&](const char* column) { return rows.getColumn(column).getInt64(); };
    const DeviceRecord device{
        .kind = text("kind"),
        .name = text("name"),
        .architecture = text("architecture"),
        .multiprocessor_count = static_cast<int>(integer("multiprocessor_count")),
        .memory_clock_khz = integer("memory_clock_khz"),
        .memory_bus_bits = static_cast<int>(integer("memory_bus_bits")),
        .l2_bytes = integer("l2_bytes"),
        .driver = text("driver")};
    if (device.fingerprint() == text("fingerprint")) continue;
    add(findings, fmt::format("device {} ({})", integer("id"), device.name),
        "its fingerprint is not the hash of its columns, so no program finds its results",
        "take back what was changed in the row");
  }
}

void check_runs(SQLite::Database& database, Findings& findings) {
  SQLite::Statement rows(database, "SELECT id, started_at FROM run");
  while (rows.executeStep()) {
    const std::string started_at = rows.getColumn(1).getString();
    if (is_time(started_at)) continue;
    add(findings, fmt::format("run {}", rows.getColumn(0).getInt64()),
        fmt::format("its time \"{}\" is not of the form 2026-01-31T12:00:00Z", started_at),
        "correct it");
  }
}

void check_configs(SQLite::Database& database, Findings& findings) {
  SQLite::Statement rows(database, "SELECT id, params FROM config");
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

/// What is wrong with the measurement; empty if nothing. Its device and its config are others'.
std::string fault_of_row(const ResultRow& row, const CheckRules& rules) {
  const RunRecord& run = row.result.run;
  const MeasurementRecord& measurement = row.result.measurement;
  if (std::string fault = fault_of(run); !fault.empty()) return "of its run, " + fault;
  if (std::string fault = fault_of(measurement); !fault.empty()) return fault;
  if (!is_time(row.result.measured_at)) {
    return fmt::format("its time \"{}\" is not of the form 2026-01-31T12:00:00Z",
                       row.result.measured_at);
  }
  if (run.template_fingerprint != rules.template_fingerprint) return {};
  return rules.fault_of_params(measurement);
}

/// Returns how many there are.
std::size_t check_measurements(SQLite::Database& database, const CheckRules& rules,
                               Findings& findings) {
  std::size_t count = 0;
  SQLite::Statement rows(database, "SELECT * FROM result ORDER BY measurement_id");
  const RowReader reader(rows);
  for (; rows.executeStep(); ++count) {
    const ResultRow row = reader.read();
    const std::string where = fmt::format("measurement {}", row.measurement_id);
    if (!row.fault.empty()) {
      add(findings, where, "it cannot be read", row.fault);
    } else if (const std::string fault = fault_of_row(row, rules); !fault.empty()) {
      add(findings, where, fault, kDeleteRow);
    }
  }
  return count;
}

/// What the triggers keep, against what it is about.
void check_bests(SQLite::Database& database, Findings& findings) {
  SQLite::Statement rows(database, R"sql(
WITH expected AS (
  SELECT problem_id, run_id, round, median_us, id FROM (
    SELECT *, row_number() OVER (
      PARTITION BY problem_id, run_id ORDER BY round DESC, median_us, id DESC) AS place
    FROM measurement WHERE outcome = 'ok')
  WHERE place = 1
)
SELECT problem_id, run_id FROM (SELECT * FROM expected EXCEPT SELECT * FROM best_of_run)
UNION
SELECT problem_id, run_id FROM (SELECT * FROM best_of_run EXCEPT SELECT * FROM expected)
)sql");
  while (rows.executeStep()) {
    const std::string which =
        fmt::format("problem_id = {} AND run_id = {}", rows.getColumn(0).getInt64(),
                    rows.getColumn(1).getInt64());
    add(findings, "best_of_run", fmt::format("not the best measurement where {}", which),
        fmt::format("write it anew: DELETE FROM best_of_run WHERE {0}; UPDATE measurement SET "
                    "round = round WHERE {0}",
                    which));
  }
}

/// Returns how many there are.
std::size_t check_kernels(SQLite::Database& database, Findings& findings) {
  std::size_t count = 0;
  SQLite::Statement rows(database, "SELECT * FROM kernel ORDER BY id");
  for (; rows.executeStep(); ++count) {
    if (!read_kernel(rows).is_damaged) continue;
    add(findings, fmt::format("kernel {}", rows.getColumn("id").getInt64()),
        "its hash is not that of its columns, so it is compiled again where it is needed",
        "delete the row");
  }
  return count;
}

void check_rows(SQLite::Database& database, const CheckRules& rules, CheckReport& report) {
  check_devices(database, report.findings);
  check_runs(database, report.findings);
  check_configs(database, report.findings);
  check_bests(database, report.findings);
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
