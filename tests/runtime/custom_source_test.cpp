#include "templates/fold/custom_source.h"

#include <memory>
#include <vector>

#include "foldtune/error.h"
#include "foldtune/reduction.h"
#include "runtime/device/compiler.h"
#include "templates/family.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using enum ElementType;

CustomOperator weighted_mean() {
  return {.name = "weighted_mean",
          .inputs = {f32, f16, u8},
          .accumulator = {{.name = "total", .type = f64}, {.name = "weight", .type = u64}},
          .identity = "Accumulator{0, 0}",
          .map = "Accumulator{x * y * z,\n            z}",
          .combine = "Accumulator{a.total + b.total, a.weight + b.weight}",
          .finish = "a.total / a.weight",
          .result = bf16};
}

std::string compile_error_of(const CustomOperator& op) {
  const Variant variant{.workload = make_reduction(op), .params = ReduceParams{.vector_width = 1}};
  try {
    make_host_compiler()->compile(make_program(variant));
  } catch (const CompileError& error) {
    return error.what();
  }
  return "no CompileError was thrown";
}

}  // namespace

TEST_CASE("Custom source: every expression stands on lines of its own") {
  const CustomOperator op = weighted_mean();
  const std::string source = custom_source(op);
  CHECK_THAT(source, ContainsSubstring("#line 1 \"identity\"\n" + op.identity + "\n#line "));
  CHECK_THAT(source, ContainsSubstring("#line 1 \"map\"\n" + op.map + "\n#line "));
  CHECK_THAT(source, ContainsSubstring("#line 1 \"combine\"\n" + op.combine + "\n#line "));
  CHECK_THAT(source, ContainsSubstring("#line 1 \"finish\"\n" + op.finish + "\n#line "));
}

TEST_CASE("Custom source: types are those of the inputs, the accumulator and the result") {
  const std::string source = custom_source(weighted_mean());
  CHECK_THAT(source, ContainsSubstring(
                         "using Inputs = TypeList<float, foldtune::float16, unsigned char>;"));
  CHECK_THAT(source,
             ContainsSubstring("double total;") && ContainsSubstring("unsigned long long weight;"));
  CHECK_THAT(source, ContainsSubstring("Held<foldtune::bfloat16> finish("));
  CHECK_THAT(custom_source({.name = "fold", .accumulator = {{.name = "", .type = i64}}}),
             ContainsSubstring("using CustomAccumulator = long long;"));
}

TEST_CASE("Custom source: an error is shown in its expression, at its line, with its text") {
  CustomOperator op{.name = "fold"};
  SECTION("map") {
    op.map = "x + undefined_name";
    const std::string message = compile_error_of(op);
    CHECK_THAT(message, ContainsSubstring("map:1:"));
    CHECK_THAT(message, ContainsSubstring("undefined_name"));
  }
  SECTION("the second line of combine") {
    op.combine = "a +\n b.no_such_field";
    const std::string message = compile_error_of(op);
    CHECK_THAT(message, ContainsSubstring("combine:2:"));
    CHECK_THAT(message, ContainsSubstring("no_such_field"));
  }
  SECTION("finish") {
    op.finish = "a / m";
    CHECK_THAT(compile_error_of(op), ContainsSubstring("finish:1:"));
  }
  SECTION("identity") {
    op.identity = "nothing()";
    CHECK_THAT(compile_error_of(op), ContainsSubstring("identity:1:"));
  }
}

}  // namespace foldtune::test
