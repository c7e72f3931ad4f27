// Compiles the block stages that are made of parts of the CUDA Toolkit with NVRTC, for the
// architectures that are named; needs no GPU.
//
// Exit codes: 0 everything compiles; 1 something does not; 3 there is no NVRTC, or no toolkit.

#include <fmt/format.h>

#include <exception>
#include <string>
#include <vector>

#include "foldtune/error.h"
#include "templates/family.h"
#include "templates/reduce/space.h"
#include "tests/support/batch_compiler.h"

namespace foldtune::test {
namespace {

constexpr int kDoesNotCompile = 1;
constexpr int kUnavailable = 3;

/// Accumulators of one word and of two, a struct, and a struct of the user's own.
std::vector<Problem> problems() {
  const CustomOperator range{.name = "range",
                             .accumulator = {{.name = "low", .type = ElementType::f32},
                                             {.name = "high", .type = ElementType::f32},
                                             {.name = "elements", .type = ElementType::i32}},
                             .identity = "Accumulator{1e38f, -1e38f, 0}",
                             .map = "Accumulator{x, x, 1}",
                             .combine =
                                 "Accumulator{fminf(a.low, b.low), fmaxf(a.high, b.high), "
                                 "a.elements + b.elements}",
                             .finish = "a.high - a.low"};
  return {{.op = Operator::sum, .type = ElementType::f32},
          {.op = Operator::sum, .type = ElementType::i32, .accumulator = ElementType::i32},
          {.op = Operator::min, .type = ElementType::i32},
          {.op = Operator::max, .type = ElementType::u32},
          {.op = Operator::sum, .type = ElementType::i64},
          {.op = Operator::argmax, .type = ElementType::f32},
          {.op = Operator::variance, .type = ElementType::f64},
          make_problem(range)};
}

/// The kernels of all problems that the space has: no stage takes every accumulator.
std::vector<Variant> variants() {
  std::vector<Variant> result;
  for (const Problem& problem : problems()) {
    for (const BlockStage stage :
         {BlockStage::cooperative_groups, BlockStage::tree_cooperative_groups,
          BlockStage::cub_block, BlockStage::cub_warp}) {
      for (const int block_size : {32, 256}) {
        Variant variant{.problem = problem,
                        .params = ReduceParams{.block_size = block_size,
                                               .vector_width = 2,
                                               .unroll = 2,
                                               .block_stage = stage,
                                               .final_stage = FinalStage::two_pass}};
        if (!family_of(problem).is_valid(problem, variant.params)) continue;
        result.push_back(std::move(variant));
      }
    }
  }
  return result;
}

bool compile_all(const std::string& architecture) {
  const std::unique_ptr<Compiler> compiler = make_nvrtc_compiler(architecture);
  const BatchCompiler batches(*compiler, group_by_program(variants()));
  std::size_t failures = 0;
  for (std::size_t i = 0; i < batches.groups().size(); ++i) {
    try {
      batches.get(i);
    } catch (const MissingToolkit&) {
      throw;
    } catch (const CompileError& error) {
      fmt::print(stderr, "{}\n", error.what());
      ++failures;
    }
  }
  fmt::print("{} {}: {} programs, {} failed\n", compiler->version(), architecture,
             batches.groups().size(), failures);
  return failures == 0;
}

}  // namespace
}  // namespace foldtune::test

int main(int argc, char** argv) {
  try {
    bool good = true;
    for (int i = 1; i < argc; ++i) good &= foldtune::test::compile_all(argv[i]);
    return good ? 0 : foldtune::test::kDoesNotCompile;
  } catch (const foldtune::Error& error) {  // NVRTC or the toolkit
    fmt::print(stderr, "skipped: {}\n", error.what());
    return foldtune::test::kUnavailable;
  }
}
