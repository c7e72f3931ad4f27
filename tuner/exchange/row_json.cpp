#include "tuner/exchange/row_json.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "cache/store_error.h"
#include "tuner/json_fields.h"
#include "tuner/table.h"

namespace foldtune {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// Fields whose JSON is of another form than the record's.

/// An integer that not every JSON reader holds, as decimal text.
template <class T>
struct Decimal {
  T& value;
};

/// A time that is null where it was not measured.
template <class T>
struct OptionalTime {
  T& us;
};

/// JSON within a text.
template <class T>
struct Object {
  T& text;
};

template <class T>
Decimal(T&) -> Decimal<T>;
template <class T>
OptionalTime(T&) -> OptionalTime<T>;
template <class T>
Object(T&) -> Object<T>;

// The fields of a row, for both directions. Their names are those of the view `result`.

template <FieldsOf<DeviceRow> T, class Visit>
void visit_fields(T& row, Visit& visit) {
  auto& device = row.record;
  visit("fingerprint", row.fingerprint);
  visit("kind", device.kind);
  visit("name", device.name);
  visit("architecture", device.architecture);
  visit("multiprocessor_count", device.multiprocessor_count);
  visit("memory_clock_khz", device.memory_clock_khz);
  visit("memory_bus_bits", device.memory_bus_bits);
  visit("l2_bytes", device.l2_bytes);
  visit("driver", device.driver);
}

template <FieldsOf<RunRow> T, class Visit>
void visit_fields(T& row, Visit& visit) {
  auto& run = row.record;
  visit("id", row.id);
  visit("device_fingerprint", row.device_fingerprint);
  visit("started_at", row.started_at);
  visit("template_fingerprint", run.template_fingerprint);
  visit("compiler", run.compiler);
  visit("foldtune_version", run.foldtune_version);
  visit("command", run.command);
  visit("seed", Decimal{run.seed});
  visit("read_bandwidth_gbps", run.read_bandwidth_gbps);
}

template <FieldsOf<MeasurementRow> T, class Visit>
void visit_fields(T& row, Visit& visit) {
  auto& m = row.record;
  visit("run_id", row.run_id);
  visit("measured_at", row.measured_at);
  visit("family", m.problem.family);
  visit("op", m.problem.op);
  visit("element_type", m.problem.element_type);
  visit("accumulator_type", m.problem.accumulator_type);
  visit("alignment", m.problem.alignment);
  visit("determinism", m.problem.determinism);
  visit("options", m.problem.options);
  visit("size_class", m.problem.size_class);
  visit("element_count", m.count);
  visit("input_bytes", m.bytes);
  visit("params", Object{m.params});
  visit("is_default", m.is_default);
  visit("round", m.round);
  visit("outcome", m.outcome);
  visit("failure", m.failure);
  visit("median_us", m.median_us);
  visit("mad_us", m.mad_us);
  visit("discarded_samples", m.discarded_samples);
  visit("hot_us", OptionalTime{m.hot_us});
  visit("stream_us", OptionalTime{m.stream_us});
  visit("latency_us", OptionalTime{m.latency_us});
  visit("registers", m.registers);
  visit("shared_bytes", m.shared_bytes);
  visit("local_bytes", m.local_bytes);
  visit("occupancy", m.occupancy);
  visit("compile_ms", m.compile_ms);
  visit("sm_clock_mhz", m.sm_clock_mhz);
  visit("memory_clock_mhz", m.memory_clock_mhz);
  visit("samples_us", m.samples_us);
}

// Writing.

class FieldWriter {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    json_[name] = written(value);
  }

  OrderedJson take() { return std::move(json_); }

 private:
  template <class T>
  static OrderedJson written(const T& value) {
    return json_fields::write(value);
  }
  static OrderedJson written(Outcome outcome) { return to_string(outcome); }
  static OrderedJson written(Decimal<const std::uint64_t> field) {
    return std::to_string(field.value);
  }
  static OrderedJson written(OptionalTime<const double> field) {
    return field.us == 0 ? OrderedJson() : written(field.us);
  }
  static OrderedJson written(Object<const std::string> field) {
    return OrderedJson::parse(field.text);
  }

