// Counts that 32 bits do not hold.

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <limits>

#include "templates/reduce/space.h"
#include "templates/space.h"
#include "tests/catch.h"
#include "tests/conformance/fold_all.h"

namespace foldtune::test {
namespace {

/// The most elements that indices of 32 bits are used for.
constexpr Window kMost32Bits{.start = 0, .count = 1'518'500'249};
constexpr Window kAbove31Bits{.start = 0, .count = (std::uint64_t{1} << 31) + 3};
constexpr Window kAbove32Bits{.start = 0, .count = (std::uint64_t{1} << 32) + 6};
constexpr Window kUnaligned{.start = 1, .count = kAbove32Bits.count - 1};
constexpr std::uint64_t kElements = kAbove32Bits.count;

/// Why nothing that large can be tested here; empty if it can.
std::string reason_to_skip() {
  const Environment& environment = Environment::get();
  if (!environment.is_cuda()) return "the CPU device would take hours";
  const std::uint64_t bytes = kElements * sizeof(float);
  const std::uint64_t needed = bytes + bytes / 4;
  const auto available = static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) *
                         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t on_device = environment.memory_bytes();
  if (available >= needed && on_device >= needed) return {};
  return fmt::format("it needs {} MiB, and there are {} MiB on the host and {} MiB on the device",
                     needed >> 20, available >> 20, on_device >> 20);
}

/// Random elements; the last one of each window is its smallest, or its largest for a maximum.
template <class T>
std::vector<std::byte> make_array(const Reduction& reduction) {
  constexpr std::uint64_t kSeed = 3;
  std::vector<std::byte> elements = make_input(reduction, 0, kElements, kSeed);
  const bool wants_largest = reduction.op == Operator::max || reduction.op == Operator::argmax;
  T extreme = wants_largest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
  if (!has_nan_policy(reduction.op)) return elements;
  for (const Window& window : {kAbove32Bits, kAbove31Bits, kMost32Bits}) {
    std::memcpy(elements.data() + (window.start + window.count - 1) * sizeof(T), &extreme,
                sizeof(T));
    extreme /= 2;
  }
  return elements;
}

std::vector<Config> some_configs(const Reduction& reduction) {
  constexpr int kMultiprocessors = 100;
  const auto make = [](int block_size, int vector_width, int unroll, BlockStage block_stage,
                       FinalStage final_stage, int waves) -> Config {
    return ReduceParams{.block_size = block_size,
                        .vector_width = vector_width,
                        .unroll = unroll,
                        .block_stage = block_stage,
                        .final_stage = final_stage,
                        .waves = waves};
  };
  return {
      Space(reduction).default_params(kMultiprocessors),
      // The largest grid.
      make(32, 1, 1, BlockStage::tree, FinalStage::two_pass, 0),
      make(256, 1, 8, BlockStage::shuffle, FinalStage::polling, 0),
      // The longest loops.
      make(1024, 4, 16, BlockStage::shuffle, FinalStage::polling, 1),
      make(256, 4, 4, BlockStage::tree_shuffle, FinalStage::last_block, 4),
      make(128, 2, 8, BlockStage::tree, FinalStage::last_block, 2),
      ReduceParams{.unroll = 4,
                   .tile_layout = TileLayout::split,
                   .final_stage = FinalStage::two_pass,
                   .waves = 2},
  };
}

/// For the windows of each width of indices, and for those that are not aligned.
std::vector<Variant> some_variants(Reduction reduction) {
  std::vector<Variant> variants;
  const auto add_all = [&](std::uint64_t count, Alignment alignment) {
    reduction.count = count;
    reduction.alignment = alignment;
    for (const Config& params : some_configs(reduction)) variants.push_back({reduction, params});
  };
  add_all(kMost32Bits.count, Alignment::vector);
  add_all(kAbove32Bits.count, Alignment::vector);
  add_all(kUnaligned.count, Alignment::element);
  return variants;
}

std::vector<Case> make_cases(const Plan& plan, const Input& input) {
  const Workload& workload = plan.variant().workload;
  if (workload.layout != 0) return {{&input, &input, kUnaligned}};
  if (!takes_64_bits(workload.shape[0])) return {{&input, &input, kMost32Bits}};
  return {{&input, &input, kAbove31Bits}, {&input, &input, kAbove32Bits}};
}

TEST_CASE("Counts above 2^31 and 2^32 are folded to their end", "[large]") {
  if (const std::string reason = reason_to_skip(); !reason.empty()) {
    WARN("skipped: " << reason);
    return;
  }
  std::vector<FoldJob> jobs;
  for (Reduction reduction : {
           Reduction{.op = Operator::sum, .type = ElementType::i32},
           Reduction{
               .op = Operator::sum, .type = ElementType::f32, .accumulator = ElementType::f64},
           Reduction{.op = Operator::min, .type = ElementType::f32},
           Reduction{.op = Operator::max, .type = ElementType::i32},
           Reduction{.op = Operator::argmin, .type = ElementType::f32},
           Reduction{.op = Operator::argmax, .type = ElementType::i32},
           Reduction{.op = Operator::variance, .type = ElementType::f32},
           Reduction{.op = Operator::count_nonzero, .type = ElementType::f32},
       }) {
    reduction.determinism = Determinism::any;
    if (!is_chosen(describe(reduction))) continue;
    jobs.push_back({.reduction = reduction,
                    .variants = some_variants(reduction),
                    .make_inputs =
                        [reduction] {
                          std::vector<std::vector<std::byte>> arrays;
                          arrays.push_back(reduction.type == ElementType::i32
                                               ? make_array<std::int32_t>(reduction)
                                               : make_array<float>(reduction));
                          std::vector<Input> inputs;
                          inputs.emplace_back(Environment::get().device(), reduction, "random",
                                              std::move(arrays));
                          return inputs;
                        },
                    .make_cases =
                        [](const Plan& plan, const std::vector<Input>& inputs) {
                          return make_cases(plan, inputs.front());
                        }});
  }
  fold_all(jobs);
}

}  // namespace
}  // namespace foldtune::test
