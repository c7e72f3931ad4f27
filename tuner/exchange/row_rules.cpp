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
#include "cache/record_check.h"
#include "foldtune/problem.h"
#include "runtime/lookup.h"
#include "templates/space.h"
#include "tuner/problem_key.h"
#include "tuner/statistics.h"

namespace foldtune {
namespace {

/// How far a median may be from that of its samples, relative to it: a part of what is left of a
/// number that was written with 12 digits.
constexpr double kMedianTolerance = 1e-9;

bool is_of_one_line(std::string_view text) {
  constexpr char kDelete = 0x7f;
  return std::ranges::none_of(text, [](char c) { return (c >= 0 && c < ' ') || c == kDelete; });
}

/// What a run is of is printed as it is; its command is not.
std::string fault_of_texts(const StoredResult& row) {
  std::string fault;
  visit_run(row, [&]<class Field>(const ColumnInfo& column, const Field& field) {
    if constexpr (std::is_same_v<Field, std::string>) {
      const bool is_printed = &field != &row.run.command;
      if (fault.empty() && is_printed && !is_of_one_line(field)) {
        fault = fmt::format("its {} has control characters", column.name);
      }
    }
  });
  return fault;
}

std::string fault_of_time(const char* what, const std::string& time) {
  if (is_time(time)) return {};
  return fmt::format("its {} is not of the form 2026-01-31T12:00:00Z", what);
}

std::string fault_of_samples(const MeasurementRecord& m) {
  if (m.outcome != Outcome::ok || m.samples_us.empty()) return {};
  const double expected = median(m.samples_us);
  if (std::abs(m.median_us - expected) <= kMedianTolerance * expected) return {};
  return fmt::format("its median_us is {}, and that of its samples is {}", m.median_us, expected);
}

// Users' operators: "name:0123456789abcdef".

bool is_hash(std::string_view text) {
  constexpr std::size_t kDigits = 16;
  return text.size() == kDigits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

/// The key tells an accumulator's types, not its names.
std::string fault_of_custom(const Problem& problem, const ProblemKey& key) {
  if (!is_hash(std::string_view(key.op).substr(key.op.find(':') + 1))) {
    return fmt::format("its op {} does not end in a hash of 16 digits", key.op);
  }
  CustomOperator op = *problem.custom;
  op.accumulator.clear();
  for (const std::string_view item : split_list(key.accumulator_type)) {
    const auto type = parse_element_type(item);
    if (!type) return fmt::format("there is no accumulator type \"{}\"", key.accumulator_type);
    op.accumulator.push_back({.name = fmt::format("f{}", op.accumulator.size()), .type = *type});
  }
  return op.find_fault();
}

/// Of the names that `read_problem` does not know.
std::string fault_of_unknown(const ProblemKey& key) {
  if (!is_custom(key) && !parse_operator(key.op))
    return fmt::format("there is no op \"{}\"", key.op);
  for (const std::string_view type : split_list(key.element_type)) {
    if (!parse_element_type(type)) return fmt::format("there is no element_type \"{}\"", type);
  }
  if (!is_custom(key) && !parse_element_type(key.accumulator_type)) {
    return fmt::format("there is no accumulator_type \"{}\"", key.accumulator_type);
  }
  if (!parse_determinism(key.determinism)) {
    return fmt::format("there is no determinism \"{}\"", key.determinism);
  }
  return fmt::format("its options \"{}\" are unknown", key.options);
}

/// A program looks for the key that it makes of the problem, and would find no other.
std::string fault_of_key(const Problem& problem, const ProblemKey& key) {
  ProblemKey expected = make_problem_key(problem);
  if (is_custom(key)) {
    expected.op = key.op;
    expected.accumulator_type = key.accumulator_type;
  }
  // As it is quoted in the reason.
  const auto quoted = []<class Field>(const Field& field) {
    return std::is_same_v<Field, std::string> ? fmt::format("\"{}\"", field)
                                              : fmt::format("{}", field);
  };
  std::vector<std::string> wanted;
  visit_columns(expected,
                [&](const ColumnInfo&, const auto& field) { wanted.push_back(quoted(field)); });
  std::string fault;
  auto next = wanted.begin();
  visit_columns(key, [&](const ColumnInfo& column, const auto& field) {
    const std::string& other = *next++;
    if (!fault.empty() || quoted(field) == other) return;
    fault =
        fmt::format("its {} is {}, where this problem has {}", column.name, quoted(field), other);
  });
  return fault;
}

std::string fault_of_problem(const std::optional<Problem>& problem, const ProblemKey& key) {
  if (!problem) return fault_of_unknown(key);
  if (std::string fault = find_fault(*problem); !fault.empty()) return fault;
  if (is_custom(key)) {
    if (std::string fault = fault_of_custom(*problem, key); !fault.empty()) return fault;
  }
  return fault_of_key(*problem, key);
}

std::string fault_of_params(const Problem& problem, const std::string& params) {
  try {
    const Params parsed = params_from_json(family_of(problem.op), params);
    if (problem.custom != nullptr || Space(problem).contains(parsed)) return {};
    return fmt::format("its params are not in the space of its problem: {}", params);
  } catch (const std::invalid_argument& error) {
    return fmt::format("of its params, {}", error.what());
  }
}

std::string fault_of_foreign_params(const std::string& params) {
  const auto json = nlohmann::json::parse(params);
  const bool is_flat = std::ranges::none_of(
      json, [](const nlohmann::json& value) { return value.is_structured() || value.is_null(); });
  return is_flat ? "" : fmt::format("its params are not plain values: {}", params);
}

}  // namespace

std::string fault_of_run(const StoredResult& row) {
  if (row.run.device.fingerprint() != row.device_fingerprint) {
    return "its device_fingerprint is not the hash of its device's fields";
  }
  if (std::string fault = fault_of(row.run); !fault.empty()) return fault;
  if (std::string fault = fault_of_time("started_at", row.started_at); !fault.empty()) return fault;
  return fault_of_texts(row);
}

std::string fault_of_measurement(const StoredResult& row, bool is_of_these_kernels) {
  const MeasurementRecord& m = row.measurement;
  if (std::string fault = fault_of(m); !fault.empty()) return fault;
  if (std::string fault = fault_of_time("measured_at", row.measured_at); !fault.empty()) {
    return fault;
  }
  if (std::string fault = fault_of_samples(m); !fault.empty()) return fault;
  const std::optional<Problem> problem = read_problem(m.problem, m.count);
  if (std::string fault = fault_of_problem(problem, m.problem); !fault.empty()) return fault;
  return is_of_these_kernels ? fault_of_params(*problem, m.params)
                             : fault_of_foreign_params(m.params);
}

}  // namespace foldtune
