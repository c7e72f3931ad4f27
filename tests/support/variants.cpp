#include "tests/support/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "templates/reduce/space.h"

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

Variant make_variant(Problem problem, const ReduceParams& params, const Form& form) {
  problem.alignment = form.alignment;
  problem.count = form.count;
  return {.problem = problem, .params = params};
}

/// A form and a value of a tunable, all by their place.
using Held = std::array<int, 3>;

std::vector<Held> held_by(const ReduceParams& params, std::size_t form) {
  std::vector<Held> result;
  int index = 0;
  for (const Tunable& tunable : reduce_tunables()) {
    result.push_back({static_cast<int>(form), index++, tunable.get(params)});
  }
  return result;
}

}  // namespace

std::vector<Problem> all_problems() {
  constexpr ElementType kAccumulators[] = {ElementType::i32, ElementType::i64, ElementType::f32,
                                           ElementType::f64};
  std::vector<Problem> problems;
  for (const Operator op : operators()) {
    for (const ElementType type : element_types()) {
      for (const ElementType accumulator : kAccumulators) {
        if (!accumulates_in(op, type, accumulator)) continue;
        problems.push_back(
            {.op = op, .type = type, .accumulator = accumulator, .determinism = Determinism::any});
      }
    }
  }
  return problems;
}

std::string describe(const Problem& problem) {
  return fmt::format("{} {} -> {}", name(problem.op), name(problem.type),
                     name(problem.accumulator_type()));
}

std::vector<Variant> every_variant(const Problem& problem) {
  std::vector<Variant> variants;
  for (const ReduceParams& params : ReduceSpace(problem).enumerate()) {
    for (const Form& form : kForms) variants.push_back(make_variant(problem, params, form));
  }
  return variants;
}

std::vector<Variant> covering_variants(const Problem& problem) {
  const std::vector<ReduceParams> sample = ReduceSpace(problem).covering_sample();
  std::set<Held> missing;
  for (std::size_t form = 0; form < kForms.size(); ++form) {
    for (const ReduceParams& params : sample) {
      for (const Held& held : held_by(params, form)) missing.insert(held);
    }
  }
  const auto gain = [&](const ReduceParams& params, std::size_t form) {
    return std::ranges::count_if(held_by(params, form),
                                 [&](const Held& held) { return missing.contains(held); });
  };
  std::vector<Variant> variants;
  const auto add = [&](const ReduceParams& params, std::size_t form) {
    for (const Held& held : held_by(params, form)) missing.erase(held);
    variants.push_back(make_variant(problem, params, kForms[form]));
  };
  for (const ReduceParams& params : sample) {
    std::size_t best = 0;
    for (std::size_t form = 1; form < kForms.size(); ++form) {
      if (gain(params, form) > gain(params, best)) best = form;
    }
    add(params, best);
  }
  for (const ReduceParams& params : sample) {
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
    for (const Tunable& tunable : reduce_tunables()) {
      is_new |= seen.emplace(tunable.name, tunable.get(variant.params)).second;
    }
    if (is_new) result.push_back(variant);
  }
  return result;
}

}  // namespace foldtune::test
