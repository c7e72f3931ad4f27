// Reductions of segments as data: problems, configurations, launches.
#include <set>
#include <string>

#include "templates/segments/launcher.h"
#include "templates/segments/space.h"
#include "templates/space.h"
#include "tests/catch.h"
#include "tests/support/segment_variants.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("The default of segments is valid for every problem and shape") {
  std::uint64_t seen = 0;
  for (const SegmentReduction& problem : all_segment_reductions()) {
    if (++seen % 5 != 0) continue;
    for (const std::uint64_t segments : {0ull, 1ull, 333ull, 1ull << 20, 1ull << 31}) {
      for (const std::uint64_t elements : {0ull, 1ull, 1000ull, 1ull << 26, 1ull << 33}) {
        SegmentReduction reduction = problem;
        reduction.segments = segments;
        reduction.elements = elements;
        const SegmentParams params = default_segment_params(reduction, 132);
        INFO(to_string(Workload(reduction)) << " " << to_json(params));
        REQUIRE(is_valid(reduction, params));
      }
    }
  }
}

TEST_CASE("The grid fits the device, and the scratch suffices for every shape of a bucket") {
  const SegmentReduction sum{.segment = {.type = ElementType::f32}};
  bool are_equal = false;
  for (const Variant& variant : random_variants(sum, 80, 3)) {
    are_equal = !are_equal;
    SegmentReduction reduction = segment_reduction_of(variant.workload);
    if (are_equal) {
      reduction.lengths = SegmentLengths::equal;
      reduction.segments = 120;
      reduction.elements = 2'000'000;
    }
    const SegmentLauncher launcher(reduction, segment_params(variant.params),
                                   /*resident_blocks=*/200);
    const Shape most = segments_family().max_shape(bucket_of(Workload(reduction)));
    for (const Shape& shape :
         {most, Shape{{1, 1}}, Shape{{1, 0}}, Shape{{most[0], 9000}}, Shape{{1, most[1]}},
          Shape{{most[0] - most[0] / 8, most[1]}}, Shape{{most[0] / 2 + 1, most[1] / 2}}}) {
      const SegmentWork work = launcher.work(shape);
      CHECK(work.tile_blocks >= 1);
      CHECK(work.tile_blocks <= 200);
      if (!are_equal && shape[1] > 2 * std::uint64_t{work.chunk_elements}) CHECK(work.helpers > 0);
      if (work.helpers > 0) CHECK(launcher.scratch_bytes(shape) > 0);
      CHECK(launcher.scratch_bytes(shape) <= launcher.max_scratch_bytes(most));
      Launches launches;
      launcher.fill({.shape = shape, .arguments = {}}, nullptr, launches);
      REQUIRE(launches.size() == 1);
      CHECK(launches.begin()->grid.x == work.tile_blocks + work.helpers);
      CHECK(launches.begin()->block.count() == launcher.block_size());
    }
  }
}

TEST_CASE("What is read of segments are elements and offsets") {
  const SegmentReduction sum{.segment = {.type = ElementType::f32},
                             .offsets = ElementType::i64,
                             .segments = 100,
                             .elements = 5000};
  CHECK(input_bytes(sum) == 5000 * 4 + 2 * 100 * 8);
}

TEST_CASE("A search of segments finds some hundred configurations, and the default") {
  for (const std::uint64_t segments : {1ull << 24, 1ull << 20, 1ull << 12}) {
    const SegmentReduction sum{
        .segment = {.type = ElementType::f32}, .segments = segments, .elements = 1 << 26};
    std::set<std::string> texts;
    for (const Config& config : Space(sum).enumerate()) texts.insert(to_json(config));
    CHECK(texts.size() > 50);
    CHECK(texts.size() < 2000);
    CHECK(texts.contains(to_json(default_segment_params(sum, 132))));
  }
}

TEST_CASE("Problems of segments say what cannot be") {
  const auto fault = [](const SegmentReduction& reduction) {
    return find_fault(Workload(reduction));
  };
  CHECK(fault({.segment = {.op = Operator::argmax}, .segments = 3, .elements = 10}).empty());
  CHECK_THAT(fault({.segment = {.op = Operator::argmax, .result = ElementType::f32}}),
             ContainsSubstring("the result of argmax of segments is an index"));
  CHECK_THAT(fault({.offsets = ElementType::u8}), ContainsSubstring("i32 or i64, not u8"));
  CHECK_THAT(fault({.segments = 1, .elements = 1ull << 31}),
             ContainsSubstring("offsets of i32 do not reach 2147483648 elements"));
  CHECK(fault({.offsets = ElementType::i64, .segments = 1, .elements = 1ull << 31}).empty());
  CHECK_THAT(fault({.offsets = ElementType::i64, .segments = 1, .elements = (1ull << 40) + 1}),
             ContainsSubstring("elements are more than the most, 2^40"));
  CHECK_THROWS_AS(segment_reduction_of(Problem(Reduction{})), std::logic_error);
  CHECK(to_string(Problem(SegmentReduction{.segment = {.type = ElementType::f32},
                                           .offsets = ElementType::i64,
                                           .lengths = SegmentLengths::power_law})) ==
        "sum f32 of segments (power_law) by i64 offsets");
}

}  // namespace
}  // namespace foldtune::test
