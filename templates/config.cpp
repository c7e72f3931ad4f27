#include "templates/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "templates/family.h"

namespace foldtune {

Config::Config(const Family& family) : family_(&family) {
  for (const Tunable& tunable : family.tunables()) set(tunable, tunable.fallback);
}

std::string to_json(const Config& config) {
  auto json = nlohmann::ordered_json::object();  // also of a family without tunables
  for (const Tunable& tunable : config.family().tunables()) {
    const int value = config.get(tunable);
    if (tunable.labels.empty()) {
      json[std::string(tunable.name)] = value;
    } else {
      json[std::string(tunable.name)] = tunable.labels[static_cast<std::size_t>(value)];
    }
  }
  return json.dump();
}

Config config_from_json(const Family& family, std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    throw std::invalid_argument(fmt::format("not a JSON object of tunables: {}", text));
  }
  Config config(family);
  for (const Tunable& tunable : family.tunables()) {
    const auto field = json.find(tunable.name);
    if (field == json.end()) {
      throw std::invalid_argument(
          fmt::format("the tunable {} is missing in {}", tunable.name, text));
    }
    int value = -1;
    if (tunable.labels.empty()) {
      const bool fits =
          field->is_number_integer() && *field >= 0 && *field <= std::numeric_limits<int>::max();
      if (fits) value = field->get<int>();
    } else if (field->is_string()) {
      const auto label = std::ranges::find(tunable.labels, field->get<std::string>());
      if (label != tunable.labels.end()) value = static_cast<int>(label - tunable.labels.begin());
    }
    if (std::ranges::find(tunable.values, value) == tunable.values.end()) {
      throw std::invalid_argument(
          fmt::format("{} is no value of the tunable {}", field->dump(), tunable.name));
    }
    config.set(tunable, value);
  }
  if (json.size() != family.tunables().size()) {
    throw std::invalid_argument(fmt::format("an unknown tunable in {}", text));
  }
  return config;
}

}  // namespace foldtune
