#include "tests/support/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "templates/reduce/space.h"
#include "templates/space.h"
#include "tests/support/covering_sample.h"

namespace foldtune::test {
namespace {

/// What makes variants of one configuration differ besides the count.
struct Form {
  Alignment alignment;
  std::uint64_t count;  ///< one that indices of 32 bits hold, or one that they do not
};
constexpr std::uint64_t kNarrow = 0;
constexpr std::uint64_t kWide = std::uint64_t{1} << 31;
constexpr std::array kForms{Form{Alignment::vector, kNarrow}, Form{Alignment::element, kNarrow},
                            Form{Alignment::element, kWide}, Form{Alignment::vector, kWide}};

Variant make_variant(Problem problem, const Config& params, const Form& form) {
  problem.alignment = form.alignment;
  problem.count = form.count;
  return {.problem = problem, .params = params};
}

bool is_possible(const Config& params, Toolkit toolkit) {
  return toolkit == Toolkit::present || &params.family() != &reduce_family() ||
         !needs_toolkit(reduce_params(params));
}

/// A form and a value of a tunable, all by their place.
using Held = std::array<int, 3>;

std::vector<Held> held_by(const Config& params, std::size_t form) {
  std::vector<Held> result;
  int index = 0;
  for (const Tunable& tunable : params.family().tunables()) {
    result.push_back({static_cast<int>(form), index++, params.get(tunable)});
  }
  return result;
}

/// The covering sample of the whole space: computed once for all problems with equal spaces, since
/// that takes long.
std::vector<Config> whole_sample(const Problem& problem) {
  static std::map<std::vector<int>, std::vector<Config>> known;
  std::vector<int> values;
  for (const Config& params : Space(problem, Extent::all).enumerate()) {
    for (const Tunable& tunable : params.family().tunables()) {
      values.push_back(params.get(tunable));
    }
  }
  std::vector<Config>& sample = known[values];
  if (sample.empty()) sample = covering_sample(problem, Extent::all);
  return sample;
}

}  // namespace

std::vector<Problem> all_problems() {
  std::vector<Problem> problems;
  for (const Operator op : operators()) {
    for (const ElementType type : element_types()) {
      for (const ElementType accumulator : accumulators(op, type)) {
        Problem problem{
            .op = op, .type = type, .accumulator = accumulator, .determinism = Determinism::any};
        problems.push_back(problem);
        if (has_nan_policy(op) && is_floating(type)) {
          problem.nan_policy = NanPolicy::ignore;
          problems.push_back(problem);
        }
        if (has_ddof(op)) {
          problem.ddof = 1;
          problems.push_back(problem);
        }
      }
      // A result that is narrower than its accumulator.
      if (op == Operator::sum && size_of(type) == 2) {
        problems.push_back(
            {.op = op, .type = type, .result = type, .determinism = Determinism::any});
      }
    }
  }
  return problems;
}

std::string describe(const Problem& problem) {
  std::string text = fmt::format("{} {} -> {}", name(problem.op), name(problem.type),
                                 name(problem.accumulator_type()));
  if (problem.result) text += fmt::format(" -> {}", name(*problem.result));
  if (problem.nan_policy == NanPolicy::ignore) text += ", no NaN";
  if (problem.ddof != 0) text += fmt::format(", ddof {}", problem.ddof);
  if (problem.determinism == Determinism::config_independent) text += ", fixed order";
  return text;
}

std::vector<Config> all_params(const Problem& problem, Toolkit toolkit) {
  std::vector<Config> all = Space(problem, Extent::all).enumerate();
  std::erase_if(all, [&](const Config& params) { return !is_possible(params, toolkit); });
  return all;
}

std::vector<Variant> every_variant(const Problem& problem, Toolkit toolkit) {
  std::vector<Variant> variants;
  for (const Config& params : all_params(problem, toolkit)) {
    for (const Form& form : kForms) variants.push_back(make_variant(problem, params, form));
  }
  return variants;
}

std::vector<Variant> covering_variants(const Problem& problem, Toolkit toolkit) {
  std::vector<Config> sample = whole_sample(problem);
  std::erase_if(sample, [&](const Config& params) { return !is_possible(params, toolkit); });
  std::set<Held> missing;
  for (std::size_t form = 0; form < kForms.size(); ++form) {
    for (const Config& params : sample) {
      for (const Held& held : held_by(params, form)) missing.insert(held);
    }
  }
  const auto gain = [&](const Config& params, std::size_t form) {
    return std::ranges::count_if(held_by(params, form),
                                 [&](const Held& held) { return missing.contains(held); });
  };
  std::vector<Variant> variants;
  const auto add = [&](const Config& params, std::size_t form) {
    for (const Held& held : held_by(params, form)) missing.erase(held);
    variants.push_back(make_variant(problem, params, kForms[form]));
  };
  for (const Config& params : sample) {
    std::size_t best = 0;
    for (std::size_t form = 1; form < kForms.size(); ++form) {
      if (gain(params, form) > gain(params, best)) best = form;
    }
    add(params, best);
  }
  for (const Config& params : sample) {
    for (std::size_t form = 0; form < kForms.size(); ++form) {
      if (gain(params, form) > 0) add(params, form);
    }
  }
  return variants;
}

std::vector<Variant> each_value_once(const std::vector<Variant>& variants) {
  std::set<std::pair<std::string_view, int>> seen;
  std::vector<Variant> result;
  for (const Variant& variant : variants) {
    bool is_new = false;
    for (const Tunable& tunable : variant.params.family().tunables()) {
      is_new |= seen.emplace(tunable.name, variant.params.get(tunable)).second;
    }
    if (is_new) result.push_back(variant);
  }
  return result;
}

std::vector<Variant> some_of(const std::vector<Variant>& variants, std::size_t count,
                             std::size_t turn) {
  if (variants.size() <= count) return variants;
  std::vector<Variant> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(variants[(turn + i * variants.size() / count) % variants.size()]);
  }
  return result;
}

}  // namespace foldtune::test
