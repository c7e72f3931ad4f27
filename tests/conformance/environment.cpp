#include "tests/conformance/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "runtime/support/sanitizer.h"
#include "templates/fold/operators.h"
#include "templates/reduce/space.h"
#include "templates/space.h"

namespace foldtune::test {
namespace {

Environment* current = nullptr;

bool is_aligned(const Variant& variant) { return variant.workload.layout == 0; }

bool is_wide(const Variant& variant) { return takes_64_bits(variant.workload.shape[0]); }

/// How blocks and grids meet, in all ways, with few threads.
bool is_meeting_of_few(const Variant& variant) {
  constexpr int kBlockSize = 64;  // two warps: the least with which threads meet in each way
  const auto& params = reduce_params(variant.params);
  return params.block_size == kBlockSize && params.vector_width == 2 && params.unroll == 1 &&
         params.waves == 0 && !is_aligned(variant) && !is_wide(variant);
}

/// Of the two widths of indices one: each for half of the values of every tunable and alignment.
bool has_width_in_turn(const Variant& variant) {
  std::ptrdiff_t places = is_aligned(variant) ? 1 : 0;
  ReduceParams params = reduce_params(variant.params);
  params.waves = 0;  // so that variants of one program have one width
  const Config config = params;
  for (const Tunable& tunable : reduce_family().tunables()) {
    places += std::ranges::find(tunable.values, config.get(tunable)) - tunable.values.begin();
  }
  return is_wide(variant) == (places % 2 == 1);
}

/// The reduction's place among all, so that others have other variants.
std::size_t turn_of(const Reduction& reduction) {
  static const std::map<std::string, std::size_t> turns = [] {
    std::map<std::string, std::size_t> result;
    for (const Reduction& each : all_reductions()) result.emplace(describe(each), result.size());
    return result;
  }();
  Reduction listed = reduction;
  listed.determinism = all_reductions().front().determinism;
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

bool is_plain(const Reduction& reduction) {
  constexpr std::array kTypes{ElementType::u8, ElementType::i32, ElementType::f16,
                              ElementType::f32};
  return reduction.accumulator_type() == default_accumulator(reduction.op, reduction.type) &&
         reduction.nan_policy == NanPolicy::propagate && reduction.ddof == 0 && !reduction.result &&
         std::ranges::find(kTypes, reduction.type) != kTypes.end();
}

bool is_representative(const Reduction& reduction) {
  static const std::set<std::string> representatives = [] {
    std::set<std::string> names;
    std::set<std::size_t> sizes;
    for (const Reduction& each : all_reductions()) {
      if (sizes.insert(accumulator_bytes(each, false)).second) names.insert(describe(each));
    }
    return names;
  }();
  return representatives.contains(describe(reduction));
}

bool is_chosen(const std::string& description) {
  return description.find(Environment::get().options().only) != std::string::npos;
}

std::vector<Reduction> chosen_reductions() {
  const Environment& environment = Environment::get();
  const bool is_slow = kThreadSanitizer || environment.options().quick;
  std::vector<Reduction> reductions;
  for (const Reduction& reduction : all_reductions()) {
    if (!is_chosen(describe(reduction))) continue;
    if (is_slow && !is_plain(reduction) && !is_representative(reduction)) continue;
    // The ways in which threads meet do not depend on the type.
    if (kThreadSanitizer && reduction.type != ElementType::f32 &&
        reduction.type != ElementType::i32 && !is_representative(reduction)) {
      continue;
    }
    reductions.push_back(reduction);
  }
  return reductions;
}

std::vector<Variant> some_combinations(const Reduction& reduction) {
  constexpr std::size_t kOnGpu = 8;
  constexpr std::size_t kOnCpu = 1;
  constexpr std::uint64_t kMostElements = 2048;  // the references take long
  const bool in_order = has_fixed_order(reduction);
  const int block_size = in_order ? 128 : 64;  // with fewer there is no fixed order
  Reduction enumerated = reduction;
  if (in_order) enumerated.alignment = Alignment::element;  // which vectors do not have there
  Reduction called = reduction;
  called.alignment = Alignment::element;
  std::vector<Variant> all;
  for (const Config& any : Space(enumerated, Extent::all).enumerate()) {
    const auto& params = reduce_params(any);
    if (params.block_size != block_size || params.waves != 0) continue;
    if (tile_elements(params) > kMostElements) continue;
    all.push_back({.workload = called, .params = any});
  }
  return some_of(all, Environment::get().is_cuda() ? kOnGpu : kOnCpu, turn_of(reduction));
}

std::vector<Variant> chosen_variants(const Reduction& reduction) {
  // Of a representative one, where ThreadSanitizer watches, which takes long.
  constexpr std::size_t kMeetings = 16;
  const Environment& environment = Environment::get();
  const std::size_t turn = turn_of(reduction);
  if (environment.options().all) {
    return only(every_variant(reduction), has_width_in_turn);
  }
  if (kThreadSanitizer) {
    const auto meetings = only(every_variant(reduction), is_meeting_of_few);
    return some_of(meetings, is_representative(reduction) ? kMeetings : 1, turn);
  }
  // Every pair of two tunables' values for the plain problems, every value for the others.
  const std::vector<Variant> covering = covering_variants(reduction);
  if (environment.is_cuda() && environment.options().quick) {
    return is_representative(reduction) ? each_value_once(covering) : some_of(covering, 3, turn);
  }
  if (environment.is_cuda()) {
    const bool is_whole = is_representative(reduction) || is_plain(reduction);
    return is_whole ? covering : each_value_once(covering);
  }
  if (is_representative(reduction)) {
    return environment.options().quick ? each_value_once(covering) : covering;
  }
  // On a CPU compilers take longer than kernels: what special values are folded with, which is
  // compiled for those anyway. Each has others in its turn.
  return some_combinations(reduction);
}

}  // namespace foldtune::test
