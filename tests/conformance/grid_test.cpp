// Grids of more blocks than one warp folds, and of fewer than a block has threads: where blocks
// meet, some threads have a partial and some have none.

#include <algorithm>

#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/conformance/fold_all.h"

namespace foldtune::test {
namespace {

constexpr std::uint64_t kBlocks = 200;
constexpr int kVectorWidth = 2;
constexpr int kUnroll = 4;
constexpr int kMostThreads = 1024;
/// Of the largest call; the space has what can hold the total of so many.
constexpr std::uint64_t kMostOfGrid = kBlocks * kMostThreads * kVectorWidth * kUnroll + 1;

std::vector<Variant> make_variants(const Problem& problem) {
  const bool is_cuda = Environment::get().is_cuda();
  std::vector<Variant> variants;
  // On a CPU it is threads that take time.
  for (const int block_size : {64, kMostThreads}) {
    if (block_size > 64 && !is_cuda) continue;
    for (const FinalStage final_stage :
         {FinalStage::polling, FinalStage::last_block, FinalStage::two_pass, FinalStage::atomic,
          FinalStage::cluster, FinalStage::counted}) {
      const Params params = ReduceParams{.block_size = block_size,
                                         .vector_width = kVectorWidth,
                                         .unroll = kUnroll,
                                         .block_stage = BlockStage::tree_shuffle,
                                         .final_stage = final_stage,
                                         .waves = 0};
      if (Space(problem, Extent::all).contains(params)) {
        variants.push_back({.problem = problem, .params = params});
      }
    }
  }
  return variants;
}

std::uint64_t count_for(const Plan& plan) {
  return kBlocks * tile_elements(std::get<ReduceParams>(plan.variant().params)) + 1;
}

TEST_CASE("Every final stage folds the partials of more blocks than a warp has lanes", "[grids]") {
  std::vector<FoldJob> jobs;
  for (Problem problem : chosen_problems()) {
    problem.count = kMostOfGrid;
    // On a CPU one problem of each kind says as much.
    if (!Environment::get().is_cuda() && !is_representative(problem)) continue;
    const std::vector<Variant> variants = make_variants(problem);
    std::uint64_t most = 0;
    for (const Variant& variant : variants) {
      most = std::max(most, tile_elements(std::get<ReduceParams>(variant.params)));
    }
    jobs.push_back(
        {.problem = problem,
         .variants = variants,
         .make_inputs =
             [=] {
               return make_telling_inputs(Environment::get().device(), problem, kBlocks * most + 1);
             },
         .make_cases =
             [](const Plan& plan, const std::vector<Input>& inputs) {
               return std::vector<Case>{
                   {.first = &inputs[0], .second = &inputs[1], .window = {0, count_for(plan)}}};
             }});
  }
  fold_all(jobs);
}

}  // namespace
}  // namespace foldtune::test
