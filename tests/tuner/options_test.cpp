#include <algorithm>
#include <string>
#include <vector>

#include "foldtune/error.h"
#include "foldtune/reduction.h"
#include "templates/family.h"
#include "templates/histogram/workload.h"
#include "tests/catch.h"
#include "tuner/commands/problem_options.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;

ProblemOptions asking(FieldTexts fields) {
  return {.family = {}, .fields = std::move(fields), .custom = {}};
}

std::vector<std::string> names(const AskedProblems& asked) {
  std::vector<std::string> texts;
  for (const Problem& problem : asked.problems) texts.push_back(to_string(problem));
  return texts;
}

TEST_CASE("Every operator is each of the catalogue, histograms included") {
  const auto fields = field_options();
  const auto op = std::ranges::find(fields, "op", &FieldOption::name);
  REQUIRE(op != fields.end());
  const std::vector<std::string> every = require_values(*op, "every");
  CHECK(every.size() == operators().size() + 1);
  for (const Operator one : operators()) CHECK(std::ranges::count(every, name(one)) == 1);
  CHECK(std::ranges::count(every, "histogram") == 1);
  // It is what its user makes it.
  CHECK(std::ranges::count(every, "custom") == 0);
  // An operator like any other.
  CHECK(require_values(*op, "all,any") == std::vector<std::string>{"all", "any"});
}

TEST_CASE("Without values the problem is a sum of f32") {
  CHECK(make_problem({}) == Problem(Reduction{}));
}

TEST_CASE("The family is the first that takes all values") {
  CHECK(make_problem(asking({{"type", "u8"}})) == Problem(Reduction{.type = ElementType::u8}));
  CHECK(make_problem(asking({{"type", "u8"}, {"bins", "2^8"}, {"binning", "key"}})) ==
        Problem(HistogramWorkload{.type = ElementType::u8, .bins = 256, .binning = Binning::key}));
  ProblemOptions options = asking({{"type", "u8"}});
  options.family = "histogram";
  CHECK(make_problem(options).family().name() == "histogram");
  options.family = "scan";
  CHECK_THROWS_WITH(make_problem(options), ContainsSubstring("there is reduce, axis, histogram"));
}

TEST_CASE("A value that no family takes is refused with what there is") {
  CHECK_THROWS_WITH(make_problem(asking({{"op", "mode"}})),
                    ContainsSubstring("--op: there is no 'mode'; there is sum, product"));
  // As rows name an operator of the user's, without its expressions.
  CHECK_THROWS_WITH(make_problem(asking({{"op", "foo:abc"}})),
                    ContainsSubstring("--op: there is no 'foo:abc'; there is sum, product"));
  CHECK_THROWS_WITH(make_problems(asking({{"op", "sum,foo:abc"}})),
                    ContainsSubstring("--op: there is no 'foo:abc'"));
  CHECK_THROWS_WITH(make_problem(asking({{"bins", "1"}})), ContainsSubstring("from 2 to 1048576"));
  CHECK_THROWS_WITH(make_problem(asking({{"op", "sum"}, {"bins", "8"}})),
                    ContainsSubstring("no family of kernels takes --op sum --bins 8") &&
                        ContainsSubstring("reduce has no --bins") &&
                        ContainsSubstring("histogram has no --op sum"));
}

TEST_CASE("Lists are of every combination, without those that cannot be") {
  const AskedProblems asked =
      make_problems(asking({{"op", "bit_and,histogram"}, {"type", "f32,u8"}}));
  CHECK(names(asked) ==
        std::vector{to_string(Problem(Reduction{.op = Operator::bit_and, .type = ElementType::u8})),
                    to_string(Problem(HistogramWorkload{})),
                    to_string(Problem(
                        HistogramWorkload{.type = ElementType::u8, .binning = Binning::key}))});
  REQUIRE(asked.left_out.size() == 1);
  CHECK(asked.left_out.front().values == "bit_and f32");
  CHECK_THAT(asked.left_out.front().fault, ContainsSubstring("bit_and takes integers, not f32"));
}

TEST_CASE("A custom operator is of the family that takes it, with its own types") {
  ProblemOptions options = asking({{"op", "custom"}, {"accumulator", "f64"}});
  options.custom.parts["inputs"] = "f32,u8";
  const Problem problem = make_problem(options);
  CustomOperator op{.name = "unnamed",
                    .inputs = {ElementType::f32, ElementType::u8},
                    .accumulator = {{.name = "", .type = ElementType::f64}},
                    .result = ElementType::f64};
  CHECK(problem == Problem(make_reduction(op)));
  options.fields["type"] = "f32";
  CHECK_THROWS_WITH(make_problem(options), ContainsSubstring("--inputs"));
  // A way to find bins, which has the same name.
  CHECK(make_problem(asking({{"binning", "custom"}})).custom() == nullptr);
}

TEST_CASE("Shapes are those of the family") {
  const Problem problem = Reduction{};
  CHECK(require_shape(problem, {}, "2^10")[0] == 1024);
  CHECK_THROWS_WITH(require_shape(problem, {}, "1,2"), ContainsSubstring("give one"));
  CHECK_THROWS_WITH(require_shape(problem, {}, "2x3"),
                    ContainsSubstring("no shape of the family reduce"));
  CHECK(require_layout(problem, {{1024}}, "") == 0);
  CHECK(require_layout(problem, {{1024}}, "element") == 1);
  CHECK_THROWS_WITH(require_layout(problem, {{1024}}, "row"),
                    ContainsSubstring("there is vector, element"));
}

TEST_CASE("The command that tunes a workload says all that is not usual") {
  CHECK(tune_command({}, Reduction{.count = 0, .alignment = Alignment::element}, "cpu") ==
        "foldtune tune --device cpu --op sum --type f32 --n 1 --layout element");
  CHECK(tune_command({}, Reduction{.count = 5}, "cpu", "my.db") ==
        "foldtune tune --device cpu --db my.db --op sum --type f32 --n 5");
  CHECK(tune_command(
            {},
            HistogramWorkload{
                .type = ElementType::u8, .bins = 100, .binning = Binning::custom, .count = 5},
            "cuda:0") ==
        "foldtune tune --device cuda:0 --op histogram --type u8 --bins 100 --binning custom --n 5");
}

}  // namespace
}  // namespace foldtune
