#include "tuner/exchange/kernel_tuner.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "templates/workload_json.h"
#include "tuner/files/file_error.h"
#include "tuner/files/input_file.h"
#include "tuner/worker/record_fields.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kSchemaVersion = "1.1.0";
constexpr const char* kOwnField = "foldtune";
constexpr const char* kCompilationFailed = "CompilationFailedConfig";
constexpr const char* kRuntimeFailed = "RuntimeFailedConfig";
constexpr double kUsPerMs = 1e3;
constexpr double kMostMs = 1e9;

OrderedJson value_of(const Tunable& tunable, int value) {
  if (tunable.labels.empty()) return value;
  return tunable.labels[static_cast<std::size_t>(value)];
}

/// The values of every tunable that the landscape holds, in the order of the space.
OrderedJson tune_params(const Landscape& landscape, std::span<const Tunable> tunables) {
  OrderedJson params = OrderedJson::object();
  for (const Tunable& tunable : tunables) {
    std::set<int> values;
    for (const LandscapePoint& point : landscape.points) values.insert(point.params.get(tunable));
    auto& list = params[std::string(tunable.name)] = OrderedJson::array();
    for (const int value : values) list.push_back(value_of(tunable, value));
  }
  return params;
}

OrderedJson own_field(const Landscape& landscape) {
  return {{"device", write_json(landscape.device)},
          {"compiler", landscape.compiler},
          {"template_fingerprint", landscape.template_fingerprint},
          {"read_bandwidth_gbps", landscape.read_bandwidth_gbps},
          {"workload", workload_to_json(landscape.workload)}};
}

OrderedJson entry_of(const LandscapePoint& point, double compile_ms, const std::string& timestamp) {
  OrderedJson entry = OrderedJson::parse(to_json(point.params));
  if (point.outcome == Outcome::ok) {
    entry["time"] = point.median_us / kUsPerMs;
    entry["times"] = {point.median_us / kUsPerMs};
  } else {
    entry["time"] = point.outcome == Outcome::compile_error ? kCompilationFailed : kRuntimeFailed;
  }
  entry["compile_time"] = compile_ms;
  for (const char* unknown :
       {"verification_time", "benchmark_time", "strategy_time", "framework_time"}) {
    entry[unknown] = 0;
  }
  entry["timestamp"] = timestamp;
  return entry;
}

/// A number, or a list of the extents.
OrderedJson problem_size(const Workload& workload) {
  const Family& family = workload.problem.family();
  const std::size_t first = first_extent(family, workload.shape);
  const std::size_t end = family.extents().size();
  if (first + 1 == end) return workload.shape[first];
  return std::vector<std::uint64_t>(workload.shape.extents.begin() + first,
                                    workload.shape.extents.begin() + end);
}

/// The values by comma, as Kernel Tuner joins them.
std::string key_of(const LandscapePoint& point, std::span<const Tunable> tunables) {
  std::string key;
  for (const Tunable& tunable : tunables) {
    const OrderedJson value = value_of(tunable, point.params.get(tunable));
    key += fmt::format("{}{}", key.empty() ? "" : ",",
                       value.is_string() ? value.get<std::string>() : value.dump());
  }
  return key;
}

std::string to_text(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

/// Throws std::exception for what is missing or no configuration of the family.
LandscapePoint read_entry(const nlohmann::json& entry, const Family& family) {
  nlohmann::json params = nlohmann::json::object();
  for (const Tunable& tunable : family.tunables()) {
    const std::string name(tunable.name);
    params[name] = entry.at(name);
  }
  LandscapePoint point{.params = config_from_json(family, params.dump())};
  const nlohmann::json& time = entry.at("time");
  if (time == kCompilationFailed) {
    point.outcome = Outcome::compile_error;
  } else if (time == kRuntimeFailed) {
    point.outcome = Outcome::launch_error;
  } else if (time.is_number() && time.get<double>() > 0 && time.get<double>() < kMostMs) {
    point.median_us = time.get<double>() * kUsPerMs;
  } else {
    throw std::invalid_argument(fmt::format("{} is no time", time.dump()));
  }
  return point;
}

[[noreturn]] void fail_reading(const std::string& file, std::string_view what) {
  throw FileError(fmt::format("reading the landscape {}: {}", file, what));
}

/// What `read` returns. What it throws is an error of the part of the file.
template <class Read>
auto read_part(const std::string& file, const std::string& part, const Read& read) {
  try {
    return read();
  } catch (const std::exception& error) {
    fail_reading(file, fmt::format("{}: {}", part, error.what()));
  }
}

}  // namespace

std::string to_kernel_tuner_cache(const Landscape& landscape, const std::string& timestamp) {
  const auto tunables = landscape.workload.problem.family().tunables();
  OrderedJson keys = OrderedJson::array();
  for (const Tunable& tunable : tunables) keys.push_back(tunable.name);
  const OrderedJson header{{"schema_version", kSchemaVersion},
                           {kOwnField, own_field(landscape)},
                           {"device_name", landscape.device.name},
                           {"kernel_name", to_string(landscape.workload)},
                           {"problem_size", problem_size(landscape.workload)},
                           {"tune_params_keys", keys},
                           {"tune_params", tune_params(landscape, tunables)},
                           {"objective", "time"}};
  // A line per configuration, and the end as Kernel Tuner knows that of a closed file: its last
  // three characters.
  std::string text = "{\n";
  for (const auto& [key, value] : header.items()) {
    text += fmt::format("\"{}\": {},\n", key, to_text(value));
  }
  text += "\"cache\": {";
  const char* separator = "\n";
  for (const LandscapePoint& point : landscape.points) {
    text += fmt::format("{}\"{}\": {}", separator, key_of(point, tunables),
                        to_text(entry_of(point, landscape.compile_ms, timestamp)));
    separator = ",\n";
  }
  return text + "}\n}";
}

Landscape parse_kernel_tuner_cache(std::string_view text, const std::string& file) {
  const nlohmann::json cache = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!cache.is_object()) fail_reading(file, "it is no JSON object, or cut off");
  if (!cache.contains(kOwnField)) {
    fail_reading(file,
                 "it does not say of which problem it is, in a field \"foldtune\": write it "
                 "with `foldtune landscape --kernel-tuner`");
  }
  auto landscape = read_part(file, kOwnField, [&] {
    const nlohmann::json& own = cache.at(kOwnField);
    return Landscape{.device = read_json<DeviceRecord>(own.at("device")),
                     .compiler = own.at("compiler"),
                     .template_fingerprint = own.at("template_fingerprint"),
                     .read_bandwidth_gbps = own.at("read_bandwidth_gbps"),
                     .workload = workload_from_json(own.at("workload")),
                     .points = {}};
  });
  const nlohmann::json entries = read_part(file, "cache", [&] {
    if (!cache.at("cache").is_object()) throw std::invalid_argument("it is no JSON object");
    return cache.at("cache");
  });
  std::set<std::string> seen;
  for (const auto& [key, entry] : entries.items()) {
    read_part(file, fmt::format("the configuration {}", key), [&, &entry = entry] {
      landscape.points.push_back(read_entry(entry, landscape.workload.problem.family()));
      landscape.compile_ms = entry.value("compile_time", 0.0);
      if (!seen.insert(to_json(landscape.points.back().params)).second) {
        throw std::invalid_argument("it is there twice");
      }
    });
  }
  return landscape;
}

Landscape read_kernel_tuner_cache(const std::filesystem::path& path) {
  return parse_kernel_tuner_cache(InputFile(path).read_all(), path.string());
}

}  // namespace foldtune