  OrderedJson json_ = OrderedJson::object();
};

template <class Row>
OrderedJson write_row(const Row& row) {
  FieldWriter writer;
  visit_fields(row, writer);
  return writer.take();
}

// Reading. Each throws RowFault that says what there has to be.

void read_value(const Json& json, double& value) {
  if (!json.is_number()) throw RowFault("a number");
  value = json.get<double>();
}

template <std::integral T>
void read_value(const Json& json, T& value) {
  try {
    value = json_fields::read(json, json_fields::Tag<T>());
  } catch (const std::exception&) {
    throw RowFault("an integer of its range");
  }
}

void read_value(const Json& json, bool& value) {
  if (!json.is_boolean()) throw RowFault("true or false");
  value = json.get<bool>();
}

void read_value(const Json& json, std::string& text) {
  if (json.is_string()) {
    text = json.get<std::string>();
    return;
  }
  if (!json.is_array()) throw RowFault("a text");
  text.clear();
  for (const Json& item : json) {
    std::uint8_t byte = 0;
    read_value(item, byte);
    text.push_back(static_cast<char>(byte));
  }
}

void read_value(const Json& json, std::vector<double>& values) {
  if (!json.is_array()) throw RowFault("a list of numbers");
  values.clear();
  for (const Json& item : json) read_value(item, values.emplace_back());
}

void read_value(const Json& json, Outcome& outcome) {
  try {
    outcome = parse_outcome(json.is_string() ? json.get_ref<const std::string&>() : "");
  } catch (const StoreError&) {
    throw RowFault("an outcome that this Foldtune knows");
  }
}

void read_value(const Json& json, Decimal<std::uint64_t> field) {
  const std::string text = json.is_string() ? json.get<std::string>() : "";
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, field.value);
  if (error != std::errc() || parsed != end) throw RowFault("a decimal number as text");
}

void read_value(const Json& json, OptionalTime<double> field) {
  if (json.is_null()) {
    field.us = 0;
  } else {
    read_value(json, field.us);
  }
}

void read_value(const Json& json, Object<std::string> field) {
  if (!json.is_object()) throw RowFault("an object");
  field.text = json.dump();
}

/// As much of a value as a line of a report holds.
constexpr std::size_t kShownCharacters = 60;

class FieldReader {
 public:
  explicit FieldReader(const Json& row) : row_(row) {
    if (!row.is_object()) throw RowFault("it is no object");
  }

  template <class T>
  void operator()(const char* name, T&& field) {
    const auto found = row_.find(name);
    if (found == row_.end()) throw RowFault(fmt::format("it lacks {}", name));
    known_.insert(name);
    try {
      read_value(*found, std::forward<T>(field));
    } catch (const RowFault& wanted) {
      throw RowFault(fmt::format("its {} is {}, not {}", name, cut(found->dump(), kShownCharacters),
                                 wanted.what()));
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

template <class Row>
Row read_row(const Json& json) {
  Row row;
  FieldReader reader(json);
  visit_fields(row, reader);
  reader.require_no_other();
  return row;
}

}  // namespace

nlohmann::ordered_json to_json(const DeviceRow& row) { return write_row(row); }
nlohmann::ordered_json to_json(const RunRow& row) { return write_row(row); }
nlohmann::ordered_json to_json(const MeasurementRow& row) { return write_row(row); }

DeviceRow read_device_row(const Json& json) { return read_row<DeviceRow>(json); }
RunRow read_run_row(const Json& json) { return read_row<RunRow>(json); }
MeasurementRow read_measurement_row(const Json& json) { return read_row<MeasurementRow>(json); }

}  // namespace foldtune
