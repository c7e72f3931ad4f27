#include "tests/support/axis_variants.h"

#include <algorithm>
#include <array>
#include <random>
#include <span>

#include "templates/axis/space.h"
#include "templates/hardware.h"
#include "tests/support/variants.h"

namespace foldtune::test {

AxisReduction along_axis(Reduction row, bool is_narrow) {
  row.determinism = Determinism::run_to_run;
  if (result_shape(row.op) == ResultShape::indexed_value) {
    row.result = is_narrow ? ElementType::i32 : ElementType::i64;
  }
  return {.row = std::move(row)};
}

std::vector<AxisReduction> all_axis_reductions() {
  std::vector<AxisReduction> all;
  for (const Reduction& row : all_reductions()) all.push_back(along_axis(row, all.size() % 2 == 1));
  return all;
}

namespace {

/// Elements of a row where rows begin and end at vectors, of which a call has a multiple.
std::uint64_t vector_of(const AxisReduction& reduction) {
  if (device_layout(reduction.alignment) != AxisLayout::vector) return 1;
  const std::vector<ElementType> types = reduction.row.input_types();
  return kMaxLoadBytes / size_of(*std::ranges::min_element(types, {}, size_of));
}

}  // namespace

std::vector<Variant> random_variants(const AxisReduction& problem, std::size_t count,
                                     std::size_t seed, int largest_block) {
  constexpr int kTries = 100'000;
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto one_of = [&](std::span<const int> values) { return values[random() % values.size()]; };
  std::vector<Variant> variants;
  for (int tries = 0; variants.size() < count && tries < kTries; ++tries) {
    AxisReduction reduction = problem;
    reduction.alignment = static_cast<AxisAlignment>(random() % 5);
    // The most that calls have: long enough for several tiles, or so short that it can be staged,
    // or that rows of one result are read as if they were one.
    constexpr std::array<std::uint64_t, 5> kLengths{4096, 4096, 64, 8, 3};
    const std::uint64_t length = kLengths[random() % kLengths.size()];
    const bool is_short = length <= 64;
    reduction.shape = random() % 2 == 0
                          ? Shape{{40, is_short && random() % 2 == 0 ? 1ull : 8ull, 600, length}}
                          : Shape{{40, length, is_short ? 32ull : 2048ull, 1}};
    Config config(axis_family());
    for (const Tunable& tunable : axis_tunables()) config.set(tunable, one_of(tunable.values));
    AxisParams params = axis_params(config);
    // What makes no difference to a method has one value.
    if (params.method != AxisMethod::strips) params.width = 1;
    if (params.method == AxisMethod::lines) params.group = 1;
    if (random() % 2 == 0) params.splits = 1;
    if (params.splits > 1) params.waves = 0;
    if (params.block_size > largest_block || !is_valid(reduction, params)) continue;
    if (has_rows(reduction.shape) && length % vector_of(reduction) != 0) continue;
    // Each method and layout as often as another.
    const auto wanted = static_cast<AxisMethod>((variants.size() + seed) % 4);
    if (params.method != wanted && tries % 1000 != 999) continue;
    variants.push_back({.workload = reduction, .params = params});
  }
  return variants;
}

}  // namespace foldtune::test
