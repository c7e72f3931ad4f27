#include "templates/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "templates/histogram/space.h"
#include "templates/reduce/space.h"

namespace foldtune {
namespace {

bool has_value(std::span<const int> values, int value) {
  return std::ranges::find(values, value) != values.end();
}

}  // namespace

const FamilyRules& rules(Family family) {
  return family == Family::reduce ? reduce_rules() : histogram_rules();
}

Family family_of(const Params& params) {
  return std::holds_alternative<ReduceParams>(params) ? Family::reduce : Family::histogram;
}

bool operator==(const Params& a, const Params& b) {
  return a.index() == b.index() &&
         std::ranges::all_of(rules(family_of(a)).tunables,
                             [&](const Tunable& t) { return t.get(a) == t.get(b); });
}

Space::Space(const Problem& problem, Extent extent)
    : problem_(problem), rules_(&rules(family_of(problem.op))), extent_(extent) {}

std::span<const int> Space::values_of(const Tunable& tunable) const {
  return extent_ == Extent::all ? tunable.values : tunable.searched;
}

bool Space::is_in_extent(const Params& params) const {
  return extent_ == Extent::all || rules_->is_searched(problem_, params);
}

bool Space::contains(const Params& params) const {
  return family_of(params) == family_of(problem_.op) &&
         std::ranges::all_of(
             rules_->tunables,
             [&](const Tunable& t) { return has_value(t.values, t.get(params)); }) &&
         rules_->is_valid(problem_, params);
}

std::vector<Params> Space::enumerate() const {
  std::vector<Params> all{rules_->first};
  for (const Tunable& tunable : rules_->tunables) {
    const std::span<const int> values = values_of(tunable);
    std::vector<Params> longer;
    longer.reserve(all.size() * values.size());
    for (const Params& prefix : all) {
      for (const int value : values) tunable.set(longer.emplace_back(prefix), value);
    }
    all = std::move(longer);
  }
  std::erase_if(
      all, [this](const Params& params) { return !contains(params) || !is_in_extent(params); });
  return all;
}

std::vector<Params> Space::neighbours(const Params& params) const {
  std::vector<Params> result;
  for (const Tunable& tunable : rules_->tunables) {
    const std::span<const int> values = values_of(tunable);
    const auto here = std::ranges::find(values, tunable.get(params));
    for (auto other = values.begin(); other != values.end(); ++other) {
      const bool one_step = std::abs(other - here) == 1;
      if (other == here || (tunable.labels.empty() && !one_step)) continue;
      Params neighbour = params;
      tunable.set(neighbour, *other);
      if (contains(neighbour) && is_in_extent(neighbour)) result.push_back(neighbour);
    }
  }
  return result;
}

bool Space::is_redundant(const Params& params, int multiprocessor_count) const {
  return canonical(params, multiprocessor_count) != params;
}

Params Space::canonical(const Params& params, int multiprocessor_count) const {
  return rules_->canonical(problem_, params, multiprocessor_count);
}

Params Space::default_params(int multiprocessor_count) const {
  return rules_->default_params(problem_, multiprocessor_count);
}

std::string to_json(const Params& params) {
  nlohmann::ordered_json json;
  for (const Tunable& tunable : rules(family_of(params)).tunables) {
    const int value = tunable.get(params);
    if (tunable.labels.empty()) {
      json[std::string(tunable.name)] = value;
    } else {
      json[std::string(tunable.name)] = tunable.labels[static_cast<std::size_t>(value)];
    }
  }
  return json.dump();
}

Params params_from_json(Family family, std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    throw std::invalid_argument(fmt::format("not a JSON object of tunables: {}", text));
  }
  const FamilyRules& family_rules = rules(family);
  Params params = family_rules.first;
  for (const Tunable& tunable : family_rules.tunables) {
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
    if (!has_value(tunable.values, value)) {
      throw std::invalid_argument(
          fmt::format("{} is no value of the tunable {}", field->dump(), tunable.name));
    }
    tunable.set(params, value);
  }
  if (json.size() != family_rules.tunables.size()) {
    throw std::invalid_argument(fmt::format("an unknown tunable in {}", text));
  }
  return params;
}

std::string to_template_argument(const Params& params) {
  const FamilyRules& family_rules = rules(family_of(params));
  std::string text = fmt::format("{}{{", family_rules.device_struct);
  for (const Tunable& tunable : family_rules.tunables) {
    const int value = tunable.get(params);
    text += fmt::format(".{}=", tunable.name);
    text += tunable.labels.empty() ? fmt::format("{},", value)
                                   : fmt::format("{}::{},", tunable.device_type,
                                                 tunable.labels[static_cast<std::size_t>(value)]);
  }
  text.back() = '}';
  return text;
}

}  // namespace foldtune
