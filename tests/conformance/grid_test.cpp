// Grids of more blocks than one warp folds, and of fewer than a block has threads or a warp takes:
// where blocks meet, some threads have more partials than others, and some have none.

#include <algorithm>

#include "templates/reduce/space.h"
#include "templates/space.h"
#include "tests/catch.h"
#include "tests/conformance/fold_all.h"

namespace foldtune::test {
namespace {

struct Meeting {
  BlockStage block_stage;
  std::uint64_t blocks;  ///< one warp takes up to 129
};
constexpr Meeting kMeetings[] = {
    {BlockStage::tree_shuffle, 200}, {BlockStage::redux, 200}, {BlockStage::redux, 90}};

/// All that are in the reduction's space.
void add_variants(std::vector<Variant>& variants, Reduction reduction, const Meeting& meeting,
                  int block_size) {
  for (const FinalStage final_stage :
       {FinalStage::polling, FinalStage::last_block, FinalStage::two_pass, FinalStage::atomic,
        FinalStage::cluster, FinalStage::counted}) {
    const Config params = ReduceParams{.block_size = block_size,
                                       .vector_width = 2,
                                       .unroll = 4,
                                       .block_stage = meeting.block_stage,
                                       .final_stage = final_stage,
                                       .waves = 0};
    reduction.count = meeting.blocks * tile_elements(reduce_params(params)) + 1;
    const Workload workload = reduction;
    if (Space(workload, Extent::all).contains(params)) {
      variants.push_back({.workload = workload, .params = params});
    }
  }
}

/// Each for the count that it is called with, since not every final stage can hold every total.
std::vector<Variant> make_variants(const Reduction& reduction) {
  const bool is_cuda = Environment::get().is_cuda();
  std::vector<Variant> variants;
  for (const Meeting& meeting : kMeetings) {
    add_variants(variants, reduction, meeting, 64);
    // On a CPU it is threads that take time.
    if (is_cuda) add_variants(variants, reduction, meeting, 1024);
  }
  return variants;
}

TEST_CASE("Every final stage folds the partials of more blocks than a warp has lanes", "[grids]") {
  std::vector<FoldJob> jobs;
  for (const Reduction& reduction : chosen_reductions()) {
    // On a CPU one problem of each kind says as much.
    if (!Environment::get().is_cuda() && !is_representative(reduction)) continue;
    const std::vector<Variant> variants = make_variants(reduction);
    std::uint64_t most = 0;
    for (const Variant& variant : variants) {
      most = std::max(most, variant.workload.shape[0]);
    }
    jobs.push_back(
        {.reduction = reduction,
         .variants = variants,
         .make_inputs =
             [=] { return make_telling_inputs(Environment::get().device(), reduction, most); },
         .make_cases =
             [](const Plan& plan, const std::vector<Input>& inputs) {
               return std::vector<Case>{{.first = &inputs[0],
                                         .second = &inputs[1],
                                         .window = {0, plan.variant().workload.shape[0]}}};
             }});
  }
  fold_all(jobs);
}

}  // namespace
}  // namespace foldtune::test
