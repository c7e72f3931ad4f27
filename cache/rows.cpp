#include "cache/rows.h"

#include <SQLiteCpp/Column.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>
#include <variant>

#include "cache/columns.h"
#include "cache/field_text.h"
#include "cache/record_check.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

/// Takes the fields of a row from its columns, one after another.
class FieldReader {
 public:
  explicit FieldReader(const SQLite::Statement& row) : row_(row) {}

  std::int64_t integer() { return next().getInt64(); }

  void operator()(const ColumnInfo& column, std::string& text) {
    text = next().getString();
    if (column.is_json && !is_json_object(text)) {
      throw StoreError(fmt::format("its {} are not a JSON object; delete the row", column.name));
    }
    if (column.is_fields && !words_of(text)) {
      throw StoreError(
          fmt::format("its {} is not of the form \"name=value name=value\"; delete "
                      "the row",
                      column.name));
    }
  }
  void operator()(const ColumnInfo&, double& number) { number = next().getDouble(); }
  void operator()(const ColumnInfo& column, bool& is_true) {
    const std::int64_t value = integer();
    if (value != 0 && value != 1) throw out_of_range(column, value);
    is_true = value == 1;
  }
  template <std::integral T>
  void operator()(const ColumnInfo& column, T& number) {
    const std::int64_t value = integer();
    // A seed may be any number of 64 bits.
    if (sizeof(T) < sizeof value && !std::in_range<T>(value)) throw out_of_range(column, value);
    number = static_cast<T>(value);
  }
  void operator()(const ColumnInfo&, Outcome& outcome) {
    outcome = parse_outcome(next().getString());
  }
  void operator()(const ColumnInfo& column, std::vector<double>& numbers) {
    const auto json =
        nlohmann::json::parse(next().getString(), nullptr, /*allow_exceptions=*/false);
    if (!json.is_array() || !std::ranges::all_of(json, &nlohmann::json::is_number)) {
      throw StoreError(
          fmt::format("its {} is not a JSON list of numbers; delete the row", column.name));
    }
    numbers = json.get<std::vector<double>>();
  }

 private:
  static StoreError out_of_range(const ColumnInfo& column, std::int64_t value) {
    return StoreError(
        fmt::format("its {} is {}, which is out of range; delete the row", column.name, value));
  }

  SQLite::Column next() { return row_.getColumn(index_++); }

  const SQLite::Statement& row_;
  int index_ = 0;
};

// One that is not reset holds its transaction's locks.
class Resetting {
 public:
  explicit Resetting(SQLite::Statement& statement) : statement_(statement) {}
  Resetting(const Resetting&) = delete;
  Resetting& operator=(const Resetting&) = delete;
  ~Resetting() { statement_.tryReset(); }

  SQLite::Statement* operator->() { return &statement_; }
  SQLite::Statement& operator*() { return statement_; }

 private:
  SQLite::Statement& statement_;
};

// A field as a value of SQLite's.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

Value value_of(const std::string& text) { return text; }
Value value_of(double number) { return number; }
template <std::integral T>
Value value_of(T number) {
  return static_cast<std::int64_t>(number);
}
Value value_of(Outcome outcome) { return std::string(to_string(outcome)); }
Value value_of(const std::vector<double>& numbers) { return nlohmann::json(numbers).dump(); }

}  // namespace

/// A row by the names and values of its columns.
struct RowWriter::Fields {
  std::vector<const char*> names{};
  std::vector<Value> values{};

  void add(const char* name, Value value) {
    names.push_back(name);
    values.push_back(std::move(value));
  }

  template <class Field>
  void operator()(const ColumnInfo& column, const Field& field) {
    bool is_missing = false;
    if constexpr (std::is_arithmetic_v<Field>) is_missing = column.is_optional && field == 0;
    add(column.name, is_missing ? Value() : value_of(field));
  }
};

std::string reason_to_refuse(const ResultRow& row) {
  if (!row.fault.empty()) return row.fault;
  const std::string fault = fault_of_stored_run(row.result);
  return fault.empty() ? fault_of_stored_measurement(row.result) : "of its run, " + fault;
}

const std::string& result_columns() {
  static const std::string columns = [] {
    std::string names = "measurement_id, run_id";
    const auto add = [&](const ColumnInfo& column, const auto&) {
      names.append(", ").append(column.name);
    };
    const StoredResult row;
    visit_measurement(row, add);
    add(kImportedFromColumn, row.imported_from);
    add(kIsPinnedColumn, row.is_pinned);
    visit_run(row, add);
    return names;
  }();
  return columns;
}

const std::string& run_columns() {
  static const std::string columns = [] {
    std::string names = "run_id";
    const StoredResult row;
    visit_run(row, [&](const ColumnInfo& column, const auto&) {
      names.append(", ").append(column.name);
    });
    return names;
  }();
  return columns;
}

