#include "tuner/exchange/row_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cache/columns.h"
#include "cache/excerpt.h"
#include "cache/field_text.h"
#include "cache/record_check.h"
#include "runtime/lookup/lookup.h"
#include "templates/family.h"
#include "templates/fingerprint.h"
#include "templates/space.h"
#include "tuner/measure/measure.h"
#include "tuner/measure/statistics.h"
#include "tuner/problem/problem_key.h"

namespace foldtune {
namespace {

/// How far a median may be from that of its samples, relative to it: a part of what is left of a
/// number that was written with 12 digits.
constexpr double kMedianTolerance = 1e-9;

/// A terminal takes them for commands. Those from U+0080 on begin with 0xC2 in UTF-8.
bool has_controls(std::string_view text, bool has_lines) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool is_wide = c == 0xC2 && i + 1 < text.size() &&
                         (static_cast<unsigned char>(text[i + 1]) & 0xE0U) == 0x80U;
    if (has_lines && (c == '\n' || c == '\t' || c == '\r')) continue;
    if (c < ' ' || c == 0x7f || is_wide) return true;
  }
  return false;
}

/// Looks at the texts of the columns that it visits.
class TextCheck {
 public:
  template <class Field>
  void operator()(const ColumnInfo& column, const Field& field) {
    if constexpr (std::is_same_v<Field, std::string>) {
      if (!fault_.empty()) return;
      if (field.size() > column.max_bytes) {
        fault_ = fmt::format("its {} has {} bytes, more than {}", column.name, field.size(),
                             column.max_bytes);
      } else if (has_controls(field, column.has_lines)) {
        fault_ = fmt::format("its {} has control characters", column.name);
      }
    }
  }

  std::string take_fault() { return std::move(fault_); }

 private:
  std::string fault_;
};

std::string fault_of_texts(const RunRecord& run) {
  TextCheck check;
  visit_columns(run, check);
  return check.take_fault();
}

std::string fault_of_texts(const MeasurementRecord& measurement) {
  TextCheck check;
  visit_columns(measurement, check);
  return check.take_fault();
}

std::string fault_of_samples(const MeasurementRecord& m) {
  if (m.outcome != Outcome::ok) return {};
  if (m.samples_us.empty()) return "it succeeded, but has no samples_us";
  const double expected = median(m.samples_us);
  const double tolerance = kMedianTolerance * expected;
  if (!(std::abs(m.median_us - expected) <= tolerance)) {
    return fmt::format("its median_us is {}, and that of its samples is {}", m.median_us, expected);
  }
  const double deviation = median_absolute_deviation(m.samples_us);
  if (std::abs(m.mad_us - deviation) <= tolerance) return {};
  return fmt::format("its mad_us is {}, and that of its samples is {}", m.mad_us, deviation);
}

// How fast a measurement can be at all. Each bound is several times what the fastest hardware does,
// so that no measurement breaks it, whatever the clocks.

/// A launch in a graph takes 1.2 us on an H200. A call of the CPU device is one of a function.
constexpr double kLeastLaunchUs = 0.1;
constexpr double kLeastCallUs = 0.001;

/// A multiprocessor loads 128 bytes per cycle at most, whichever cache they come from, at some
/// 2 GHz; a core of a CPU 128 at some 5 GHz.
constexpr double kMostGbpsOfMultiprocessor = 1000;

/// What a driver reports of a memory's clock and bus was off by 2 at most.
constexpr double kMostPeaks = 4;

/// In 10^9 bytes per second.
double max_gbps(const DeviceRecord& device, bool is_from_memory) {
  const double of_caches = kMostGbpsOfMultiprocessor * std::max(1, device.multiprocessor_count);
  const double peak = peak_gbps(device);
  return is_from_memory && peak > 0 ? std::min(of_caches, kMostPeaks * peak) : of_caches;
}

std::string fault_of_time(const char* column, double us, const StoredResult& row,
                          bool is_from_memory) {
  const DeviceRecord& device = row.run.device;
  const double least_us = device.kind == "cpu" ? kLeastCallUs : kLeastLaunchUs;
  if (us < least_us) {
    return fmt::format("its {} is {}, less than a launch takes anywhere", column, us);
  }
  const double gbps = static_cast<double>(row.measurement.bytes) / us / 1e3;
  const double most = max_gbps(device, is_from_memory);
  if (gbps <= most) return {};
  return fmt::format(
      "its {} is {}: {:.0f} GB/s, more than the {:.0f} GB/s that its device can read", column, us,
      gbps, most);
}

