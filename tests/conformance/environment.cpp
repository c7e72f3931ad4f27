#include "tests/conformance/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "runtime/support/sanitizer.h"
#include "templates/catalog.h"
#include "templates/reduce/space.h"
#include "templates/space.h"

namespace foldtune::test {
namespace {

Environment* current = nullptr;

/// How blocks and grids meet, in all ways, with few threads.
bool is_meeting_of_few(const Variant& variant) {
  constexpr int kBlockSize = 64;  // two warps: the least with which threads meet in each way
  const auto& params = reduce_params(variant.params);
  return params.block_size == kBlockSize && params.vector_width == 2 && params.unroll == 1 &&
         params.waves == 0 && variant.problem.alignment == Alignment::element &&
         !counts_in_64_bits(variant);
}

/// Of the two widths of indices one: each for half of the values of every tunable and alignment.
bool has_width_in_turn(const Variant& variant) {
  std::ptrdiff_t places = variant.problem.alignment == Alignment::vector ? 1 : 0;
  ReduceParams params = reduce_params(variant.params);
  params.waves = 0;  // so that variants of one program have one width
  const Config config = params;
  for (const Tunable& tunable : reduce_family().tunables()) {
    places += std::ranges::find(tunable.values, config.get(tunable)) - tunable.values.begin();
  }
  return counts_in_64_bits(variant) == (places % 2 == 1);
}

/// Whether it is what an operator and one of a few types give when nothing else is asked for.
bool is_plain(const Problem& problem) {
  constexpr std::array kTypes{ElementType::u8, ElementType::i32, ElementType::f16,
                              ElementType::f32};
  return problem.accumulator_type() == default_accumulator(problem.op, problem.type) &&
         problem.nan_policy == NanPolicy::propagate && problem.ddof == 0 && !problem.result &&
         std::ranges::find(kTypes, problem.type) != kTypes.end();
}

/// The problem's place among all, so that others have other variants.
std::size_t turn_of(const Problem& problem) {
  static const std::map<std::string, std::size_t> turns = [] {
    std::map<std::string, std::size_t> result;
    for (const Problem& each : all_problems()) result.emplace(describe(each), result.size());
    return result;
  }();
  Problem listed = problem;
  listed.determinism = all_problems().front().determinism;
  return turns.at(describe(listed));
}

template <class Predicate>
std::vector<Variant> only(std::vector<Variant> variants, const Predicate& predicate) {
  std::erase_if(variants, [&](const Variant& variant) { return !predicate(variant); });
  return variants;
}

}  // namespace

Environment::Environment(const Options& options)
    : options_(options), device_(open_device(options.device)) {
  device_->compiler();
  current = this;
}

Environment::~Environment() { current = nullptr; }

Environment& Environment::get() { return *current; }

bool Environment::is_cuda() const { return device_->info().record.kind == "cuda"; }

std::uint64_t Environment::memory_bytes() const { return device_->info().memory_bytes; }

Tally& Environment::tally(const Problem& problem) { return tallies_[describe(problem)]; }

std::uint64_t Environment::calls() const {
  std::uint64_t total = 0;
  for (const auto& [name, tally] : tallies_) total += tally.calls;
  return total;
}

std::string Environment::report() const {
  std::string text =
      fmt::format("{} ({}), {}\n{:<16} {:>9} {:>9} {:>10} {:>11} {:>9}\n",
                  device_->info().record.name, device_->info().id, device_->compiler().version(),
                  "problem", "programs", "variants", "cases", "results", "seconds");
  const auto add_row = [&](std::string_view name, const Tally& tally) {
    text += fmt::format("{:<16} {:>9} {:>9} {:>10} {:>11} {:>9.1f}\n", name, tally.programs,
                        tally.variants, tally.cases, tally.calls, tally.seconds);
  };
  Tally total;
  for (const auto& [name, tally] : tallies_) {
    add_row(name, tally);
    total.programs += tally.programs;
    total.variants += tally.variants;
    total.cases += tally.cases;
    total.calls += tally.calls;
    total.seconds += tally.seconds;
  }
  add_row("total", total);
  return text;
}

Toolkit Environment::toolkit() const { return is_cuda() ? Toolkit::present : Toolkit::absent; }

bool is_representative(const Problem& problem) {
  static const std::set<std::string> representatives = [] {
    std::set<std::string> names;
    std::set<std::size_t> sizes;
    for (const Problem& each : all_problems()) {
      if (sizes.insert(accumulator_bytes(each, false)).second) names.insert(describe(each));
    }
    return names;
  }();
  return representatives.contains(describe(problem));
}

bool is_chosen(const Problem& problem) {
  return describe(problem).find(Environment::get().options().only) != std::string::npos;
}

std::vector<Problem> chosen_problems() {
  const Environment& environment = Environment::get();
  const bool is_slow = kThreadSanitizer || environment.options().quick;
  std::vector<Problem> problems;
  for (const Problem& problem : all_problems()) {
    if (!is_chosen(problem)) continue;
    if (is_slow && !is_plain(problem) && !is_representative(problem)) continue;
    // The ways in which threads meet do not depend on the type.
    if (kThreadSanitizer && problem.type != ElementType::f32 && problem.type != ElementType::i32 &&
        !is_representative(problem)) {
      continue;
    }
    problems.push_back(problem);
  }
  return problems;
}

std::vector<Variant> some_combinations(const Problem& problem) {
  constexpr std::size_t kOnGpu = 8;
  constexpr std::size_t kOnCpu = 1;
  const bool in_order = has_fixed_order(problem);
  const int block_size = in_order ? 128 : 64;  // with fewer there is no fixed order
  Problem enumerated = problem;
  if (in_order) enumerated.alignment = Alignment::element;  // which vectors do not have there
  std::vector<Variant> all;
  int widest = 1;
  for (const Config& any : Space(enumerated, Extent::all).enumerate()) {
    const auto& params = reduce_params(any);
    if (params.block_size != block_size || params.unroll != 2 || params.waves != 0) continue;
    if (needs_toolkit(params)) continue;
    if (params.vector_width > widest) all.clear();
    widest = std::max(widest, params.vector_width);
    if (params.vector_width != widest) continue;
    all.push_back({.problem = problem, .params = any});
    all.back().problem.alignment = Alignment::element;
  }
  return some_of(all, Environment::get().is_cuda() ? kOnGpu : kOnCpu, turn_of(problem));
}

std::vector<Variant> chosen_variants(const Problem& problem) {
  // Of a representative one, where ThreadSanitizer watches, which takes long.
  constexpr std::size_t kMeetings = 16;
  const Environment& environment = Environment::get();
  const Toolkit toolkit = environment.toolkit();
  const std::size_t turn = turn_of(problem);
  if (environment.options().all) {
    return only(every_variant(problem, toolkit), has_width_in_turn);
  }
  if (kThreadSanitizer) {
    const auto meetings = only(every_variant(problem, toolkit), is_meeting_of_few);
    return some_of(meetings, is_representative(problem) ? kMeetings : 1, turn);
  }
  // What needs the toolkit's headers takes a second each to compile.
  const bool with_toolkit = toolkit == Toolkit::present && is_representative(problem);
  // Every pair of two tunables' values for the plain problems, every value for the others.
  std::vector<Variant> covering =
      covering_variants(problem, with_toolkit ? Toolkit::present : Toolkit::absent);
  if (environment.is_cuda() && environment.options().quick) {
    return is_representative(problem) ? each_value_once(covering) : some_of(covering, 3, turn);
  }
  if (environment.is_cuda()) {
    if (with_toolkit) return covering;
    if (!is_plain(problem)) return each_value_once(covering);
    const std::vector<Variant> of_toolkit =
        only(covering_variants(problem, toolkit),
             [](const Variant& variant) { return needs_toolkit(reduce_params(variant.params)); });
    const std::vector<Variant> one = some_of(of_toolkit, 1, turn);
    covering.insert(covering.end(), one.begin(), one.end());
    return covering;
  }
  if (is_representative(problem)) {
    return environment.options().quick ? each_value_once(covering) : covering;
  }
  // On a CPU compilers take longer than kernels: one of the sample, and what special values are
  // folded with, which is compiled for those anyway.
  std::vector<Variant> few = some_of(covering, 1, turn);
  if (environment.options().quick) return few;
  for (Variant& variant : some_combinations(problem)) few.push_back(std::move(variant));
  return few;
}

}  // namespace foldtune::test
