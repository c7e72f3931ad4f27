/// Exported files, as the tests of export and import make and change them.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "templates/histogram/space.h"
#include "templates/histogram/workload.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {

/// Every column of the view `result` but the ids and where a row was imported from, a text per row,
/// in the order of storing.
inline std::vector<std::string> contents(const std::string& database) {
  SQLite::Database db(database, SQLite::OPEN_READONLY);
  std::vector<std::string> rows;
  SQLite::Statement statement(db, "SELECT * FROM result ORDER BY measurement_id");
  while (statement.executeStep()) {
    std::string row;
    for (int i = 0; i < statement.getColumnCount(); ++i) {
      const std::string name = statement.getColumnName(i);
      if (name == "measurement_id" || name == "run_id" || name == "imported_from") continue;
      row += name + '=' + (statement.isColumnNull(i) ? "NULL" : statement.getColumn(i).getString());
      row += '\n';
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// A success with something in every field.
inline MeasurementRecord full_measurement() {
  MeasurementRecord m = success(Reduction{.op = Operator::max,
                                          .type = ElementType::f16,
                                          .count = 1'000'003,
                                          .alignment = Alignment::element,
                                          .nan_policy = NanPolicy::ignore},
                                with_block_size(512), {5.1, 4.9, 1.0 / 3, 7}, /*round=*/2);
  m.is_default = true;
  m.discarded_samples = 3;
  m.hot_us = 1.5;
  m.stream_us = 6;
  m.latency_us = 9.25;
  m.registers = 32;
  m.shared_bytes = 128;
  m.local_bytes = 16;
  m.occupancy = 0.75;
  m.compile_ms = 41.125;
  m.sm_clock_mhz = 1980;
  m.memory_clock_mhz = 3201;
  return m;
}

/// Two devices, three runs, six measurements: of two families, a user's operator, of failures, of
/// other kernels, with texts that JSON has to escape.
inline void store_variety(const std::string& database) {
  TunedDatabase tuned(database);
  RunRecord run = run_on("NVIDIA H200");
  run.seed = 18'446'744'073'709'551'615U;
  tuned.add(run, {full_measurement(), stored_sum(20, 5),
                  failure(sum_of(1 << 20), with_block_size(1024), foldtune::Outcome::compile_error,
                          "line 1\n\t\"quoted\" \\ caf\xc3\xa9, and \xff\xfe no UTF-8")});
  CustomOperator op{.name = "distance", .inputs = {ElementType::f32, ElementType::f16}};
  Reduction custom = make_reduction(op);
  custom.count = 4096;
  const HistogramWorkload histogram{
      .type = ElementType::u8, .binning = Binning::key, .count = 1 << 16};
  tuned.add(run_on("NVIDIA H100"),
            {success(custom, with_block_size(256), {3}),
             success(histogram, Config(histogram_family()), {8, 9, 10}, /*round=*/1)});
  run.foldtune_version = "0.0.9";
  MeasurementRecord old = with_kernels("of-another-version", stored_sum(22, 4));
  old.params = R"({"block":64,"stage":"old"})";
  tuned.add(run, {old});
}
inline constexpr std::size_t kVarietyRows = 6;

inline nlohmann::json read_export(const std::string& path) {
  return nlohmann::json::parse(read_file(path));
}

}  // namespace foldtune::test
