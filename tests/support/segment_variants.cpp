#include "tests/support/segment_variants.h"

#include <array>
#include <random>
#include <span>

#include "templates/segments/space.h"
#include "tests/support/axis_variants.h"
#include "tests/support/variants.h"

namespace foldtune::test {

SegmentReduction of_segments(Reduction segment, bool is_wide) {
  return {.segment = along_axis(std::move(segment), !is_wide).row,
          .offsets = is_wide ? ElementType::i64 : ElementType::i32};
}

std::vector<SegmentReduction> all_segment_reductions() {
  std::vector<SegmentReduction> all;
  for (const Reduction& segment : all_reductions()) {
    all.push_back(of_segments(segment, all.size() % 2 == 1));
  }
  return all;
}

std::vector<Variant> random_variants(const SegmentReduction& problem, std::size_t count,
                                     std::size_t seed, int largest_block) {
  constexpr int kTries = 100'000;
  constexpr std::array<std::uint64_t, 4> kSegments{20'000, 2'000, 100, 3};
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto one_of = [&](std::span<const int> values) { return values[random() % values.size()]; };
  std::vector<Variant> variants;
  for (int tries = 0; variants.size() < count && tries < kTries; ++tries) {
    SegmentReduction reduction = problem;
    reduction.segments = kSegments[random() % kSegments.size()];
    reduction.elements = 40'000;
    Config config(segments_family());
    for (const Tunable& tunable : segment_tunables()) config.set(tunable, one_of(tunable.values));
    const SegmentParams params = segment_params(config);
    if (params.block_size > largest_block || !is_valid(reduction, params)) continue;
    variants.push_back({.workload = reduction, .params = params});
  }
  return variants;
}

}  // namespace foldtune::test
