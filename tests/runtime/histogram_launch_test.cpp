#include "foldtune/bin_bound.h"
#include "templates/histogram/launcher.h"
#include "templates/histogram/layout.cuh"
#include "templates/histogram/range.cuh"
#include "templates/histogram/space.h"
#include "templates/histogram/workload.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

// As the launcher has them.
constexpr std::size_t kMain = 0;
constexpr std::size_t kHelper = 1;

constexpr int kMultiprocessors = 100;

/// A launch, and what the main kernel is given.
struct SeenLaunch {
  Launch shape;
  std::uint64_t count = 0;
  const void* edges = nullptr;
  bool inputs_ready = false;
};

Variant make_variant(const HistogramParams& params, const HistogramWorkload& workload) {
  return {.workload = workload, .params = params};
}
Variant make_variant(const HistogramParams& params, std::uint32_t bins = 256,
                     ElementType type = ElementType::f32) {
  return make_variant(params, {.type = type, .bins = bins});
}

HistogramLauncher launcher_of(const Variant& variant) {
  return {histogram_of(variant.workload), histogram_params(variant.params), kMultiprocessors};
}

std::uint64_t count_of_blocks(const Variant& variant, std::uint32_t blocks) {
  return blocks * tile_elements(histogram_params(variant.params));
}

/// What a call is given beside its arrays.
struct Given {
  BinBound lower = 0;
  BinBound upper = 1;
  const void* edges = nullptr;
  bool inputs_ready = false;
};

std::vector<SeenLaunch> launches_of(const Variant& variant, std::uint32_t blocks,
                                    Given given = {}) {
  const Call call{
      .shape = {{1, count_of_blocks(variant, blocks)}},
      .arguments = {nullptr, nullptr, const_cast<void*>(given.edges), &given.lower, &given.upper},
      .inputs_ready = given.inputs_ready};
  Launches launches;
  launcher_of(variant).fill(call, nullptr, launches);
  std::vector<SeenLaunch> all;
  for (const Launch& launch : launches) {
    SeenLaunch& seen = all.emplace_back(SeenLaunch{.shape = launch});
    if (launch.kernel != kMain) continue;
    const auto& arguments = launch.arguments;
    seen.count = takes_64_bits(variant.workload.shape[histogram_extent::n])
                     ? *static_cast<std::uint64_t*>(arguments[1])
                     : *static_cast<std::uint32_t*>(arguments[1]);
    seen.edges = static_cast<BinRange*>(arguments[2])->edges;
    seen.inputs_ready = *static_cast<bool*>(arguments[5]);
  }
  return all;
}

std::size_t scratch_bytes_of(const Variant& variant) {
  return launcher_of(variant).scratch_bytes({{1, 1000}});
}

TEST_CASE("Histogram launch: the last block and polling need one launch") {
  for (const HistogramParams params : {HistogramParams{.block_size = 64},
                                       {.block_size = 64, .privacy = BinPrivacy::global},
                                       {.block_size = 64, .privacy = BinPrivacy::warp},
                                       {.block_size = 64, .finish = HistogramFinal::polling}}) {
    for (const std::uint32_t blocks : {1u, 7u}) {
      const Variant variant = make_variant(params);
      const auto launches = launches_of(variant, blocks);
      REQUIRE(launches.size() == 1);
      CHECK(launches[0].shape.kernel == kMain);
      CHECK(launches[0].shape.grid == Dim3{blocks});
      CHECK(launches[0].shape.block == Dim3{64});
      CHECK(launches[0].count == count_of_blocks(variant, blocks));
    }
  }
}

TEST_CASE("Histogram launch: the output is set to zero first, unless one block writes it") {
  const auto launches_with = [](BinPrivacy privacy, std::uint32_t blocks) {
    const HistogramParams params{.privacy = privacy, .finish = HistogramFinal::zero_first};
    return launches_of(make_variant(params, 5000), blocks);
  };
  CHECK(launches_with(BinPrivacy::block, 1).size() == 1);
  CHECK(launches_with(BinPrivacy::warp, 1).size() == 1);
  CHECK(launches_with(BinPrivacy::global, 1).size() == 2);
  const auto launches = launches_with(BinPrivacy::block, 3);
  REQUIRE(launches.size() == 2);
  CHECK(launches[0].shape.kernel == kHelper);
  CHECK(launches[0].shape.block == Dim3{kZeroThreads});
  CHECK(launches[0].shape.grid == Dim3{5});
  CHECK(launches[1].shape.kernel == kMain);
}

