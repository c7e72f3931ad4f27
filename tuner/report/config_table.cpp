#include "tuner/report/config_table.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "templates/space.h"

namespace foldtune {

struct ConfigTable::Shape {
  struct Values {
    std::string name;
    std::vector<nlohmann::ordered_json> values{};
  };
  std::string family;
  std::vector<Values> tunables{};
};

namespace {

template <class List, class Value>
std::size_t find_or_add(List& list, const Value& value) {
  const auto found = std::ranges::find(list, value);
  const auto place = static_cast<std::size_t>(std::distance(list.begin(), found));
  if (found == list.end()) list.push_back(value);
  return place;
}

/// The place of a tunable in its family's struct; behind them all for one of another version.
std::size_t place_of(std::string_view tunable) {
  for (const Family* const family : families()) {
    const auto tunables = family->tunables();
    const auto found = std::ranges::find(tunables, tunable, &Tunable::name);
    if (found != tunables.end()) return static_cast<std::size_t>(found - tunables.begin());
  }
  return static_cast<std::size_t>(-1);
}

/// The value that people are not told; null for what this version does not know.
nlohmann::ordered_json fallback_of(const std::string& family_name, std::string_view name) {
  const Family* const family = find_family(family_name);
  if (family == nullptr) return {};
  for (const Tunable& tunable : family->tunables()) {
    if (tunable.name != name) continue;
    if (tunable.labels.empty()) return tunable.fallback;
    return tunable.labels[static_cast<std::size_t>(tunable.fallback)];
  }
  return {};
}

/// Stores sort the names; people know the struct's order.
std::vector<std::string> ordered_names(const nlohmann::ordered_json& params) {
  std::vector<std::string> names;
  for (const auto& [name, value] : params.items()) names.push_back(name);
  std::ranges::stable_sort(names, {}, place_of);
  return names;
}

}  // namespace

ConfigTable::ConfigTable() = default;
ConfigTable::~ConfigTable() = default;

std::size_t ConfigTable::shape_of(const std::string& family, const nlohmann::ordered_json& params) {
  Shape shape{.family = family};
  for (std::string& name : ordered_names(params)) shape.tunables.push_back({std::move(name)});
  const auto is_same = [&](const Shape& other) {
    return other.family == family && std::ranges::equal(other.tunables, shape.tunables, {},
                                                        &Shape::Values::name, &Shape::Values::name);
  };
  const auto found = std::ranges::find_if(shapes_, is_same);
  const auto place = static_cast<std::size_t>(found - shapes_.begin());
  if (found == shapes_.end()) shapes_.push_back(std::move(shape));
  return place;
}

std::size_t ConfigTable::index_of(const std::string& family, const std::string& params) {
  const auto [place, is_new] = known_.emplace(family + params, configs_.size());
  if (!is_new) return place->second;
  nlohmann::ordered_json json =
      nlohmann::ordered_json::parse(params, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) json = {{"params", params}};  // edited by hand: as it is
  const std::size_t shape = shape_of(family, json);
  std::vector<std::size_t>& config = configs_.emplace_back(1, shape);
  for (auto& [name, values] : shapes_[shape].tunables) {
    config.push_back(find_or_add(values, json.at(name)));
  }
  return place->second;
}

nlohmann::ordered_json ConfigTable::shapes() const {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const Shape& shape : shapes_) {
    nlohmann::ordered_json tunables = nlohmann::ordered_json::array();
    for (const auto& [name, values] : shape.tunables) {
      tunables.push_back(
          {{"name", name}, {"values", values}, {"fallback", fallback_of(shape.family, name)}});
    }
    array.push_back({{"family", shape.family}, {"tunables", std::move(tunables)}});
  }
  return array;
}

nlohmann::ordered_json ConfigTable::configs() const { return configs_; }

}  // namespace foldtune
