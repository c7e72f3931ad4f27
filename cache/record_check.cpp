#include "cache/record_check.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "cache/columns.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

/// Looks at the numbers of the columns that it visits. A seed is any number.
class NumberCheck {
 public:
  template <class Field>
  void operator()(const ColumnInfo& column, const Field& field) {
    if constexpr (std::is_arithmetic_v<Field>) {
      require(column, static_cast<double>(field));
    } else if constexpr (std::is_same_v<Field, std::vector<double>>) {
      for (const double number : field) require(column, number);
    }
  }

  std::string take_fault() { return std::move(fault_); }

 private:
  void require(const ColumnInfo& column, double number) {
    if (!fault_.empty()) return;
    if (!std::isfinite(number) || number < 0) {
      fault_ = fmt::format("its {} is negative or not a finite number", column.name);
    } else if (number > column.most) {
      fault_ = fmt::format("its {} is not between 0 and {}", column.name, column.most);
    }
  }

  std::string fault_;
};

void require_none(const std::string& fault, std::string_view what) {
  if (!fault.empty()) {
    throw StoreError(fmt::format("cannot store a {}: {}; correct the record", what, fault));
  }
}

nlohmann::json parsed(const std::string& params) {
  return nlohmann::json::parse(params, nullptr, /*allow_exceptions=*/false);
}

}  // namespace

std::string fault_of(const RunRecord& run) {
  NumberCheck check;
  visit_columns(run, check);
  return check.take_fault();
}

std::string fault_of(const MeasurementRecord& m) {
  NumberCheck check;
  visit_columns(m, check);
  if (std::string fault = check.take_fault(); !fault.empty()) return fault;
  if (m.outcome == Outcome::ok && m.median_us == 0) {
    return "it succeeded, but its median_us is not above 0";
  }
  if (m.outcome == Outcome::ok && !m.failure.empty()) {
    return fmt::format("it succeeded, but gives a failure: \"{}\"", m.failure);
  }
  if (!parsed(m.params).is_object()) {
    return fmt::format("its params are not a JSON object: \"{}\"", m.params);
  }
  return {};
}

RunRecord checked(RunRecord run) {
  require_none(fault_of(run), "run");
  return run;
}

MeasurementRecord checked(MeasurementRecord measurement) {
  require_none(fault_of(measurement), "measurement");
  // nlohmann::json keeps the keys of an object sorted.
  measurement.params = parsed(measurement.params).dump();
  return measurement;
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

bool is_time(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  return std::ranges::equal(text, kForm, [](char c, char form) {
    return form == 'd' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : c == form;
  });
}

}  // namespace foldtune
