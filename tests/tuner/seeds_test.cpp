#include "tuner/search/seeds.h"

#include "foldtune/reduction.h"
#include "templates/histogram/space.h"
#include "templates/histogram/workload.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"

namespace foldtune {
namespace {

constexpr std::uint64_t kSeedCount = 1 << 20;
const Reduction kSeedSum{.count = kSeedCount};

Known known_of(const Reduction& problem, int block_size, int vector_width = 4) {
  return {.workload = problem,
          .params = ReduceParams{.block_size = block_size, .vector_width = vector_width}};
}

int block_size_of(const Config& params) { return reduce_params(params).block_size; }

TEST_CASE("seeds come from the nearest size first, then from other types and operators") {
  Reduction near = kSeedSum;
  near.count = kSeedCount * 2;
  Reduction far = kSeedSum;
  far.count = kSeedCount * 64;
  const Reduction other_type{.type = ElementType::i32, .count = kSeedCount * 2};
  const Reduction other_op{.op = Operator::max, .count = kSeedCount * 4};
  const std::vector<Config> seeds = seeds_from(
      {known_of(far, 32), known_of(other_op, 64), known_of(other_type, 128), known_of(near, 256)},
      kSeedSum, 10);
  REQUIRE(seeds.size() == 4);
  CHECK(block_size_of(seeds[0]) == 256);
  CHECK(block_size_of(seeds[1]) == 128);
  CHECK(block_size_of(seeds[2]) == 64);
  CHECK(block_size_of(seeds[3]) == 32);
  CHECK(seeds_from({known_of(far, 32), known_of(near, 256)}, kSeedSum, 1) ==
        std::vector<Config>{known_of(near, 256).params});
}

TEST_CASE("seeds keep the bytes of a vector where elements are of another size") {
  const Reduction half{.type = ElementType::f16, .count = 2 * kSeedCount};
  const std::vector<Config> seeds = seeds_from({known_of(half, 128, 8)}, kSeedSum, 3);
  REQUIRE(seeds.size() == 1);
  CHECK(reduce_params(seeds[0]).vector_width == 4);
  const Reduction bytes{.type = ElementType::u8, .count = kSeedCount};
  CHECK(reduce_params(seeds_from({known_of(half, 128, 8)}, bytes, 3).at(0)).vector_width == 16);
  CHECK(reduce_params(seeds_from({known_of(bytes, 128, 1)}, kSeedSum, 3).at(0)).vector_width == 1);
}

TEST_CASE("seeds are valid, each once, and of the family") {
  Reduction any = kSeedSum;
  any.determinism = Determinism::any;
  const HistogramWorkload histogram{.count = kSeedCount};
  const Known invalid{.workload = any, .params = ReduceParams{.final_stage = FinalStage::atomic}};
  const Known other_family{.workload = histogram, .params = HistogramParams{}};
  const std::vector<Config> seeds =
      seeds_from({invalid, other_family, known_of(kSeedSum, 64), known_of(any, 64)}, kSeedSum, 10);
  CHECK(seeds == std::vector<Config>{known_of(kSeedSum, 64).params});
  CHECK(seeds_from({}, kSeedSum, 10).empty());
}

TEST_CASE("seeds are none that are known to be slow for the problem's size") {
  const ReduceParams two_pass{.final_stage = FinalStage::two_pass};
  const Known of_large{.workload = Reduction{.count = 1 << 24}, .params = two_pass};
  CHECK(seeds_from({of_large}, Reduction{.count = 1 << 16}, 10).empty());
  CHECK(seeds_from({of_large}, Reduction{.count = 1 << 23}, 10) == std::vector<Config>{two_pass});
  // Tiles of 2048: 32 are more than a cluster has blocks, and one is as fast without.
  const ReduceParams cluster{.block_size = 128, .unroll = 4, .final_stage = FinalStage::cluster};
  const Known of_two{.workload = Reduction{.count = 4096}, .params = cluster};
  CHECK(seeds_from({of_two}, Reduction{.count = 65'536}, 10).empty());
  CHECK(seeds_from({of_two}, Reduction{.count = 2048}, 10) == std::vector<Config>{cluster});
}

}  // namespace
}  // namespace foldtune
