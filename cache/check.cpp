#include "cache/check.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "cache/excerpt.h"
#include "cache/queries.h"
#include "cache/record_check.h"
#include "cache/rows.h"
#include "cache/schema.h"
#include "cache/sqlite_connection.h"
#include "cache/sqlite_kernels.h"

namespace foldtune {
namespace {

using Findings = std::vector<CheckFinding>;

constexpr const char* kRecover =
    "keep a copy of the file, and try `sqlite3 FILE .recover` or an older copy";
constexpr const char* kDeleteRow = "delete the row, or take an older copy of the file";

void add(Findings& findings, const std::string& where, const std::string& what,
         const std::string& remedy) {
  constexpr std::size_t kMostBytes = 1000;
  CheckFinding finding{fmt::format("{}: {}", where, excerpt(what, kMostBytes)), remedy};
  std::ranges::replace(finding.text, '\n', ' ');
  std::ranges::replace(finding.remedy, '\n', ' ');
  findings.push_back(std::move(finding));
}

/// The fault of a row says what to do behind its last semicolon.
void add_unreadable(Findings& findings, const std::string& where, const std::string& fault) {
  const std::size_t end = std::min(fault.rfind("; "), fault.size());
  const std::string remedy = fault.substr(std::min(end + 2, fault.size()));
  add(findings, where, "it cannot be read: " + fault.substr(0, end),
      remedy.empty() ? kDeleteRow : remedy);
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
  SQLite::Statement rows(database,
                         fmt::format("SELECT \"table\", rowid, parent FROM {}", kBrokenReferences));
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
    add(findings, fault.object, fault.what(), kRemedy);
  }
  return faults.empty();
}

void check_runs(SQLite::Database& database, const CheckRules& rules, Findings& findings) {
  SQLite::Statement rows(database, "SELECT " + run_columns() + " FROM run ORDER BY run_id");
  while (rows.executeStep()) {
    const ResultRow row = read_run(rows);
    const StoredResult& run = row.result;
    const std::string where = fmt::format("run {} ({})", run.run_id, run.run.device.name);
    if (!row.fault.empty()) {
      add_unreadable(findings, where, row.fault);
      continue;
    }
    if (run.run.device.fingerprint() != run.device_fingerprint) {
      add(findings, where,
          "its fingerprint is not the hash of its device's columns, so no program finds its "
          "results",
          "take back what was changed in the row");
      continue;
    }
    for (const std::string& fault : {fault_of_stored_run(run), rules.fault_of_run(run)}) {
      if (fault.empty()) continue;
      add(findings, where, fault, "correct it");
      break;
    }
  }
}

void check_configs(SQLite::Database& database, Findings& findings) {
  SQLite::Statement rows(database, "SELECT config_id, params FROM config");
  while (rows.executeStep()) {
    const std::string where = fmt::format("config {}", rows.getColumn(0).getInt64());
    const std::string fault = fault_of_params(rows.getColumn(1).getString());
    if (!fault.empty()) add(findings, where, fault, kDeleteRow);
  }
}

/// What is wrong with the measurement; empty if nothing. Its run and its config are others'.
std::string fault_of_row(const ResultRow& row, const CheckRules& rules) {
  const std::string fault = fault_of_stored_measurement(row.result);
  return fault.empty() ? rules.fault_of_measurement(row.result) : fault;
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
      add_unreadable(findings, where, row.fault);
    } else if (const std::string fault = fault_of_row(row, rules); !fault.empty()) {
      add(findings, where, fault, kDeleteRow);
    }
  }
  return count;
}

/// What is wrong with the kernel; empty if nothing.
std::string fault_of_kernel(const StoredKernel& kernel, std::int64_t image_bytes) {
  if (kernel.is_damaged) {
    return "its hash is not that of its columns, so it is compiled again where it is needed";
  }
  if (image_bytes != static_cast<std::int64_t>(kernel.record.image.size())) {
    return fmt::format("its image_bytes is {}, where its image has {}", image_bytes,
                       kernel.record.image.size());
  }
  return fault_of_date("used_at", kernel.used_at);
}

/// Returns how many there are.
std::size_t check_kernels(SQLite::Database& database, Findings& findings) {
  std::size_t count = 0;
  SQLite::Statement rows(database, std::string(kSelectKernels) + " ORDER BY kernel_id");
  SQLite::Statement sizes(database, "SELECT image_bytes FROM kernel ORDER BY kernel_id");
  for (; rows.executeStep() && sizes.executeStep(); ++count) {
    const std::string fault = fault_of_kernel(read_kernel(rows), sizes.getColumn(0).getInt64());
    if (fault.empty()) continue;
    add(findings, fmt::format("kernel {}", rows.getColumn(0).getInt64()), fault, "delete the row");
  }
  return count;
}

/// What no measurement refers to is nobody's, and may be anything that is well-formed.
void check_problems(SQLite::Database& database, Findings& findings) {
  SQLite::Statement rows(
      database,
      "SELECT problem_id, family, problem, layout, bucket, conditions FROM problem ORDER BY 1");
  while (rows.executeStep()) {
    const auto text = [&](int column) { return rows.getColumn(column).getString(); };
    const std::string fault = fault_of(ProblemKey{.family = text(1),
                                                  .problem = text(2),
                                                  .layout = text(3),
                                                  .bucket = text(4),
                                                  .conditions = text(5)});
    if (fault.empty()) continue;
    add(findings, fmt::format("problem {}", rows.getColumn(0).getInt64()), fault, kDeleteRow);
  }
}

void check_pins(SQLite::Database& database, Findings& findings) {
  SQLite::Statement rows(database, R"sql(
SELECT pin.measurement_id, pin.pinned_at,
  (pin.family, pin.problem, pin.template_fingerprint, pin.device_fingerprint)
    IS (p.family, p.problem, p.template_fingerprint, r.device_fingerprint),
  m.round > 1 AND m.outcome = 'ok'
FROM pin JOIN measurement m USING (measurement_id) JOIN problem p USING (problem_id)
  JOIN run r USING (run_id)
ORDER BY 1)sql");
  while (rows.executeStep()) {
    std::string fault = fault_of_date("pinned_at", rows.getColumn(1).getString());
    if (rows.getColumn(3).getInt() == 0) {
      fault = "its measurement was not chosen";
    } else if (rows.getColumn(2).getInt() == 0) {
      fault = "its names are not those of its measurement";
    }
    if (fault.empty()) continue;
    add(findings, fmt::format("pin {}", rows.getColumn(0).getInt64()), fault,
        "`foldtune unpin` without options removes all pins; pin again");
  }
}

void check_rows(SQLite::Database& database, const CheckRules& rules, CheckReport& report) {
  check_references(database, report.findings);
  check_pins(database, report.findings);
  check_runs(database, rules, report.findings);
  check_problems(database, report.findings);
  check_configs(database, report.findings);
  report.measurements = check_measurements(database, rules, report.findings);
  report.kernels = check_kernels(database, report.findings);
}

CheckReport check(SQLite::Database& database, const CheckRules& rules) {
  const SQLite::Transaction snapshot(database);
  CheckReport report;
  try {
    check_integrity(database, report.findings);
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