/// What a call reads of inputs beyond the L2 comes from the memory, unless it is warm.
std::string fault_of_times(const StoredResult& row) {
  const MeasurementRecord& m = row.measurement;
  if (m.outcome != Outcome::ok) return {};
  const bool fits_l2 = m.bytes <= static_cast<std::uint64_t>(row.run.device.l2_bytes);
  const auto conditions = parse_conditions(m.problem.conditions);
  const bool is_warm = conditions && has_warm_inputs(*conditions);
  std::string fault = fault_of_time("median_us", m.median_us, row, !fits_l2 && !is_warm);
  for (const double us : m.samples_us) {
    if (fault.empty()) fault = fault_of_time("samples_us", us, row, /*is_from_memory=*/false);
  }
  visit_own_columns(m, [&]<class Field>(const ColumnInfo& column, const Field& field) {
    // The optional ones are times, too.
    if constexpr (std::is_same_v<Field, double>) {
      if (!fault.empty() || !column.is_optional || field == 0) return;
      fault = fault_of_time(column.name, field, row, /*is_from_memory=*/false);
    }
  });
  return fault;
}

std::string fault_of_bandwidth(const RunRecord& run) {
  const double most = max_gbps(run.device, /*is_from_memory=*/true);
  if (run.read_bandwidth_gbps <= most) return {};
  return fmt::format("its read_bandwidth_gbps is {:.0f}, more than the {:.0f} that its device can",
                     run.read_bandwidth_gbps, most);
}

// Users' operators: "name:0123456789abcdef".

