// Grids of more blocks than one warp folds, and of fewer than a block has threads: where blocks
// meet, some threads have a partial and some have none.

#include <algorithm>

#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/conformance/fold_all.h"

namespace foldtune::test {
namespace {

constexpr std::uint64_t kBlocks = 200;

/// Each for the count that it is called with, since not every final stage can hold every total.
std::vector<Variant> make_variants(Problem problem) {
  const bool is_cuda = Environment::get().is_cuda();
  std::vector<Variant> variants;
  // On a CPU it is threads that take time.
  for (const int block_size : {64, 1024}) {
    if (block_size > 64 && !is_cuda) continue;
    for (const FinalStage final_stage :
         {FinalStage::polling, FinalStage::last_block, FinalStage::two_pass, FinalStage::atomic,
          FinalStage::cluster, FinalStage::counted}) {
      const Params params = ReduceParams{.block_size = block_size,
                                         .vector_width = 2,
                                         .unroll = 4,
                                         .block_stage = BlockStage::tree_shuffle,
                                         .final_stage = final_stage,
                                         .waves = 0};
      problem.count = kBlocks * tile_elements(std::get<ReduceParams>(params)) + 1;
      if (Space(problem, Extent::all).contains(params)) {
        variants.push_back({.problem = problem, .params = params});
      }
    }
  }
  return variants;
}

TEST_CASE("Every final stage folds the partials of more blocks than a warp has lanes", "[grids]") {
  std::vector<FoldJob> jobs;
  for (const Problem& problem : chosen_problems()) {
    // On a CPU one problem of each kind says as much.
    if (!Environment::get().is_cuda() && !is_representative(problem)) continue;
    const std::vector<Variant> variants = make_variants(problem);
    std::uint64_t most = 0;
    for (const Variant& variant : variants) {
      most = std::max(most, variant.problem.count);
    }
    jobs.push_back(
        {.problem = problem,
         .variants = variants,
         .make_inputs =
             [=] { return make_telling_inputs(Environment::get().device(), problem, most); },
         .make_cases =
             [](const Plan& plan, const std::vector<Input>& inputs) {
               return std::vector<Case>{{.first = &inputs[0],
                                         .second = &inputs[1],
                                         .window = {0, plan.variant().problem.count}}};
             }});
  }
  fold_all(jobs);
}

}  // namespace
}  // namespace foldtune::test
