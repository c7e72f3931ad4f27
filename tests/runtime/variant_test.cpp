#include "runtime/variant.h"

#include "templates/reduce/space.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

constexpr Problem kSumI32{.op = Operator::sum, .type = ElementType::i32, .count = 1000};

Program program_of(const Problem& problem, const ReduceParams& params) {
  return make_program({.problem = problem, .params = params});
}

TEST_CASE("A program includes the templates and names one kernel") {
  const Program program = program_of(kSumI32, {.block_size = 128});
  CHECK(program.source == "#include \"templates/reduce/reduce.cuh\"\n");
  CHECK(program.name_expressions ==
        std::vector<std::string>{
            "foldtune::reduce<int, long long, foldtune::Sum, foldtune::uint32, true, "
            "foldtune::ReduceParams{.block_size=128,.vector_width=4,.unroll=4,"
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
  CHECK(names(FinalStage::atomic)[1] == "foldtune::store_identity<long long, foldtune::Sum>");
  REQUIRE(names(FinalStage::two_pass).size() == 2);
  CHECK(names(FinalStage::two_pass)[1] ==
        "foldtune::fold_blocks<long long, foldtune::Sum, "
        "foldtune::ReduceParams{.block_size=128,.vector_width=4,.unroll=4,"
        ".block_stage=foldtune::BlockStage::shuffle,"
        ".final_stage=foldtune::FinalStage::two_pass,.waves=0}>");
}

TEST_CASE(
    "Programs are equal where kernels are: the grid, the count and the promises do not show") {
  const Program program = program_of(kSumI32, {});
  CHECK(program_of(kSumI32, {.waves = 4}) == program);
  Problem other = kSumI32;
  other.count = 5;
  other.determinism = Determinism::any;
  CHECK(program_of(other, {}) == program);
}

TEST_CASE("Programs differ in the alignment class, and above 2^30.5 elements in the indices") {
  Problem other = kSumI32;
  other.alignment = Alignment::element;
  CHECK_THAT(program_of(other, {}).name_expressions[0],
             Catch::Matchers::ContainsSubstring("foldtune::uint32, false, "));
  other = kSumI32;
  for (const std::uint64_t count : {1'518'500'249u, 1'518'500'250u}) {
    other.count = count;
    const bool wide = count > 1'518'500'249;
    CHECK(counts_in_64_bits({.problem = other, .params = {}}) == wide);
    CHECK((program_of(other, {}) == program_of(kSumI32, {})) == !wide);
  }
}

TEST_CASE("Programs differ in every tunable that a kernel sees, and in operator and types") {
  const Program program = program_of(kSumI32, {});
  for (const Params& params : Space(kSumI32).neighbours({})) {
    INFO(to_json(params));
    CHECK((program_of(kSumI32, params) == program) == (params.waves != 0));
  }
  for (const Problem& other :
       {Problem{.op = Operator::max, .type = ElementType::i32},
        Problem{.op = Operator::sum, .type = ElementType::f32},
        Problem{.op = Operator::sum, .type = ElementType::i32, .accumulator = ElementType::i32}}) {
    CHECK_FALSE(program_of(other, {}) == program);
  }
}

}  // namespace
}  // namespace foldtune::test