bool is_hash(std::string_view text) {
  constexpr std::size_t kDigits = 16;
  return text.size() == kDigits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

/// The first word that the family does not know.
std::string fault_of_fields(const Family& family, const std::string& text) {
  const auto fields = family.fields();
  for (const FieldWord& word : words_of(text).value_or(std::vector<FieldWord>())) {
    const auto field = std::ranges::find(fields, word.name, &Field::name);
    if (field == fields.end()) {
      return fmt::format("the family {} has no \"{}\"", family.name(), word.name);
    }
    if (Problem problem(family); !family.parse(problem, *field, word.value)) {
      return fmt::format("there is no {} \"{}\"", word.name, word.value);
    }
  }
  return fmt::format("its problem \"{}\" is unknown", text);
}

/// Of the names that `read_workload` does not know.
std::string fault_of_unknown(const ProblemKey& key, const std::string& shape) {
  const Family* const family = find_family(key.family);
  if (family == nullptr) {
    return fmt::format("there is no family \"{}\"; --family FILE names one of your own",
                       key.family);
  }
  if (!problem_of(*family, key.problem)) return fault_of_fields(*family, key.problem);
  if (!parse_shape(*family, shape)) {
    return fmt::format("its shape \"{}\" is none of the family {}", shape, family->name());
  }
  if (!parse_conditions(key.conditions)) {
    return fmt::format("there are no conditions \"{}\"", key.conditions);
  }
  return fmt::format("there is no layout \"{}\"", key.layout);
}

/// Of a user's operator the hash, which nothing but its own expressions can tell, is any.
bool is_same_value(std::string_view value, std::string_view expected, bool is_custom) {
  const std::size_t colon = value.find(':');
  if (!is_custom || colon == std::string_view::npos) return value == expected;
  return value.substr(0, colon) == expected.substr(0, expected.find(':')) &&
         is_hash(value.substr(colon + 1));
}

/// A program looks for the key that it makes of the workload, and would find no other.
std::string fault_of_key(const Workload& workload, const ProblemKey& key) {
  const ProblemKey expected = make_problem_key(workload);
  const auto words = words_of(key.problem).value_or(std::vector<FieldWord>());
  const auto wanted = words_of(expected.problem).value_or(std::vector<FieldWord>());
  const bool is_custom = workload.problem.custom() != nullptr;
  const bool is_same = std::ranges::equal(words, wanted, [&](const auto& a, const auto& b) {
    return a.name == b.name && is_same_value(a.value, b.value, is_custom);
  });
  if (!is_same) {
    return fmt::format("its problem is \"{}\", where {} has \"{}\"", key.problem,
                       to_string(workload.problem), expected.problem);
  }
  if (key.bucket == expected.bucket) return {};
  return fmt::format("its bucket is \"{}\", where this shape has \"{}\"", key.bucket,
                     expected.bucket);
}

std::string fault_of_problem(const std::optional<Workload>& workload, const MeasurementRecord& m) {
  if (!workload) return fault_of_unknown(m.problem, m.shape);
  if (std::string fault = find_fault(*workload); !fault.empty()) return fault;
  return fault_of_key(*workload, m.problem);
}

std::string fault_of_params(const Workload& workload, const std::string& params) {
  const Problem& problem = workload.problem;
  try {
    const Config parsed = config_from_json(problem.family(), params);
    if (problem.custom() != nullptr || Space(workload).contains(parsed)) return {};
    return fmt::format("its params are not in the space of its problem: {}", excerpt(params));
  } catch (const std::invalid_argument& error) {
    return fmt::format("of its params, {}", error.what());
  }
}

std::string fault_of_foreign_params(const std::string& params) {
  const auto json = nlohmann::json::parse(params);
  const bool is_flat = std::ranges::none_of(
      json, [](const nlohmann::json& value) { return value.is_structured() || value.is_null(); });
  return is_flat ? "" : fmt::format("its params are not plain values: {}", excerpt(params));
}

/// Of all that holds whatever the family is.
std::string fault_of_values(const StoredResult& row) {
  const MeasurementRecord& m = row.measurement;
  if (std::string fault = fault_of_texts(m); !fault.empty()) return fault;  // others quote them
  if (std::string fault = fault_of_stored_measurement(row); !fault.empty()) return fault;
  if (std::string fault = fault_of_samples(m); !fault.empty()) return fault;
  return fault_of_times(row);
}

/// Of what the family says.
std::string fault_of_meaning(const MeasurementRecord& m) {
  const std::optional<Workload> workload = read_workload(m.problem, m.shape);
  if (std::string fault = fault_of_problem(workload, m); !fault.empty()) return fault;
  const std::uint64_t bytes = input_bytes(*workload);
  if (m.bytes != bytes) {
    return fmt::format("its input_bytes is {}, where this problem has {}", m.bytes, bytes);
  }
  return is_of_these_kernels(m.template_fingerprint) ? fault_of_params(*workload, m.params)
                                                     : fault_of_foreign_params(m.params);
}

/// Whether the row may be right for a description that this program was not given, or was given in
/// another version.
bool may_be_unknown(const MeasurementRecord& m) {
  const Family* const family = find_family(m.problem.family);
  return !is_of_these_kernels(m.template_fingerprint) &&
         (family == nullptr || !family->path().empty());
}

}  // namespace

std::string fault_of_run(const StoredResult& row) {
  if (std::string fault = fault_of_texts(row.run); !fault.empty()) return fault;
  if (std::string fault = fault_of_stored_run(row); !fault.empty()) return fault;
  return fault_of_bandwidth(row.run);
}

RowVerdict judge_measurement(const StoredResult& row) {
  if (std::string fault = fault_of_values(row); !fault.empty()) return {.fault = std::move(fault)};
  std::string fault = fault_of_meaning(row.measurement);
  const bool is_unknown = !fault.empty() && may_be_unknown(row.measurement);
  return {.fault = std::move(fault), .is_unknown = is_unknown};
}

std::string fault_of_measurement(const StoredResult& row) { return judge_measurement(row).fault; }

RowVerdict judge_row(const ResultRow& row) {
  if (!row.fault.empty()) return {.fault = row.fault};
  if (const std::string fault = fault_of_run(row.result); !fault.empty()) {
    return {.fault = "of its run, " + fault};
  }
  return judge_measurement(row.result);
}

std::string reason_line(std::string_view what, std::int64_t number, const std::string& reason) {
  constexpr std::size_t kMostBytes = 300;
  std::string line = fmt::format("{} {}: {}", what, number, excerpt(reason, kMostBytes));
  // It quotes the file, which may hold what a terminal takes for commands.
  std::ranges::replace_if(
      line, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, '?');
  return line;
}

}  // namespace foldtune
