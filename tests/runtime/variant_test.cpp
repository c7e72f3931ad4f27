#include "templates/family.h"
#include "templates/reduce/space.h"
#include "templates/space.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

const Reduction kSumI32{.op = Operator::sum, .type = ElementType::i32, .count = 1000};

Program program_of(const Reduction& problem, const ReduceParams& params) {
  return make_program({.workload = problem, .params = params});
}

TEST_CASE("A program includes the templates and names one kernel") {
  const Program program = program_of(kSumI32, {.block_size = 128});
  CHECK(program.source ==
        "#include \"templates/reduce/reduce.cuh\"\n"
        "#include \"templates/device/operators/sum.cuh\"\n");
  CHECK(program.name_expressions ==
        std::vector<std::string>{
            "foldtune::reduce<foldtune::Sum<int, long long>, long long, foldtune::uint32, true, "
            "foldtune::ReduceParams{.block_size=128,.vector_width=4,.unroll=4,"
            ".tile_layout=foldtune::TileLayout::contiguous,"
            ".block_stage=foldtune::BlockStage::shuffle,"
            ".final_stage=foldtune::FinalStage::last_block,.waves=0}>"});
}

TEST_CASE("Final stages of two launches name their second kernel") {
  const auto names = [](FinalStage stage) {
    return program_of(kSumI32, {.block_size = 128, .final_stage = stage}).name_expressions;
  };
  CHECK(names(FinalStage::last_block).size() == 1);
  CHECK(names(FinalStage::polling).size() == 1);
  REQUIRE(names(FinalStage::atomic).size() == 2);
  CHECK(names(FinalStage::atomic)[1] ==
        "foldtune::store_identity<foldtune::Sum<int, long long>, long long>");
  REQUIRE(names(FinalStage::two_pass).size() == 2);
  CHECK(names(FinalStage::two_pass)[1] ==
        "foldtune::fold_blocks<foldtune::Sum<int, long long>, long long, "
        "foldtune::ReduceParams{.block_size=128,.vector_width=4,.unroll=4,"
        ".tile_layout=foldtune::TileLayout::contiguous,"
        ".block_stage=foldtune::BlockStage::shuffle,"
        ".final_stage=foldtune::FinalStage::two_pass,.waves=0}>");
}

TEST_CASE(
    "Programs are equal where kernels are: the grid, the count and the promises do not show") {
  const Program program = program_of(kSumI32, {});
  CHECK(program_of(kSumI32, {.waves = 4}) == program);
  Reduction other = kSumI32;
  other.count = 5;
  other.determinism = Determinism::any;
  CHECK(program_of(other, {}) == program);
}

TEST_CASE("Programs differ in the alignment class, and above 2^30.5 elements in the indices") {
  Reduction other = kSumI32;
  other.alignment = Alignment::element;
  CHECK_THAT(program_of(other, {}).name_expressions[0],
             Catch::Matchers::ContainsSubstring("foldtune::uint32, false, "));
  other = kSumI32;
  for (const std::uint64_t count : {1'518'500'249u, 1'518'500'250u}) {
    other.count = count;
    const bool wide = count > 1'518'500'249;
    CHECK(takes_64_bits(count) == wide);
    CHECK((program_of(other, {}) == program_of(kSumI32, {})) == !wide);
  }
}

TEST_CASE("Programs differ in every tunable that a kernel sees, and in operator and types") {
  const Program program = program_of(kSumI32, {});
  for (const Config& params : Space(kSumI32, Extent::all).neighbours(ReduceParams{})) {
    INFO(to_json(params));
    const auto& reduce = reduce_params(params);
    CHECK((program_of(kSumI32, reduce) == program) == (reduce.waves != 0));
  }
  using enum ElementType;
  for (const Reduction& other :
       {Reduction{.op = Operator::max, .type = i32}, Reduction{.op = Operator::sum, .type = f32},
        Reduction{.op = Operator::sum, .type = i32, .accumulator = i32},
        Reduction{.op = Operator::sum, .type = i32, .result = f64}}) {
    CHECK_FALSE(program_of(other, {}) == program);
  }
  const Reduction propagate{.op = Operator::max, .type = f32};
  Reduction ignore = propagate;
  ignore.nan_policy = NanPolicy::ignore;
  CHECK_FALSE(program_of(ignore, {}) == program_of(propagate, {}));
}

TEST_CASE("A result of another type than the accumulator's is what the kernel writes") {
  const Program program =
      program_of({.op = Operator::sum, .type = ElementType::f16, .result = ElementType::f16}, {});
  CHECK_THAT(
      program.name_expressions[0],
      Catch::Matchers::StartsWith("foldtune::reduce<foldtune::Sum<foldtune::float16, float>, "
                                  "foldtune::float16, foldtune::uint32, true, "));
}

TEST_CASE("A custom operator's text is part of the program") {
  CustomOperator op{.name = "product", .identity = "1", .combine = "a * b"};
  const Program program = program_of(make_reduction(op), {});
  CHECK_THAT(program.source, Catch::Matchers::ContainsSubstring("a * b"));
  CHECK_THAT(program.name_expressions[0],
             Catch::Matchers::StartsWith(
                 "foldtune::reduce<foldtune::CustomOperator, float, foldtune::uint32, true, "));
  op.name = "another";
  CHECK(program_of(make_reduction(op), {}) == program);
  op.map = "2 * x";
  CHECK_FALSE(program_of(make_reduction(op), {}).key() == program.key());
}

TEST_CASE("A fixed order has kernels of its own, whose operations are not fused") {
  Reduction problem{.op = Operator::sum, .type = ElementType::f32};
  const ReduceParams params{
      .vector_width = 1, .block_stage = BlockStage::tree, .final_stage = FinalStage::two_pass};
  const Program usual = program_of(problem, params);
  CHECK(usual.fuses_multiply_add);
  problem.determinism = Determinism::config_independent;
  const Program ordered = program_of(problem, params);
  CHECK_FALSE(ordered.fuses_multiply_add);
  CHECK_FALSE(ordered.key() == usual.key());
  REQUIRE(ordered.name_expressions.size() == 2);
  CHECK_THAT(ordered.name_expressions[0],
             Catch::Matchers::StartsWith("foldtune::reduce_in_order<foldtune::Sum<float, float>, "
                                         "float, foldtune::uint32, foldtune::ReduceParams{"));
  CHECK_THAT(
      ordered.name_expressions[1],
      Catch::Matchers::StartsWith("foldtune::fold_in_order<foldtune::Sum<float, float>, float, "));
  // Integers are the same in any order.
  problem.type = ElementType::i32;
  const Program integers = program_of(problem, params);
  problem.determinism = Determinism::any;
  CHECK(integers == program_of(problem, params));
}

}  // namespace
}  // namespace foldtune::test
