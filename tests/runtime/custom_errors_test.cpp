#include "runtime/custom_errors.h"

#include <memory>

#include "foldtune/context.h"
#include "runtime/compiler.h"
#include "runtime/device.h"
#include "runtime/variant.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

/// What is said of the operator that this compiler refuses.
std::string explanation_of(const Compiler& compiler, const CustomOperator& op) {
  const Variant variant{.problem = make_problem(op), .params = ReduceParams{.vector_width = 1}};
  try {
    compiler.compile(make_program(variant));
  } catch (const CompileError& error) {
    return explain_compile_error(variant.problem, error).what();
  }
  return "it compiles";
}

/// The compilers of this machine.
std::vector<std::unique_ptr<Compiler>> compilers() {
  std::vector<std::unique_ptr<Compiler>> result;
  result.push_back(make_host_compiler());
  try {
    result.push_back(make_nvrtc_compiler("sm_90"));
  } catch (const Unavailable&) {
    WARN("skipped: there is no NVRTC");
  }
  return result;
}

/// One line of `explanation_of` for each compiler.
void check_fault(const CustomOperator& op, const std::string& place, const std::string& line,
                 const std::string& words) {
  for (const auto& compiler : compilers()) {
    const std::string text = explanation_of(*compiler, op);
    CAPTURE(compiler->version(), text);
    CHECK_THAT(text,
               StartsWith("the custom operator fold does not compile:\n  in " + place + ": "));
    CHECK_THAT(text, ContainsSubstring("\n      " + line));
    CHECK_THAT(text, ContainsSubstring(words));
    CHECK(text.find("templates/") == std::string::npos);
    CHECK(text.find("return (") == std::string::npos);
    CHECK(text.find("static ") == std::string::npos);
  }
}

CompileError explain(const CustomOperator& op, const std::string& log) {
  return explain_compile_error(make_problem(op), CompileError(log));
}

}  // namespace

TEST_CASE("Custom errors: an unknown name is shown in its expression") {
  check_fault({.name = "fold", .map = "x + undefined_name"}, "map", "x + undefined_name",
              "undefined_name");
  check_fault({.name = "fold", .identity = "nothing()"}, "identity", "nothing()", "nothing");
  check_fault({.name = "fold", .finish = "a / m"}, "finish", "a / m", "m");
}

TEST_CASE("Custom errors: of several lines, the wrong one is shown") {
  check_fault({.name = "fold", .combine = "a +\n    b.no_such_field"}, "combine, line 2",
              "    b.no_such_field", "");
}

TEST_CASE("Custom errors: an expression that ends too early is shown") {
  check_fault({.name = "fold", .map = "x +"}, "map", "x +", "expected");
}

TEST_CASE("Custom errors: a value of the wrong type is shown") {
  check_fault({.name = "fold",
               .accumulator = {{.name = "value", .type = ElementType::f32},
                               {.name = "index", .type = ElementType::u32}},
               .identity = "0",
               .map = "Accumulator{x, i}",
               .combine = "a.value < b.value ? a : b",
               .finish = "a.value"},
              "identity", "0", "int");
}

TEST_CASE("Custom errors: every wrong expression is named") {
  for (const auto& compiler : compilers()) {
    const std::string text =
        explanation_of(*compiler, {.name = "fold", .map = "x + first", .finish = "a + second"});
    CAPTURE(text);
    CHECK_THAT(text, ContainsSubstring("in map: ") && ContainsSubstring("first"));
    CHECK_THAT(text, ContainsSubstring("in finish: ") && ContainsSubstring("second"));
  }
}

TEST_CASE("Custom errors: logs of all compilers are read, without warnings and notes") {
  const CustomOperator op{.name = "fold", .map = "x +\ny"};
  const std::string expected =
      "the custom operator fold does not compile:\n  in map, line 2: what\n      y";
  CHECK(explain(op, "log\nmap(2): error: what\n  y\n  ^\n").what() == expected);
  CHECK(explain(op, "map:2:1: error: what").what() == expected);
  CHECK(explain(op, "map(2): error #20: what\nmap(1): warning #177-D: unused").what() == expected);
  CHECK(explain(op, "map:2:1: fatal error: what\nmap:1:1: note: see").what() == expected);
  // As wrong twice is wrong once; a line that is not there is the last.
  CHECK(explain(op, "map:2:1: error: what\nmap:3:7: error: what").what() == expected);
}

TEST_CASE("Custom errors: what is not of the expressions is passed on") {
  const CustomOperator op{.name = "fold"};
  for (const std::string log :
       {"templates/reduce/load.cuh(3): error: what", "map: In function f", "map(x): error: what",
        "mapped(1): error: what", "map(1", "map:1", "map", ""}) {
    CHECK(explain(op, log).what() == log);
  }
  const CompileError error("map(1): error: what");
  CHECK(explain_compile_error({}, error).what() == std::string(error.what()));
}

TEST_CASE("Custom errors: a reducer tells them") {
  Context context(open_cpu_device(), nullptr);
  const Reducer reducer = context.reducer(make_problem({.name = "fold", .map = "x + nothing"}));
  const float one = 1;
  CHECK_THROWS_WITH(reducer.prepare(&one, 1),
                    StartsWith("the custom operator fold does not compile:\n  in map: "));
}

}  // namespace foldtune::test
