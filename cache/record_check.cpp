#include "cache/record_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <system_error>
#include <type_traits>

#include "cache/columns.h"
#include "cache/excerpt.h"
#include "cache/field_text.h"
#include "cache/printable.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

constexpr std::size_t kMostExtents = 4;
constexpr std::uint64_t kMostClass = 256;  ///< of what has 64 bits, in quarters of an octave

/// What is wrong with one of the texts that name a problem; empty if nothing.
std::string fault_of_name(const ColumnInfo& column, const std::string& text) {
  if (text.size() > column.max_bytes) {
    return fmt::format("its {} has {} bytes, more than {}", column.name, text.size(),
                       column.max_bytes);
  }
  if (printable(text) != text) return fmt::format("its {} has control characters", column.name);
  if (column.is_fields && !words_of(text)) {
    return fmt::format("its {} \"{}\" is not of the form \"name=value name=value\"", column.name,
                       excerpt(text));
  }
  return {};
}

std::string fault_of_extents(const char* column, const std::string& text, std::uint64_t most) {
  const std::vector<std::uint64_t> extents = extents_of(text);
  if (extents.empty()) {
    return fmt::format("its {} \"{}\" is not of the form \"20\" or \"12x7\"", column,
                       excerpt(text));
  }
  if (std::ranges::max(extents) <= most) return {};
  return fmt::format("its {} \"{}\" has an extent above {}", column, excerpt(text), most);
}

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

/// Discarded where it is no JSON. So are more brackets than any configuration has: to write what is
/// deep in each other takes the whole stack.
nlohmann::json parsed(const std::string& params) {
  constexpr std::ptrdiff_t kMostBrackets = 64;
  const auto brackets = std::ranges::count_if(params, [](char c) { return c == '[' || c == '{'; });
  if (brackets > kMostBrackets) return nlohmann::json::value_t::discarded;
  return nlohmann::json::parse(params, nullptr, /*allow_exceptions=*/false);
}

}  // namespace

bool is_json_object(const std::string& text) { return parsed(text).is_object(); }

std::string fault_of_params(const std::string& params) {
  const nlohmann::json json = parsed(params);
  if (!json.is_object()) {
    return fmt::format("its params are not a JSON object: {}", excerpt(params));
  }
  const std::string canonical =
      json.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
  if (canonical == params) return {};
  return fmt::format("its params have unsorted keys or spaces: {}", excerpt(params));
}

std::string fault_of(const ProblemKey& problem) {
  std::string fault;
  visit_columns(problem, [&](const ColumnInfo& column, const std::string& text) {
    if (fault.empty()) fault = fault_of_name(column, text);
  });
  return fault.empty() ? fault_of_extents("bucket", problem.bucket, kMostClass) : fault;
}

std::string fault_of(const RunRecord& run) {
  NumberCheck check;
  visit_columns(run, check);
  return check.take_fault();
}

std::string fault_of(const MeasurementRecord& m) {
  NumberCheck check;
  visit_columns(m, check);
  if (std::string fault = check.take_fault(); !fault.empty()) return fault;
  if (std::string fault = fault_of(m.problem); !fault.empty()) return fault;
  constexpr auto kMostExtent = static_cast<std::uint64_t>(kMostInteger);
  if (std::string fault = fault_of_extents("shape", m.shape, kMostExtent); !fault.empty()) {
    return fault;
  }
  const std::vector<std::uint64_t> extents = extents_of(m.shape);
  if (std::ranges::count(extents, 0) > 0) {
    return "its shape has no elements, and nothing is never tuned";
  }
  if (extents.size() != extents_of(m.problem.bucket).size()) {
    return fmt::format("its shape {} has another number of extents than its bucket {}", m.shape,
                       m.problem.bucket);
  }
  if (m.outcome == Outcome::ok && m.median_us == 0) {
    return "it succeeded, but its median_us is not above 0";
  }
  if (m.outcome == Outcome::ok && !m.failure.empty()) {
    return fmt::format("it succeeded, but gives a failure: \"{}\"", excerpt(m.failure));
  }
  if (!is_json_object(m.params)) {
    return fmt::format("its params are not a JSON object: \"{}\"", excerpt(m.params));
  }
  return {};
}

std::string fault_of_stored_run(const StoredResult& row) {
  if (row.run.device.fingerprint() != row.device_fingerprint) {
    return "its device_fingerprint is not the hash of its device's columns";
  }
  const std::string fault = fault_of(row.run);
  return fault.empty() ? fault_of_date("started_at", row.started_at) : fault;
}

std::string fault_of_stored_measurement(const StoredResult& row) {
  const std::string fault = fault_of(row.measurement);
  return fault.empty() ? fault_of_date("measured_at", row.measured_at) : fault;
}

std::string fault_of_date(const char* column, const std::string& time) {
  if (is_time(time)) return {};
  return fmt::format("its {} is not of the form 2026-01-31T12:00:00Z: \"{}\"", column,
                     excerpt(printable(time)));
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

std::vector<std::uint64_t> extents_of(std::string_view text) {
  std::vector<std::uint64_t> extents;
  const char* const end = text.data() + text.size();
  const char* at = text.data();
  while (extents.size() < kMostExtents) {
    std::uint64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    const bool has_leading_zero = next - at > 1 && *at == '0';
    if (error != std::errc() || has_leading_zero) return {};
    extents.push_back(extent);
    if (next == end) return extents;
    if (*next != 'x') return {};
    at = next + 1;
  }
  return {};
}

// Without gmtime, which would read the file of the local time zone.
std::string utc_text(std::int64_t seconds_since_1970) {
  using namespace std::chrono;
  constexpr sys_seconds kFirst{sys_days(year(1) / 1 / 1)};
  constexpr sys_seconds kLast{sys_days(year(10'000) / 1 / 1) - seconds(1)};
  const auto time = std::clamp(sys_seconds(seconds(seconds_since_1970)), kFirst, kLast);
  const year_month_day date(floor<days>(time));
  const hh_mm_ss of_day(time - floor<days>(time));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     of_day.hours().count(), of_day.minutes().count(), of_day.seconds().count());
}

std::string utc_now() { return utc_text(std::time(nullptr)); }

bool is_time(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  const bool has_form = std::ranges::equal(text, kForm, [](char c, char form) {
    return form == 'd' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : c == form;
  });
  if (!has_form) return false;
  const auto number = [&](std::size_t place, std::size_t digits) {
    int value = 0;
    for (const char c : text.substr(place, digits)) value = 10 * value + (c - '0');
    return value;
  };
  using namespace std::chrono;
  const year_month_day date(year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                            day(static_cast<unsigned>(number(8, 2))));
  return date.ok() && number(11, 2) < 24 && number(14, 2) < 60 && number(17, 2) <= 60;
}

}  // namespace foldtune
