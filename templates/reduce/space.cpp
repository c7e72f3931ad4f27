#include "templates/reduce/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace foldtune {
namespace {

constexpr std::array kBlockSizes{32, 64, 128, 256, 512, 1024};
constexpr std::array kVectorWidths{1, 2, 4};
constexpr std::array kUnrolls{1, 2, 4, 8, 16};
constexpr std::array kBlockStages{0, 1, 2};
constexpr std::array<std::string_view, 3> kBlockStageNames{"tree", "tree_shuffle", "shuffle"};
constexpr std::array kFinalStages{0, 1, 2, 3};
constexpr std::array<std::string_view, 4> kFinalStageNames{"atomic", "two_pass", "last_block",
                                                           "polling"};
constexpr std::array kWaves{0, 1, 2, 4};

/// The widest load that the hardware has, in bytes.
constexpr int kMaxLoadBytes = 16;

/// Blocks of the largest grid: enough to fill any device many times over, and few enough for their
/// partials to be a small part of the input.
constexpr std::uint64_t kMaxGridBlocks = std::uint64_t{1} << 20;

template <auto kMember>
int get(const ReduceParams& params) {
  return static_cast<int>(params.*kMember);
}
template <auto kMember>
void set(ReduceParams& params, int value) {
  using Field = std::remove_reference_t<decltype(params.*kMember)>;
  params.*kMember = static_cast<Field>(value);
}

constexpr std::array<Tunable, 6> kTunables{{
    {"block_size",
     "",
     {},
     kBlockSizes,
     get<&ReduceParams::block_size>,
     set<&ReduceParams::block_size>},
    {"vector_width",
     "",
     {},
     kVectorWidths,
     get<&ReduceParams::vector_width>,
     set<&ReduceParams::vector_width>},
    {"unroll", "", {}, kUnrolls, get<&ReduceParams::unroll>, set<&ReduceParams::unroll>},
    {"block_stage", "foldtune::BlockStage", kBlockStageNames, kBlockStages,
     get<&ReduceParams::block_stage>, set<&ReduceParams::block_stage>},
    {"final_stage", "foldtune::FinalStage", kFinalStageNames, kFinalStages,
     get<&ReduceParams::final_stage>, set<&ReduceParams::final_stage>},
    {"waves", "", {}, kWaves, get<&ReduceParams::waves>, set<&ReduceParams::waves>},
}};

bool has_value(const Tunable& tunable, int value) {
  return std::ranges::find(tunable.values, value) != tunable.values.end();
}

/// Tiles that hold any element; one for an empty input.
std::uint64_t tile_count(const ReduceParams& params, std::uint64_t count) {
  const std::uint64_t tile = tile_elements(params);
  return std::max<std::uint64_t>(1, (count + tile - 1) / tile);
}

}  // namespace

bool operator==(const ReduceParams& a, const ReduceParams& b) {
  return std::ranges::all_of(kTunables, [&](const Tunable& t) { return t.get(a) == t.get(b); });
}

std::span<const Tunable> reduce_tunables() { return kTunables; }

ReduceSpace::ReduceSpace(const Problem& problem) : problem_(problem) {}

bool ReduceSpace::contains(const ReduceParams& params) const {
  for (const Tunable& tunable : kTunables) {
    if (!has_value(tunable, tunable.get(params))) return false;
  }
  const int load_bytes = params.vector_width * static_cast<int>(size_of(problem_.type));
  if (load_bytes > kMaxLoadBytes) return false;
  // Blocks reach the output in any order, so an atomic floating-point sum differs from run to run.
  if (params.final_stage == FinalStage::atomic &&
      depends_on_order(problem_.op, problem_.accumulator_type()) &&
      problem_.determinism != Determinism::any) {
    return false;
  }
  return true;
}

std::vector<ReduceParams> ReduceSpace::enumerate() const {
  std::vector<ReduceParams> all{ReduceParams{}};
  for (const Tunable& tunable : kTunables) {
    std::vector<ReduceParams> longer;
    longer.reserve(all.size() * tunable.values.size());
    for (const ReduceParams& prefix : all) {
      for (const int value : tunable.values) {
        tunable.set(longer.emplace_back(prefix), value);
      }
    }
    all = std::move(longer);
  }
  std::erase_if(all, [this](const ReduceParams& params) { return !contains(params); });
  return all;
}

std::uint64_t ReduceSpace::size() const { return enumerate().size(); }

std::vector<ReduceParams> ReduceSpace::neighbours(const ReduceParams& params) const {
  std::vector<ReduceParams> result;
  for (const Tunable& tunable : kTunables) {
    const auto here = std::ranges::find(tunable.values, tunable.get(params));
    for (auto other = tunable.values.begin(); other != tunable.values.end(); ++other) {
      const bool one_step = std::abs(other - here) == 1;
      if (other == here || (tunable.labels.empty() && !one_step)) continue;
      ReduceParams neighbour = params;
      tunable.set(neighbour, *other);
      if (contains(neighbour)) result.push_back(neighbour);
    }
  }
  return result;
}

