#include "tuner/exchange/row_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cache/columns.h"
#include "cache/field_text.h"
#include "cache/store_error.h"
#include "templates/family.h"
#include "templates/json_fields.h"
#include "tuner/text/table.h"

namespace foldtune {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr ColumnInfo kRunIdColumn{"run_id", "", ""};

// Writing.

class FieldWriter {
 public:
  template <class T>
  void operator()(const ColumnInfo& column, const T& value) {
    json_[column.name] = written(column, value);
  }

  OrderedJson take() { return std::move(json_); }

 private:
  template <class T>
  static OrderedJson written(const ColumnInfo&, const T& value) {
    return json_fields::write(value);
  }
  static OrderedJson written(const ColumnInfo&, Outcome outcome) { return to_string(outcome); }
  static OrderedJson written(const ColumnInfo& column, double number) {
    return column.is_optional && number == 0 ? OrderedJson()
                                             : OrderedJson(json_fields::write(number));
  }
  static OrderedJson written(const ColumnInfo& column, const std::string& text) {
    if (column.is_fields) return written_fields(text);
    if (!column.is_json) return json_fields::write(text);
    OrderedJson json = OrderedJson::parse(text, nullptr, /*allow_exceptions=*/false);
    // A row that was edited by hand is shown as it is, and never exported.
    return json.is_object() ? json : OrderedJson(json_fields::write(text));
  }

  static OrderedJson written_fields(const std::string& text) {
    OrderedJson json = OrderedJson::object();
    const auto words = words_of(text);
    if (!words && !text.empty()) return json_fields::write(text);  // edited by hand, too
    if (!words) return json;
    for (const FieldWord& word : *words) json[std::string(word.name)] = word.value;
    return json;
  }

  OrderedJson json_ = OrderedJson::object();
};

// Reading. Each throws RowFault that says what there has to be.

void read_value(const Json& json, const ColumnInfo& column, double& value) {
  if (column.is_optional && json.is_null()) {
    value = 0;
  } else if (json.is_number()) {
    value = json.get<double>();
  } else {
    throw RowFault("a number");
  }
}

template <std::integral T>
void read_value(const Json& json, const ColumnInfo&, T& value) {
  try {
    value = json_fields::read(json, json_fields::Tag<T>());
  } catch (const std::exception&) {
    throw RowFault("an integer of its range");
  }
}

void read_value(const Json& json, const ColumnInfo&, bool& value) {
  if (!json.is_boolean()) throw RowFault("true or false");
  value = json.get<bool>();
}

std::string read_fields(const Json& json) {
  constexpr const char* kWanted = "an object of names and their values";
  if (!json.is_object()) throw RowFault(kWanted);
  std::string text;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_string()) throw RowFault(kWanted);
    text +=
        fmt::format("{}{}={}", text.empty() ? "" : " ", name, value.get_ref<const std::string&>());
  }
  const auto words = words_of(text);
  if (!text.empty() && (!words || words->size() != json.size())) throw RowFault(kWanted);
  return text;
}

void read_value(const Json& json, const ColumnInfo& column, std::string& text) {
  if (column.is_fields) {
    text = read_fields(json);
    return;
  }
  if (column.is_json) {
    if (!json.is_object()) throw RowFault("an object");
    text = json.dump();
    return;
  }
  if (json.is_string()) {
    text = json.get<std::string>();
    return;
  }
  if (!json.is_array()) throw RowFault("a text");
  text.clear();
  for (const Json& item : json) {
    std::uint8_t byte = 0;
    read_value(item, column, byte);
    text.push_back(static_cast<char>(byte));
  }
}

void read_value(const Json& json, const ColumnInfo&, std::vector<double>& values) {
  const bool is_list = json.is_array() && std::ranges::all_of(json, &Json::is_number);
  if (!is_list) throw RowFault("a list of numbers");
  values = json.get<std::vector<double>>();
}

void read_value(const Json& json, const ColumnInfo&, Outcome& outcome) {
  try {
    outcome = parse_outcome(json.is_string() ? json.get_ref<const std::string&>() : "");
  } catch (const StoreError&) {
    throw RowFault("an outcome that this Foldtune knows");
  }
}

/// As much of a value as a line of a report holds.
constexpr std::size_t kShownCharacters = 60;

class FieldReader {
 public:
  explicit FieldReader(const Json& row) : row_(row) {
    if (!row.is_object()) throw RowFault("it is no object");
  }

  template <class T>
  void operator()(const ColumnInfo& column, T& field) {
    const auto found = row_.find(column.name);
    if (found == row_.end()) throw RowFault(fmt::format("it lacks {}", column.name));
    known_.insert(column.name);
    try {
      read_value(*found, column, field);
    } catch (const RowFault& wanted) {
      throw RowFault(fmt::format("its {} is {}, not {}", column.name,
                                 cut(found->dump(), kShownCharacters), wanted.what()));
    }
  }

  void require_no_other() const {
    for (const auto& item : row_.items()) {
      if (!known_.contains(item.key())) {
        throw RowFault(
            fmt::format("its field {} is unknown", cut(Json(item.key()).dump(), kShownCharacters)));
      }
    }
  }

 private:
  const Json& row_;
  std::set<std::string> known_;
};

/// JSON has no order of names; a key has that of the family.
void put_in_order(ProblemKey& key) {
  const Family* const family = find_family(key.family);
  auto words = words_of(key.problem);
  if (family == nullptr || !words) return;
  std::ranges::stable_sort(*words, {}, [&](const FieldWord& word) {
    return std::ranges::find(family->fields(), word.name, &Field::name) - family->fields().begin();
  });
  std::string text;
  for (const FieldWord& word : *words) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", word.name, word.value);
  }
  key.problem = std::move(text);
}

}  // namespace

OrderedJson run_to_json(const StoredResult& row) {
  FieldWriter writer;
  writer(kRunIdColumn, row.run_id);
  visit_run(row, writer);
  return writer.take();
}

OrderedJson key_to_json(const ProblemKey& key) {
  FieldWriter writer;
  visit_columns(key, writer);
  return writer.take();
}

OrderedJson measurement_to_json(const StoredResult& row) {
  FieldWriter writer;
  writer(kRunIdColumn, row.run_id);
  visit_measurement(row, writer);
  return writer.take();
}

void read_run(const Json& json, StoredResult& row) {
  FieldReader reader(json);
  reader(kRunIdColumn, row.run_id);
  visit_run(row, reader);
  reader.require_no_other();
}

void read_measurement(const Json& json, StoredResult& row) {
  FieldReader reader(json);
  reader(kRunIdColumn, row.run_id);
  visit_measurement(row, reader);
  reader.require_no_other();
  put_in_order(row.measurement.problem);
}

}  // namespace foldtune
