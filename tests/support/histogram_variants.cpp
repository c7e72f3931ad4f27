#include "tests/support/histogram_variants.h"

#include <random>

#include "templates/histogram/space.h"
#include "templates/space.h"

namespace foldtune::test {
namespace {

Variant random_variant(Problem problem, std::mt19937& random, int largest_block) {
  constexpr std::uint64_t kNarrow = 0;
  constexpr std::uint64_t kWide = std::uint64_t{1} << 31;
  problem.alignment = random() % 2 == 0 ? Alignment::vector : Alignment::element;
  problem.count = random() % 2 == 0 ? kNarrow : kWide;
  const Space space(problem);
  for (;;) {
    Config params = HistogramParams{};
    for (const Tunable& tunable : histogram_family().tunables()) {
      params.set(tunable, tunable.values[random() % tunable.values.size()]);
    }
    const bool is_small = histogram_params(params).block_size <= largest_block;
    if (is_small && space.contains(params)) return {problem, params};
  }
}

}  // namespace

std::vector<Problem> histogram_problems() {
  std::vector<Problem> problems;
  for (const ElementType type : element_types()) {
    const auto add = [&](std::uint32_t bins, Binning binning) {
      problems.push_back(
          {.op = Operator::histogram,
           .type = type,
           .accumulator = problems.size() % 2 == 0 ? ElementType::u64 : ElementType::u32,
           .histogram = {.bins = bins, .binning = binning}});
    };
    // Powers of two and others, that fit into shared memory many times, once, and not at all.
    for (const std::uint32_t bins : {2u, 3u, 256u, 1000u, 5000u, kMaxBins}) {
      add(bins, Binning::even);
      add(bins, Binning::custom);
    }
    if (size_of(type) == 1) {
      add(256, Binning::key);
      add(256, Binning::key);
    }
  }
  return problems;
}

std::vector<Variant> random_variants(const Problem& problem, std::size_t count, std::size_t seed,
                                     int largest_block) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::vector<Variant> variants;
  for (std::size_t i = 0; i < count; ++i) {
    variants.push_back(random_variant(problem, random, largest_block));
  }
  return variants;
}

}  // namespace foldtune::test