std::vector<ReduceParams> ReduceSpace::covering_sample() const {
  // Greedy: the configuration that holds most pairs not held yet, until none is missing.
  using Pair = std::array<int, 4>;  // tunable, its value, another tunable, its value
  const auto pairs_of = [](const ReduceParams& params) {
    std::vector<Pair> pairs;
    for (std::size_t a = 0; a < kTunables.size(); ++a) {
      for (std::size_t b = a + 1; b < kTunables.size(); ++b) {
        pairs.push_back({static_cast<int>(a), kTunables[a].get(params), static_cast<int>(b),
                         kTunables[b].get(params)});
      }
    }
    return pairs;
  };
  const std::vector<ReduceParams> all = enumerate();
  std::set<Pair> missing;
  for (const ReduceParams& params : all) {
    for (const Pair& pair : pairs_of(params)) missing.insert(pair);
  }
  std::vector<ReduceParams> sample;
  while (!missing.empty()) {
    const ReduceParams* best = nullptr;
    std::ptrdiff_t best_gain = 0;
    for (const ReduceParams& params : all) {
      const std::vector<Pair> pairs = pairs_of(params);
      const std::ptrdiff_t gain =
          std::ranges::count_if(pairs, [&](const Pair& pair) { return missing.contains(pair); });
      if (gain > best_gain) {
        best = &params;
        best_gain = gain;
      }
    }
    sample.push_back(*best);
    for (const Pair& pair : pairs_of(*best)) missing.erase(pair);
  }
  return sample;
}

bool ReduceSpace::is_redundant(const ReduceParams& params, int multiprocessor_count) const {
  const std::uint64_t tiles = tile_count(params, problem_.count);
  // One block needs no final stage.
  if (tiles == 1 && params.final_stage != FinalStage::last_block) return true;
  // Every multiprocessor holds a block at least, so these tiles are all resident at once.
  return params.waves != 0 && tiles <= static_cast<std::uint64_t>(multiprocessor_count);
}

ReduceParams ReduceSpace::default_params(int multiprocessor_count) const {
  ReduceParams params;
  params.vector_width = kMaxLoadBytes / static_cast<int>(size_of(problem_.type));
  params.unroll = 4;
  params.block_stage = BlockStage::shuffle;
  params.final_stage = FinalStage::polling;
  params.waves = 1;
  // One block where it can load everything at once; else a block for each multiprocessor, as far as
  // blocks of a good size go.
  const auto per_thread = static_cast<std::uint64_t>(params.vector_width) * params.unroll;
  const std::uint64_t threads = problem_.count / per_thread;
  const int most = kBlockSizes.back();
  const bool one_block = threads <= static_cast<std::uint64_t>(most);
  const std::uint64_t wanted = one_block ? threads : threads / multiprocessor_count;
  params.block_size = static_cast<int>(std::clamp<std::uint64_t>(
      std::bit_ceil(wanted), kBlockSizes.front(), one_block ? most : 512));
  return params;
}

std::string to_json(const ReduceParams& params) {
  nlohmann::ordered_json json;
  for (const Tunable& tunable : kTunables) {
    const int value = tunable.get(params);
    if (tunable.labels.empty()) {
      json[std::string(tunable.name)] = value;
    } else {
      json[std::string(tunable.name)] = tunable.labels[value];
    }
  }
  return json.dump();
}

ReduceParams reduce_params_from_json(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    throw std::invalid_argument(fmt::format("not a JSON object of tunables: {}", text));
  }
  ReduceParams params;
  for (const Tunable& tunable : kTunables) {
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
    if (!has_value(tunable, value)) {
      throw std::invalid_argument(
          fmt::format("{} is no value of the tunable {}", field->dump(), tunable.name));
    }
    tunable.set(params, value);
  }
  if (json.size() != kTunables.size()) {
    throw std::invalid_argument(fmt::format("an unknown tunable in {}", text));
  }
  return params;
}

std::string to_template_argument(const ReduceParams& params) {
  std::string text = "foldtune::ReduceParams{";
  for (const Tunable& tunable : kTunables) {
    const int value = tunable.get(params);
    text += fmt::format(".{}=", tunable.name);
    text += tunable.labels.empty()
                ? fmt::format("{},", value)
                : fmt::format("{}::{},", tunable.device_type, tunable.labels[value]);
  }
  text.back() = '}';
  return text;
}

std::uint64_t tile_elements(const ReduceParams& params) {
  return static_cast<std::uint64_t>(params.block_size) * params.vector_width * params.unroll;
}

std::uint32_t grid_blocks(const ReduceParams& params, std::uint64_t count, int resident_blocks) {
  const std::uint64_t tiles = tile_count(params, count);
  const std::uint64_t limit =
      params.waves == 0 ? kMaxGridBlocks
                        : static_cast<std::uint64_t>(params.waves) * std::max(1, resident_blocks);
  return static_cast<std::uint32_t>(std::min({tiles, limit, kMaxGridBlocks}));
}

}  // namespace foldtune