ResultRow read_run(const SQLite::Statement& statement) {
  ResultRow row;
  FieldReader fields(statement);
  row.result.run_id = fields.integer();
  try {
    visit_run(row.result, fields);
  } catch (const StoreError& error) {
    row.fault = error.what();
  }
  return row;
}

ResultRow read_row(const SQLite::Statement& statement) {
  ResultRow row;
  StoredResult& result = row.result;
  FieldReader fields(statement);
  result.measurement_id = fields.integer();
  result.run_id = fields.integer();
  try {
    visit_measurement(result, fields);
    fields(kImportedFromColumn, result.imported_from);
    fields(kIsPinnedColumn, result.is_pinned);
    visit_run(result, fields);
  } catch (const StoreError& error) {
    row.fault = error.what();
  }
  return row;
}

void RefusedRows::add(std::int64_t measurement_id, const std::string& reason) {
  if (rows++ == 0) first = fmt::format("measurement {}: {}", measurement_id, reason);
}

FetchedResults fetch_results(SQLite::Statement& statement,
                             const std::function<bool(const StoredResult&)>& is_wanted) {
  FetchedResults fetched;
  while (statement.executeStep()) {
    ResultRow row = read_row(statement);
    if (const std::string reason = reason_to_refuse(row); !reason.empty()) {
      fetched.left_out.add(row.result.measurement_id, reason);
    } else if (!is_wanted || is_wanted(row.result)) {
      fetched.results.push_back(std::move(row.result));
    }
  }
  return fetched;
}

std::int64_t RowWriter::insert_run(const StoredResult& row) {
  return insert("run", run_fields(row));
}

std::int64_t RowWriter::insert_measurement(ConfigStore::RunId run, const StoredResult& row) {
  Fields fields = measurement_fields(run, row);
  fields(kImportedFromColumn, row.imported_from);
  return insert("measurement", fields);
}

std::optional<std::int64_t> RowWriter::find_run(const StoredResult& row) {
  return find("run", run_fields(row));
}

std::optional<std::int64_t> RowWriter::find_measurement(ConfigStore::RunId run,
                                                        const StoredResult& row) {
  return find("measurement", measurement_fields(run, row));
}

bool RowWriter::has_run(ConfigStore::RunId run) {
  Resetting select(prepared("SELECT 1 FROM run WHERE run_id = ?"));
  select->bind(1, run);
  return select->executeStep();
}

RowWriter::Fields RowWriter::run_fields(const StoredResult& row) {
  Fields fields;
  visit_run(row, fields);
  return fields;
}

RowWriter::Fields RowWriter::measurement_fields(ConfigStore::RunId run, const StoredResult& row) {
  Fields problem;
  visit_problem_columns(row.measurement, problem);
  Fields config;
  config(kParamsColumn, row.measurement.params);
  Fields fields;
  fields.add("run_id", run);
  fields.add("problem_id", find_or_insert("problem", problem));
  fields.add("config_id", find_or_insert("config", config));
  fields(kMeasuredAtColumn, row.measured_at);
  visit_own_columns(row.measurement, fields);
  return fields;
}

std::optional<std::int64_t> RowWriter::find(const char* table, const Fields& fields) {
  // IS, since a column may be NULL.
  Resetting select(prepared(fmt::format("SELECT {0}_id FROM {0} WHERE {1} IS ?", table,
                                        fmt::join(fields.names, " IS ? AND "))));
  bind(*select, fields);
  if (!select->executeStep()) return std::nullopt;
  return select->getColumn(0).getInt64();
}

std::int64_t RowWriter::insert(const char* table, const Fields& fields) {
  const std::vector<const char*> marks(fields.names.size(), "?");
  Resetting statement(prepared(fmt::format("INSERT INTO {} ({}) VALUES ({})", table,
                                           fmt::join(fields.names, ", "), fmt::join(marks, ", "))));
  bind(*statement, fields);
  statement->exec();
  return database_.getLastInsertRowid();
}

std::int64_t RowWriter::find_or_insert(const char* table, const Fields& fields) {
  const std::optional<std::int64_t> found = find(table, fields);
  return found ? *found : insert(table, fields);
}

void RowWriter::bind(SQLite::Statement& statement, const Fields& fields) {
  int index = 0;
  for (const Value& value : fields.values) {
    std::visit(
        [&, place = ++index](const auto& field) {
          if constexpr (std::is_same_v<decltype(field), const std::monostate&>) {
            statement.bind(place);
          } else {
            statement.bind(place, field);
          }
        },
        value);
  }
}

SQLite::Statement& RowWriter::prepared(const std::string& sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return found->second;
  return statements_.emplace(sql, SQLite::Statement(database_, sql)).first->second;
}

}  // namespace foldtune
