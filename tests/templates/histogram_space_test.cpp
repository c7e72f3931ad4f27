#include <algorithm>

#include "templates/histogram/layout.cuh"
#include "templates/histogram/space.h"
#include "templates/space.h"
#include "templates/struct_tunables.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

HistogramWorkload make_histogram(ElementType type, std::uint32_t bins,
                                 Binning binning = Binning::even) {
  return {.type = type, .bins = bins, .binning = binning, .count = 1 << 24};
}

bool is_in_space(const HistogramWorkload& histogram, const HistogramParams& params) {
  return Space(histogram).contains(params);
}

TEST_CASE("Histogram space: loads are at most 16 bytes wide") {
  CHECK(is_in_space(make_histogram(ElementType::u8, 256), {.vector_width = 16}));
  CHECK(is_in_space(make_histogram(ElementType::f32, 256), {.vector_width = 4}));
  CHECK_FALSE(is_in_space(make_histogram(ElementType::f32, 256), {.vector_width = 8}));
  CHECK_FALSE(is_in_space(make_histogram(ElementType::u8, 256), {.vector_width = 16, .unroll = 8}));
}

TEST_CASE("Histogram space: bins in shared memory fit into 48 KiB") {
  const HistogramWorkload few = make_histogram(ElementType::f32, 256);
  CHECK(is_in_space(few, {.copies = 32}));
  CHECK(is_in_space(few, {.block_size = 1024, .privacy = BinPrivacy::warp}));
  const HistogramWorkload some = make_histogram(ElementType::f32, 1000);
  CHECK(is_in_space(some, {.copies = 8}));
  CHECK_FALSE(is_in_space(some, {.copies = 16}));
  CHECK_FALSE(is_in_space(some, {.block_size = 1024, .privacy = BinPrivacy::warp}));
  CHECK(is_in_space(make_histogram(ElementType::f32, 12'000), {}));
  const HistogramWorkload many = make_histogram(ElementType::f32, 20'000);
  CHECK_FALSE(is_in_space(many, {}));
  CHECK(is_in_space(many, {.privacy = BinPrivacy::global}));
  // Bytes are counted by their value.
  CHECK(is_in_space(make_histogram(ElementType::u8, 20'000), {.copies = 32}));
}

TEST_CASE("Histogram space: only the privacy 'block' has copies") {
  const HistogramWorkload histogram = make_histogram(ElementType::f32, 16);
  CHECK(is_in_space(histogram, {.copies = 2}));
  CHECK_FALSE(is_in_space(histogram, {.privacy = BinPrivacy::warp, .copies = 2}));
  CHECK_FALSE(is_in_space(histogram, {.privacy = BinPrivacy::global, .copies = 2}));
}

TEST_CASE("Histogram space: a block polls as many totals as its threads hold in registers") {
  const auto can_poll = [](const HistogramWorkload& histogram, HistogramParams params) {
    params.finish = HistogramFinal::polling;
    return is_in_space(histogram, params);
  };
  // One total more than bins: elements in no bin. Bytes are counted by their 256 values.
  CHECK(can_poll(make_histogram(ElementType::f32, 255), {.block_size = 32}));
  CHECK_FALSE(can_poll(make_histogram(ElementType::f32, 256), {.block_size = 32}));
  CHECK(can_poll(make_histogram(ElementType::u8, 20'000), {.block_size = 32}));
  CHECK(can_poll(make_histogram(ElementType::f32, 8191), {.block_size = 1024}));
  CHECK_FALSE(can_poll(make_histogram(ElementType::f32, 8192), {.block_size = 1024}));
  CHECK(can_poll(make_histogram(ElementType::f32, 256), {.privacy = BinPrivacy::warp}));
  CHECK_FALSE(can_poll(make_histogram(ElementType::f32, 256), {.privacy = BinPrivacy::global}));
}

TEST_CASE("Histogram space: untuned, one block or one for each multiprocessor, in one launch") {
  const auto default_of = [](std::uint64_t count, std::uint32_t bins) {
    HistogramWorkload histogram = make_histogram(ElementType::u8, bins, Binning::key);
    if (bins != 256) histogram.type = ElementType::f32;
    histogram.count = count;
    const Config params = Space(histogram).default_params(132);
    CHECK(grid_blocks(histogram_params(params), count, 132) <= 132);
    return params;
  };
  CHECK(default_of(1 << 14, 256) ==
        Config(HistogramParams{.block_size = 256, .vector_width = 16, .unroll = 4, .copies = 16}));
  CHECK(default_of(1 << 13, 256) ==
        Config(HistogramParams{.block_size = 512, .vector_width = 16, .unroll = 2, .copies = 1}));
  CHECK(default_of(1 << 10, 256) ==
        Config(HistogramParams{.block_size = 256, .vector_width = 4, .unroll = 1, .copies = 1}));
  CHECK(histogram_params(default_of(1 << 18, 256)).copies == 1);
  CHECK(default_of(1 << 20, 256) == Config(HistogramParams{.block_size = 1024,
                                                           .vector_width = 16,
                                                           .unroll = 1,
                                                           .copies = 32,
                                                           .finish = HistogramFinal::polling,
                                                           .blocks_per_multiprocessor = 1}));
  CHECK(default_of(1 << 28, 256) == Config(HistogramParams{.block_size = 1024,
                                                           .vector_width = 16,
                                                           .unroll = 4,
                                                           .copies = 32,
                                                           .finish = HistogramFinal::polling,
                                                           .blocks_per_multiprocessor = 1}));
  CHECK(histogram_params(default_of(1 << 20, 10'000)).finish == HistogramFinal::last_block);
  CHECK(histogram_params(default_of(1 << 20, 20'000)).finish == HistogramFinal::zero_first);
}

TEST_CASE("Histogram space: a search tries a second launch for large inputs and many bins alone") {
  const auto is_tried = [](std::uint64_t count, std::uint32_t bins) {
    HistogramWorkload histogram = make_histogram(ElementType::f32, bins);
    histogram.count = count;
    const Config params =
        HistogramParams{.privacy = BinPrivacy::global, .finish = HistogramFinal::zero_first};
    CHECK(Space(histogram).contains(params));
    return std::ranges::count(Space(histogram).enumerate(), params) == 1;
  };
  CHECK_FALSE(is_tried(2 << 20, 256));  // 8 MiB
  CHECK(is_tried((2 << 20) + 1, 256));
  CHECK(is_tried(2 << 20, 20'000));
}

TEST_CASE("Histogram space: the edges are copied where there is room beside the counters") {
  CHECK(keeps_edges_in_shared({}, 4, 1000));
  CHECK_FALSE(keeps_edges_in_shared({.copies = 8}, 8, 1000 * 3 / 2));
  CHECK_FALSE(keeps_edges_in_shared({.privacy = BinPrivacy::global}, 4, 2));
  CHECK_FALSE(keeps_edges_in_shared({}, 1, 2));
}

TEST_CASE("Histogram space: every problem has valid configurations, and good ones among them") {
  for (const ElementType type : element_types()) {
    for (const std::uint32_t bins : {2u, 256u, 5000u, kMaxBins}) {
      for (const Distribution distribution : {Distribution::uniform, Distribution::constant}) {
        for (const auto& [rows, count] :
             std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 0},
                                                                  {1, 1 << 20},
                                                                  {1, kMaxCount},
                                                                  {2, 1 << 20},
                                                                  {1 << 12, 1 << 16},
                                                                  {300, 0}}) {
          HistogramWorkload histogram = make_histogram(type, bins);
          histogram.distribution = distribution;
          histogram.rows = rows;
          histogram.count = count;
          const Space space(histogram);
          const Config untuned = space.default_params(132);
          CHECK(space.contains(untuned));
          CHECK(histogram_family().is_searched(histogram, untuned));
          const std::vector<Config> good = histogram_family().known_good(histogram);
          CHECK(good.size() >= 3);
          CHECK(std::ranges::all_of(good, [&](const Config& p) { return space.contains(p); }));
        }
      }
    }
  }
}

TEST_CASE("Histogram space: what launches the same work as another is redundant") {
  const auto is_redundant = [](std::uint64_t count, const HistogramParams& params) {
    HistogramWorkload histogram = make_histogram(ElementType::f32, 256);
    histogram.count = count;
    return Space(histogram).is_redundant(params, 100);
  };
  constexpr std::uint64_t kMany = 1 << 24;
  CHECK_FALSE(is_redundant(kMany, {}));
  CHECK_FALSE(is_redundant(kMany, {.finish = HistogramFinal::zero_first}));
  CHECK_FALSE(is_redundant(kMany, {.finish = HistogramFinal::polling}));
  CHECK(is_redundant(1000, {.finish = HistogramFinal::zero_first}));
  CHECK(is_redundant(1000, {.finish = HistogramFinal::polling}));
  CHECK_FALSE(is_redundant(1000, {.privacy = BinPrivacy::global,
                                  .finish = HistogramFinal::zero_first,
                                  .blocks_per_multiprocessor = 1}));
  CHECK(is_redundant(kMany, {.block_size = 32, .privacy = BinPrivacy::warp}));
  CHECK(is_redundant(1 << 18, {.blocks_per_multiprocessor = 2}));
  CHECK_FALSE(is_redundant(1 << 18, {.blocks_per_multiprocessor = 1}));
}

TEST_CASE("Histogram space: a grid has blocks per multiprocessor, as far as there are tiles") {
  const HistogramParams params{.block_size = 256, .vector_width = 4, .unroll = 2};
  CHECK(tile_elements(params) == 2048);
  CHECK(grid_blocks(params, 0, 100) == 1);
  CHECK(grid_blocks(params, 2048, 100) == 1);
  CHECK(grid_blocks(params, 2049, 100) == 2);
  CHECK(grid_blocks(params, 1 << 24, 100) == 200);
  CHECK(grid_blocks(params, 1 << 24, 0) == 2);
}

TEST_CASE("Histogram space: no block counts as many elements as 32 bits hold") {
  for (const int multiprocessors : {1, 100}) {
    const HistogramParams params{.blocks_per_multiprocessor = 1};
    const std::uint32_t blocks = grid_blocks(params, kMaxCount, multiprocessors);
    const std::uint64_t tiles = kMaxCount / tile_elements(params) + 1;
    CHECK((tiles / blocks + 2) * tile_elements(params) < std::uint64_t{1} << 32);
  }
}

TEST_CASE("Histogram space: blocks share rows where there are few, else they take them in turn") {
  const HistogramParams params{.block_size = 256, .vector_width = 4, .unroll = 2};
  const auto blocks = [&](std::uint64_t rows) { return grid_blocks(params, 1 << 24, 100, rows); };
  CHECK(blocks(1) == 200);
  CHECK(blocks(3) == 66);
  CHECK(blocks(100) == 2);
  CHECK(blocks(101) == 1);
  CHECK(grid_blocks(params, 2048, 100, 3) == 1);
  CHECK(grid_blocks(params, std::uint64_t{1} << 33, 100, 1000) == 5);  // of 32 bits each
  CHECK(grid_rows(params, 100, 0) == 1);
  CHECK(grid_rows(params, 100, 3) == 3);
  CHECK(grid_rows(params, 100, 1000) == 200);
  CHECK(grid_rows({.blocks_per_multiprocessor = 8}, 10'000, 80'000) == 65'535);
}

TEST_CASE("Histogram space: untuned, many rows have a block each, as many as fit") {
  const auto default_of = [](std::uint64_t rows, std::uint64_t count) {
    const HistogramWorkload histogram{
        .type = ElementType::u8, .binning = Binning::key, .rows = rows, .count = count};
    return histogram_params(Space(histogram).default_params(132));
  };
  const HistogramParams many = default_of(1024, 65'536);
  CHECK(Config(many) == Config(HistogramParams{.block_size = 512,
                                               .vector_width = 16,
                                               .unroll = 4,
                                               .copies = 32,
                                               .blocks_per_multiprocessor = 2}));
  CHECK(grid_blocks(many, 65'536, 132, 1024) == 1);
  CHECK(grid_rows(many, 132, 1024) == 264);
  CHECK(grid_rows(default_of(16'384, 4096), 132, 16'384) == 1056);
  for (const std::uint64_t rows : {67, 132, 300, 100'000}) {
    const HistogramParams params = default_of(rows, 65'536);
    CHECK(grid_blocks(params, 65'536, 132, rows) == 1);
    CHECK(params.block_size * params.blocks_per_multiprocessor <= 2048);
  }
  CHECK(grid_blocks(default_of(2, 1 << 24), 1 << 24, 132, 2) == 66);
  CHECK(default_of(1024, 100).vector_width == 1);
}

TEST_CASE("Histogram space: params are written as the kernel's template argument and as JSON") {
  const Config params = HistogramParams{.copies = 8, .aggregation = BinAggregation::runs};
  CHECK(to_template_argument("foldtune::HistogramParams", params) ==
        "foldtune::HistogramParams{.block_size=256,.vector_width=4,.unroll=4,"
        ".privacy=foldtune::BinPrivacy::block,.copies=8,"
        ".aggregation=foldtune::BinAggregation::runs,"
        ".finish=foldtune::HistogramFinal::last_block,.blocks_per_multiprocessor=2}");
  CHECK(config_from_json(histogram_family(), to_json(params)) == params);
}

}  // namespace
}  // namespace foldtune::test
