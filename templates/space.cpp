#include "templates/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/// The pairs of two tunables' values that are still to be covered.
class MissingPairs {
 public:
  MissingPairs(std::span<const Tunable> tunables, const std::vector<Params>& all)
      : tunables_(tunables), missing_(kPlaces * kPlaces, false) {
    for (const Params& params : all) {
      for_each_pair(params, [&](std::size_t pair) {
        count_ += missing_[pair] ? 0 : 1;
        missing_[pair] = true;
      });
    }
  }

  bool any() const { return count_ > 0; }

  int count(const Params& params) const {
    int count = 0;
    for_each_pair(params, [&](std::size_t pair) { count += missing_[pair] ? 1 : 0; });
    return count;
  }

  void remove(const Params& params) {
    for_each_pair(params, [&](std::size_t pair) {
      count_ -= missing_[pair] ? 1 : 0;
      missing_[pair] = false;
    });
  }

 private:
  /// More than all tunables of a family have values.
  static constexpr std::size_t kPlaces = 256;
  static constexpr std::size_t kValues = 16;  ///< more than one tunable has

  template <class Function>
  void for_each_pair(const Params& params, const Function& function) const {
    std::array<std::size_t, kPlaces / kValues> places{};
    for (std::size_t i = 0; i < tunables_.size(); ++i) {
      const std::span<const int> values = tunables_[i].values;
      const auto at = std::ranges::find(values, tunables_[i].get(params));
      places.at(i) = i * kValues + static_cast<std::size_t>(at - values.begin());
    }
    for (std::size_t a = 0; a < tunables_.size(); ++a) {
      for (std::size_t b = a + 1; b < tunables_.size(); ++b) {
        function(places[a] * kPlaces + places[b]);
      }
    }
  }

  std::span<const Tunable> tunables_;
  std::vector<bool> missing_;
  int count_ = 0;
};

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

std::uint64_t Space::size() const { return enumerate().size(); }

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

std::vector<Params> Space::covering_sample() const {
  // Greedy: the configuration that holds most pairs not held yet, until none is missing.
  const std::vector<Params> all = enumerate();
  MissingPairs missing(rules_->tunables, all);
  std::vector<Params> sample;
  while (missing.any()) {
    const Params* best = nullptr;
    int best_gain = 0;
    for (const Params& params : all) {
      const int gain = missing.count(params);
      if (gain > best_gain) {
        best = &params;
        best_gain = gain;
      }
    }
    sample.push_back(*best);
    missing.remove(*best);
  }
  return sample;
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
