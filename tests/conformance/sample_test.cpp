// Every configuration, over counts at every edge of the kernel's loops and every alignment.

#include <algorithm>
#include <set>

#include "runtime/support/sanitizer.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/conformance/fold_all.h"

namespace foldtune::test {
namespace {

/// How much is folded.
struct Limits {
  std::uint64_t count;        ///< the most elements
  std::uint64_t tiles;        ///< the most tiles
  std::uint64_t dense_tiles;  ///< counts of so many tiles have every alignment, others one
};

Limits choose_limits(const Reduction& reduction) {
  const Environment& environment = Environment::get();
  if (environment.options().sparse) return {.count = 200'003, .tiles = 7, .dense_tiles = 0};
  // The references take longer than the kernels.
  if (environment.is_cuda() && !is_representative(reduction)) {
    return {.count = 200'003, .tiles = 200'003, .dense_tiles = 2};
  }
  if (environment.is_cuda()) return {.count = 4'000'037, .tiles = 4'000'037, .dense_tiles = 6};
  // On a CPU it is blocks that take time, not elements.
  if (kThreadSanitizer) return {.count = 2'000, .tiles = 7, .dense_tiles = 0};
  if (!is_representative(reduction)) return {.count = 10'007, .tiles = 40, .dense_tiles = 1};
  return {.count = 50'021, .tiles = 300, .dense_tiles = 2};
}

/// The counts, up to `limit`, at which a kernel changes its way.
std::set<std::uint64_t> edge_counts(const Plan& plan, std::uint64_t limit) {
  const auto& params = reduce_params(plan.variant().params);
  const auto width = static_cast<std::uint64_t>(params.vector_width);
  const auto block = static_cast<std::uint64_t>(params.block_size);
  const std::uint64_t tile = tile_elements(params);
  // What the largest grid takes in one turn.
  const std::uint64_t turn = plan.grid_size({{kMaxCount}}) * tile;
  std::set<std::uint64_t> counts{1,
                                 width - 1,
                                 width,
                                 width + 1,
                                 block * width - 1,
                                 block * width + 1,
                                 tile - 1,
                                 tile,
                                 tile + 1,
                                 2 * tile + width + 1,
                                 5 * tile + 3,
                                 turn - 1,
                                 turn,
                                 turn + 1,
                                 2 * turn + tile + 3,
                                 limit};
  counts.erase(counts.upper_bound(limit), counts.end());
  counts.erase(0);
  if (has_empty_result(reduction_of(plan.variant().workload).op)) counts.insert(0);
  return counts;
}

/// The windows end at the end of the inputs or fewer elements before it than make a vector, so that
/// reading beyond them is seen by whoever watches the memory.
std::vector<Case> make_cases(const Plan& plan, const std::vector<Input>& inputs,
                             const Limits& limits) {
  constexpr std::uint64_t kVectorBytes = 16;
  const auto& params = reduce_params(plan.variant().params);
  const Reduction reduction = reduction_of(plan.variant().workload);
  const std::uint64_t vector = kVectorBytes / size_of(reduction.type);
  const std::uint64_t alignments = reduction.alignment == Alignment::vector ? 1 : vector;
  const std::uint64_t tile = tile_elements(params);
  const std::uint64_t size = inputs[0].size();
  std::vector<Case> cases;
  const auto add = [&](std::uint64_t count, std::uint64_t alignment) {
    const std::uint64_t last_start = size - count;
    const std::uint64_t start = last_start - (last_start - alignment) % vector;
    cases.push_back({.first = &inputs[0], .second = &inputs[1], .window = {start, count}});
  };
  // Configurations differ in which of their large counts have which alignment.
  std::uint64_t next = static_cast<std::uint64_t>(params.unroll + params.waves);
  for (const std::uint64_t count : edge_counts(plan, std::min(limits.count, limits.tiles * tile))) {
    if (count <= limits.dense_tiles * tile) {
      for (std::uint64_t alignment = 0; alignment < alignments; ++alignment) add(count, alignment);
    } else {
      add(count, next++ % alignments);
    }
  }
  return cases;
}

TEST_CASE("Every configuration folds every count and alignment", "[sample]") {
  std::vector<FoldJob> jobs;
  for (Reduction reduction : chosen_reductions()) {
    const Limits limits = choose_limits(reduction);
    reduction.count = limits.count;  // the space has what can hold the total of so many
    jobs.push_back({.reduction = reduction,
                    .variants = chosen_variants(reduction),
                    .make_inputs =
                        [=] {
                          // Room for every alignment of the largest count.
                          return make_telling_inputs(Environment::get().device(), reduction,
                                                     limits.count + kMostPeeled);
                        },
                    .make_cases =
                        [=](const Plan& plan, const std::vector<Input>& inputs) {
                          return make_cases(plan, inputs, limits);
                        }});
  }
  fold_all(jobs);
}

}  // namespace
}  // namespace foldtune::test
