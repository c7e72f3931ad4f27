#include "runtime/launch/histogram_launch.h"

#include "templates/histogram/layout.cuh"
#include "templates/histogram/range.cuh"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

struct Launch {
  std::size_t kernel;
  LaunchShape shape;
  std::uint64_t count;  ///< of the main kernel
  const void* edges;    ///< the same
  bool inputs_ready;    ///< the same
};

/// Remembers its launches.
class RecordingKernel final : public Kernel {
 public:
  explicit RecordingKernel(bool is_wide) : is_wide_(is_wide) {}

  void launch(std::size_t index, LaunchShape shape, void** arguments, Stream) const override {
    Launch launch{
        .kernel = index, .shape = shape, .count = 0, .edges = nullptr, .inputs_ready = false};
    if (index == static_cast<std::size_t>(KernelRole::main)) {
      launch.count = is_wide_ ? *static_cast<std::uint64_t*>(arguments[1])
                              : *static_cast<std::uint32_t*>(arguments[1]);
      launch.edges = static_cast<BinRange*>(arguments[2])->edges;
      launch.inputs_ready = *static_cast<bool*>(arguments[5]);
    }
    launches.push_back(launch);
  }
  KernelResources resources(std::size_t, std::uint32_t) const override { return {}; }

  mutable std::vector<Launch> launches;

 private:
  bool is_wide_;
};

constexpr std::size_t kMain = static_cast<std::size_t>(KernelRole::main);
constexpr std::size_t kHelper = static_cast<std::size_t>(KernelRole::helper);

Variant make_variant(const HistogramParams& params, std::uint32_t bins = 256,
                     ElementType type = ElementType::f32) {
  return {.problem = {.op = Operator::histogram, .type = type, .histogram = {.bins = bins}},
          .params = params};
}

std::vector<Launch> launches_of(const Variant& variant, std::uint32_t blocks, Call call = {}) {
  const RecordingKernel kernel(counts_in_64_bits(variant));
  call.count = 100;
  enqueue_histogram(kernel, variant, blocks, call, nullptr, nullptr);
  return kernel.launches;
}

TEST_CASE("Histogram launch: the last block and polling need one launch") {
  for (const HistogramParams params : {HistogramParams{.block_size = 64},
                                       {.block_size = 64, .privacy = BinPrivacy::global},
                                       {.block_size = 64, .privacy = BinPrivacy::warp},
                                       {.block_size = 64, .finish = HistogramFinal::polling}}) {
    for (const std::uint32_t blocks : {1u, 7u}) {
      const auto launches = launches_of(make_variant(params), blocks);
      REQUIRE(launches.size() == 1);
      CHECK(launches[0].kernel == kMain);
      CHECK(launches[0].shape.grid_size == blocks);
      CHECK(launches[0].shape.block_size == 64);
      CHECK(launches[0].count == 100);
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
  CHECK(launches[0].kernel == kHelper);
  CHECK(launches[0].shape.block_size == kZeroThreads);
  CHECK(launches[0].shape.grid_size == 5);
  CHECK(launches[1].kernel == kMain);
}

TEST_CASE("Histogram launch: a range without an element counts nothing, in one block") {
  const Variant variant = make_variant({}, 256, ElementType::i32);
  auto launches = launches_of(variant, 3, {.lower = 0.25, .upper = 0.75});
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].count == 0);
  CHECK(launches[0].shape.grid_size == 1);
  launches = launches_of(variant, 3, {.lower = 0.25, .upper = 1});
  CHECK(launches[0].count == 100);
}

TEST_CASE("Histogram launch: a kernel gets the count in its width, and the edges") {
  Variant variant = make_variant({});
  variant.problem.count = std::uint64_t{1} << 33;
  variant.problem.histogram.binning = Binning::custom;
  const float edges[257] = {};
  const auto launches = launches_of(variant, 3, {.inputs = {nullptr, edges}});
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].count == 100);
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
  CHECK(histogram_scratch_bytes(make_variant({}, 1000)) == kHistogramTotalsOffset + 8000);
  CHECK(histogram_scratch_bytes(make_variant({}, 1000, ElementType::u8)) ==
        kHistogramTotalsOffset + 8 * 256);
  Variant variant = make_variant({.privacy = BinPrivacy::global}, 1000, ElementType::u8);
  variant.problem.accumulator = ElementType::u32;
  CHECK(histogram_scratch_bytes(variant) == kHistogramTotalsOffset + 4000);
  CHECK(histogram_scratch_bytes(make_variant({.finish = HistogramFinal::zero_first})) == 0);
}

TEST_CASE("Histogram launch: totals that are polled are of the count's width, one for no bin") {
  Variant variant = make_variant({.finish = HistogramFinal::polling}, 1000);
  CHECK(histogram_scratch_bytes(variant) == kHistogramTotalsOffset + 4 * 1001);
  variant.problem.count = std::uint64_t{1} << 33;
  CHECK(histogram_scratch_bytes(variant) == kHistogramTotalsOffset + 8 * 1001);
  variant.problem.type = ElementType::u8;
  CHECK(histogram_scratch_bytes(variant) == kHistogramTotalsOffset + 8 * 256);
}

TEST_CASE("Histogram launch: a program is of the bins and the tunables that the kernel sees") {
  Variant variant = make_variant({.finish = HistogramFinal::zero_first}, 1000, ElementType::f16);
  const Program program = make_program(variant);
  REQUIRE(program.name_expressions.size() == 2);
  CHECK(program.name_expressions[0] ==
        "foldtune::histogram<foldtune::float16, foldtune::BinRule::even, 1000u, unsigned long "
        "long, foldtune::uint32, true, foldtune::HistogramParams{.block_size=256,.vector_width=4,"
        ".unroll=4,.privacy=foldtune::BinPrivacy::block,.copies=1,"
        ".aggregation=foldtune::BinAggregation::none,"
        ".finish=foldtune::HistogramFinal::zero_first,.blocks_per_multiprocessor=1}>");
  CHECK(program.name_expressions[1] == "foldtune::zero_bins<unsigned long long, 1000u>");
  std::get<HistogramParams>(variant.params).blocks_per_multiprocessor = 8;
  variant.problem.histogram.distribution = Distribution::zipf;
  CHECK(make_program(variant).name_expressions == program.name_expressions);
}

}  // namespace
}  // namespace foldtune::test