TEST_CASE("Histogram launch: a range without an element counts nothing, in one block") {
  const Variant variant = make_variant({}, 256, ElementType::i32);
  auto launches = launches_of(variant, 3, {.lower = 0.25, .upper = 0.75});
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].count == 0);
  CHECK(launches[0].shape.grid == Dim3{1});
  launches = launches_of(variant, 3, {.lower = 0.25, .upper = 1});
  CHECK(launches[0].count == count_of_blocks(variant, 3));
}

TEST_CASE("Histogram launch: a kernel gets the count in its width, and the edges") {
  const Variant variant =
      make_variant({}, {.binning = Binning::custom, .count = std::uint64_t{1} << 33});
  const float edges[257] = {};
  const auto launches = launches_of(variant, 3, {.edges = edges});
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].count == count_of_blocks(variant, 3));
  CHECK(launches[0].edges == edges);
}

TEST_CASE("Histogram launch: a kernel is told whether its inputs are ready") {
  for (const bool inputs_ready : {false, true}) {
    const auto launches = launches_of(make_variant({}), 3, {.inputs_ready = inputs_ready});
    REQUIRE(launches.size() == 1);
    CHECK(launches[0].inputs_ready == inputs_ready);
  }
}

TEST_CASE("Histogram launch: the scratch holds a total per slot where the last block moves them") {
  CHECK(scratch_bytes_of(make_variant({}, 1000)) == kHistogramTotalsOffset + 8000);
  CHECK(scratch_bytes_of(make_variant({}, 1000, ElementType::u8)) ==
        kHistogramTotalsOffset + 8 * 256);
  const Variant variant =
      make_variant({.privacy = BinPrivacy::global},
                   {.type = ElementType::u8, .bins = 1000, .counter = ElementType::u32});
  CHECK(scratch_bytes_of(variant) == kHistogramTotalsOffset + 4000);
  CHECK(scratch_bytes_of(make_variant({.finish = HistogramFinal::zero_first})) == 0);
}

TEST_CASE("Histogram launch: totals that are polled are of the count's width, one for no bin") {
  const auto bytes_of = [](const HistogramWorkload& workload) {
    return scratch_bytes_of(make_variant({.finish = HistogramFinal::polling}, workload));
  };
  HistogramWorkload workload{.bins = 1000};
  CHECK(bytes_of(workload) == kHistogramTotalsOffset + 4 * 1001);
  workload.count = std::uint64_t{1} << 33;
  CHECK(bytes_of(workload) == kHistogramTotalsOffset + 8 * 1001);
  workload.type = ElementType::u8;
  CHECK(bytes_of(workload) == kHistogramTotalsOffset + 8 * 256);
}

/// Launches for rows of so many elements.
struct RowLaunches {
  std::vector<Dim3> grids;
  std::uint64_t rows = 0;
  std::int64_t pitch = 0;
  std::uint64_t zeroed = 0;
};

RowLaunches launches_of_rows(const HistogramParams& params, std::uint64_t rows, std::uint64_t count,
                             const std::int64_t* pitch = nullptr) {
  const Variant variant = make_variant(params, {.bins = 1000, .rows = rows, .count = count});
  Call call{.shape = variant.workload.shape, .arguments = {}};
  call.arguments[HistogramLauncher::kPitch] = const_cast<std::int64_t*>(pitch);
  Launches launches;
  launcher_of(variant).fill(call, nullptr, launches);
  RowLaunches seen;
  for (const Launch& launch : launches) {
    seen.grids.push_back(launch.grid);
    if (launch.kernel == kHelper) {
      seen.zeroed = *static_cast<std::uint64_t*>(launch.arguments[1]);
    } else {
      seen.rows = *static_cast<std::uint64_t*>(launch.arguments[2]);
      seen.pitch = *static_cast<std::int64_t*>(launch.arguments[3]);
    }
  }
  return seen;
}

TEST_CASE("Histogram launch: a row of the grid counts rows of the input") {
  const HistogramParams params{.block_size = 64};  // two of each multiprocessor
  const std::uint64_t tile = tile_elements(params);
  RowLaunches seen = launches_of_rows(params, 3, 100 * tile);
  CHECK(seen.grids == std::vector<Dim3>{{66, 3}});
  CHECK(seen.rows == 3);
  CHECK(seen.pitch == static_cast<std::int64_t>(100 * tile));
  const std::int64_t pitch = -5;
  seen = launches_of_rows(params, 1000, 100 * tile, &pitch);
  CHECK(seen.grids == std::vector<Dim3>{{1, 200}});
  CHECK(seen.rows == 1000);
  CHECK(seen.pitch == -5);
}

