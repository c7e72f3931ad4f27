#include "tests/support/histogram_variants.h"

#include <fmt/format.h>

#include <random>

#include "templates/histogram/space.h"
#include "templates/space.h"

namespace foldtune::test {
namespace {

Variant random_variant(HistogramWorkload histogram, std::mt19937& random, int largest_block) {
  constexpr std::uint64_t kNarrow = 0;
  constexpr std::uint64_t kWide = std::uint64_t{1} << 31;
  histogram.alignment = random() % 2 == 0 ? Alignment::vector : Alignment::element;
  histogram.count = random() % 2 == 0 ? kNarrow : kWide;
  const Workload workload = histogram;
  const Space space(workload);
  for (;;) {
    Config params = HistogramParams{};
    for (const Tunable& tunable : histogram_family().tunables()) {
      params.set(tunable, tunable.values[random() % tunable.values.size()]);
    }
    const bool is_small = histogram_params(params).block_size <= largest_block;
    if (is_small && space.contains(params)) return {workload, params};
  }
}

}  // namespace

std::vector<HistogramWorkload> all_histograms() {
  std::vector<HistogramWorkload> histograms;
  for (const ElementType type : element_types()) {
    const auto add = [&](std::uint32_t bins, Binning binning) {
      histograms.push_back(
          {.type = type,
           .bins = bins,
           .binning = binning,
           .counter = histograms.size() % 2 == 0 ? ElementType::u64 : ElementType::u32});
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
  return histograms;
}

HistogramWorkload with_rows_in_turn(HistogramWorkload histogram, std::size_t turn) {
  constexpr std::uint64_t kManyRows = 64;
  histogram.rows = turn % 3 == 0 ? 1 : kManyRows;
  return histogram;
}

std::string describe(const HistogramWorkload& histogram) {
  return fmt::format("histogram {} -> {}", name(histogram.type), name(histogram.counter));
}

std::vector<Variant> random_variants(const HistogramWorkload& histogram, std::size_t count,
                                     std::size_t seed, int largest_block) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::vector<Variant> variants;
  for (std::size_t i = 0; i < count; ++i) {
    variants.push_back(random_variant(histogram, random, largest_block));
  }
  return variants;
}

}  // namespace foldtune::test
