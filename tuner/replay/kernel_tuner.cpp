#include "tuner/replay/kernel_tuner.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

namespace foldtune {
namespace {

constexpr const char* kSchemaVersion = "1.1.0";
constexpr double kUsPerMs = 1e3;

/// The name of Kernel Tuner's error for an outcome.
const char* error_name(Outcome outcome) {
  return outcome == Outcome::compile_error ? "CompilationFailedConfig" : "RuntimeFailedConfig";
}

nlohmann::ordered_json value_of(const Tunable& tunable, int value) {
  if (tunable.labels.empty()) return value;
  return tunable.labels[static_cast<std::size_t>(value)];
}

/// The values of every tunable that the landscape holds, in the order of the space.
nlohmann::ordered_json tune_params(const Landscape& landscape, std::span<const Tunable> tunables) {
  nlohmann::ordered_json params = nlohmann::ordered_json::object();
  for (const Tunable& tunable : tunables) {
    std::set<int> values;
    for (const LandscapePoint& point : landscape.points) values.insert(tunable.get(point.params));
    auto& list = params[std::string(tunable.name)] = nlohmann::ordered_json::array();
    for (const int value : values) list.push_back(value_of(tunable, value));
  }
  return params;
}

nlohmann::ordered_json entry_of(const LandscapePoint& point, std::span<const Tunable> tunables,
                                double compile_ms, const std::string& timestamp) {
  nlohmann::ordered_json entry;
  for (const Tunable& tunable : tunables) {
    entry[std::string(tunable.name)] = value_of(tunable, tunable.get(point.params));
  }
  if (point.outcome == Outcome::ok) {
    entry["time"] = point.median_us / kUsPerMs;
    entry["times"] = {point.median_us / kUsPerMs};
  } else {
    entry["time"] = error_name(point.outcome);
  }
  entry["compile_time"] = compile_ms;
  for (const char* unknown :
       {"verification_time", "benchmark_time", "strategy_time", "framework_time"}) {
    entry[unknown] = 0;
  }
  entry["timestamp"] = timestamp;
  return entry;
}

/// The values by comma, as Kernel Tuner joins them.
std::string key_of(const LandscapePoint& point, std::span<const Tunable> tunables) {
  std::string key;
  for (const Tunable& tunable : tunables) {
    const nlohmann::ordered_json value = value_of(tunable, tunable.get(point.params));
    key += fmt::format("{}{}", key.empty() ? "" : ",",
                       value.is_string() ? value.get<std::string>() : value.dump());
  }
  return key;
}

}  // namespace

std::string to_kernel_tuner_cache(const Landscape& landscape, const std::string& timestamp) {
  const auto tunables = rules(family_of(landscape.problem.op)).tunables;
  nlohmann::ordered_json keys = nlohmann::ordered_json::array();
  for (const Tunable& tunable : tunables) keys.push_back(tunable.name);
  const nlohmann::ordered_json header{{"schema_version", kSchemaVersion},
                                      {"device_name", landscape.device.name},
                                      {"kernel_name", to_string(landscape.problem)},
                                      {"problem_size", landscape.problem.count},
                                      {"tune_params_keys", keys},
                                      {"tune_params", tune_params(landscape, tunables)},
                                      {"objective", "time"}};
  // A line per configuration, and the end as Kernel Tuner knows that of a closed file: its last
  // three characters.
  std::string text = "{\n";
  for (const auto& [key, value] : header.items()) {
    text += fmt::format("{}: {},\n", nlohmann::json(key).dump(), value.dump());
  }
  text += "\"cache\": {";
  const char* separator = "\n";
  for (const LandscapePoint& point : landscape.points) {
    text += fmt::format("{}{}: {}", separator, nlohmann::json(key_of(point, tunables)).dump(),
                        entry_of(point, tunables, landscape.compile_ms, timestamp).dump());
    separator = ",\n";
  }
  return text + "}\n}";
}

}  // namespace foldtune