TEST_CASE("Histogram launch: the counts of all rows are set to zero first where blocks share one") {
  const HistogramParams params{.block_size = 64, .finish = HistogramFinal::zero_first};
  const RowLaunches seen = launches_of_rows(params, 3, 100 * tile_elements(params));
  CHECK(seen.grids == std::vector<Dim3>{{3}, {66, 3}});
  CHECK(seen.zeroed == 3000);
  CHECK(launches_of_rows(params, 1000, 5000).grids == std::vector<Dim3>{{1, 200}});
}

TEST_CASE("Histogram launch: rows that several blocks share have a scratch each") {
  const auto bytes = [](const HistogramParams& params, std::uint64_t rows, std::uint64_t count) {
    const Variant variant = make_variant(params, {.bins = 1000, .rows = rows, .count = count});
    const HistogramLauncher launcher = launcher_of(variant);
    CHECK(launcher.scratch_bytes(variant.workload.shape) <=
          launcher.max_scratch_bytes(variant.workload.shape));
    return launcher.scratch_bytes(variant.workload.shape);
  };
  constexpr std::size_t kRow = kHistogramTotalsOffset + 8064;  // 8000, in whole lines
  CHECK(bytes({}, 3, 1 << 20) == 3 * kRow);
  CHECK(bytes({.finish = HistogramFinal::polling}, 3, 1 << 20) ==
        3 * (kHistogramTotalsOffset + 4096));
  CHECK(bytes({}, 1000, 1 << 20) == 0);
  CHECK(bytes({.finish = HistogramFinal::zero_first}, 3, 1 << 20) == 0);
}

TEST_CASE("Histogram launch: the most scratch is enough for fewer rows, which more blocks share") {
  for (const HistogramParams params :
       {HistogramParams{}, {.finish = HistogramFinal::polling, .blocks_per_multiprocessor = 8}}) {
    for (const std::uint64_t count :
         {std::uint64_t{5}, std::uint64_t{1} << 20, std::uint64_t{1} << 33}) {
      constexpr std::uint64_t kRows = 1024;
      const Variant variant = make_variant(params, {.bins = 10, .rows = kRows, .count = count});
      const HistogramLauncher launcher = launcher_of(variant);
      const std::size_t most = launcher.max_scratch_bytes({{kRows, count}});
      for (std::uint64_t rows = 1; rows <= kRows; ++rows) {
        REQUIRE(launcher.scratch_bytes({{rows, count}}) <= most);
      }
    }
  }
}

TEST_CASE("Histogram launch: a program is of the bins and the tunables that the kernel sees") {
  HistogramWorkload workload{.type = ElementType::f16, .bins = 1000};
  Variant variant = make_variant({.finish = HistogramFinal::zero_first}, workload);
  const Program program = make_program(variant);
  REQUIRE(program.name_expressions.size() == 2);
  CHECK(program.name_expressions[0] ==
        "foldtune::histogram<foldtune::float16, foldtune::BinRule::even, 1000u, unsigned long "
        "long, foldtune::uint32, true, foldtune::HistogramParams{.block_size=256,.vector_width=4,"
        ".unroll=4,.privacy=foldtune::BinPrivacy::block,.copies=1,"
        ".aggregation=foldtune::BinAggregation::none,"
        ".finish=foldtune::HistogramFinal::zero_first,.blocks_per_multiprocessor=1}>");
  CHECK(program.name_expressions[1] == "foldtune::zero_bins<unsigned long long, 1000u>");
  HistogramParams other = histogram_params(variant.params);
  other.blocks_per_multiprocessor = 8;
  workload.distribution = Distribution::zipf;
  variant = make_variant(other, workload);
  CHECK(make_program(variant).name_expressions == program.name_expressions);
  workload.rows = 3;
  const Program of_rows = make_program(make_variant(other, workload));
  CHECK_THAT(of_rows.name_expressions.at(0),
             Catch::Matchers::StartsWith("foldtune::histogram_rows<foldtune::float16, "));
  CHECK(of_rows.name_expressions.at(1) == "foldtune::zero_bins_of_rows<unsigned long long>");
}

}  // namespace
}  // namespace foldtune::test
