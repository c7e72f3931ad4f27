#include "tests/support/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "templates/reduce/space.h"
#include "templates/space.h"
#include "tests/support/covering_sample.h"

namespace foldtune::test {
namespace {

/// What makes programs of one configuration differ.
struct Form {
  int layout;           ///< its place
  std::uint64_t count;  ///< one that indices of 32 bits hold, or one that they do not
};
constexpr std::uint64_t kNarrow = 0;
constexpr std::uint64_t kWide = std::uint64_t{1} << 31;
constexpr std::array kForms{Form{0, kNarrow}, Form{1, kNarrow}, Form{1, kWide}, Form{0, kWide}};

Variant make_variant(Workload workload, const Config& params, const Form& form) {
  workload.layout = form.layout;
  workload.shape = {{form.count}};
  return {.workload = std::move(workload), .params = params};
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

/// The covering sample of the whole space: computed once for all workloads with equal spaces, since
/// that takes long.
std::vector<Config> whole_sample(const Workload& workload) {
  static std::map<std::vector<int>, std::vector<Config>> known;
  std::vector<int> values;
  for (const Config& params : Space(workload, Extent::all).enumerate()) {
    for (const Tunable& tunable : params.family().tunables()) {
      values.push_back(params.get(tunable));
    }
  }
  std::vector<Config>& sample = known[values];
  if (sample.empty()) sample = covering_sample(workload, Extent::all);
  return sample;
}

}  // namespace

std::vector<Reduction> all_reductions() {
  std::vector<Reduction> reductions;
  for (const Operator op : operators()) {
    for (const ElementType type : element_types()) {
      for (const ElementType accumulator : accumulators(op, type)) {
        Reduction reduction{
            .op = op, .type = type, .accumulator = accumulator, .determinism = Determinism::any};
        reductions.push_back(reduction);
        if (has_nan_policy(op) && is_floating(type)) {
          reduction.nan_policy = NanPolicy::ignore;
          reductions.push_back(reduction);
        }
        if (has_ddof(op)) {
          reduction.ddof = 1;
          reductions.push_back(reduction);
        }
      }
      // A result that is narrower than its accumulator.
      if (op == Operator::sum && size_of(type) == 2) {
        reductions.push_back(
            {.op = op, .type = type, .result = type, .determinism = Determinism::any});
      }
    }
  }
  return reductions;
}

std::string describe(const Reduction& reduction) {
  const ElementType accumulator = reduction.accumulator_type();
  const ElementType result = reduction.result_type();
  std::string text =
      fmt::format("{} {} -> {}", name(reduction.op), name(reduction.type), name(accumulator));
  if (result != accumulator) text += fmt::format(" -> {}", name(result));
  if (reduction.nan_policy == NanPolicy::ignore) text += ", no NaN";
  if (reduction.ddof != 0) text += fmt::format(", ddof {}", reduction.ddof);
  if (reduction.determinism == Determinism::config_independent) text += ", fixed order";
  return text;
}

std::vector<Config> all_params(const Workload& workload) {
  return Space(workload, Extent::all).enumerate();
}

std::vector<Variant> every_variant(const Workload& workload) {
  std::vector<Variant> variants;
  for (const Config& params : all_params(workload)) {
    for (const Form& form : kForms) variants.push_back(make_variant(workload, params, form));
  }
  return variants;
}

std::vector<Variant> covering_variants(const Workload& workload) {
  const std::vector<Config> sample = whole_sample(workload);
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
    variants.push_back(make_variant(workload, params, kForms[form]));
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
