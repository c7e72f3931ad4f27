#include "tuner/problem/problem_key.h"

#include "runtime/lookup/lookup.h"
#include "tests/catch.h"

namespace foldtune {
namespace {

void check_read_back(const Problem& problem) {
  INFO(to_string(problem));
  const std::optional<Problem> read = read_problem(make_problem_key(problem), problem.count);
  REQUIRE(read.has_value());
  CHECK(read->count == problem.count);
  CHECK(make_problem_key(*read) == make_problem_key(problem));
}

TEST_CASE("the problem of a key has that key") {
  constexpr std::uint64_t kCount = 1 << 20;
  for (const Operator op : operators()) {
    for (const ElementType type : element_types()) {
      if (takes(op, type)) check_read_back({.op = op, .type = type, .count = kCount});
    }
  }
  check_read_back({.op = Operator::sum,
                   .type = ElementType::f32,
                   .accumulator = ElementType::f64,
                   .count = kCount,
                   .alignment = Alignment::element,
                   .determinism = Determinism::config_independent});
  check_read_back({.op = Operator::max, .count = kCount, .nan_policy = NanPolicy::ignore});
  check_read_back(
      {.op = Operator::variance, .result = ElementType::f64, .count = kCount, .ddof = 1});
  Problem histogram{.op = Operator::histogram, .type = ElementType::u8, .count = kCount};
  histogram.histogram = {.bins = 256, .binning = Binning::key, .distribution = Distribution::zipf};
  check_read_back(histogram);
}

TEST_CASE("problems with other results have other keys") {
  const Problem variance{.op = Operator::variance, .count = 16};
  Problem of_samples = variance;
  of_samples.ddof = 1;
  CHECK(make_problem_key(of_samples).options == "ddof=1");
  Problem to_double = variance;
  to_double.result = ElementType::f64;
  CHECK(make_problem_key(to_double).options == "result=f64");
  to_double.accumulator = ElementType::f64;
  CHECK(make_problem_key(to_double).options.empty());  // the result is what it is by itself
}

TEST_CASE("a custom operator's problem has its name and its types") {
  ProblemKey key = make_problem_key({.op = Operator::sum, .count = 16});
  key.op = "distance:0123456789abcdef";
  key.element_type = "f32,i8";
  const std::optional<Problem> problem = read_problem(key, 16);
  REQUIRE(problem.has_value());
  CHECK(problem->op == Operator::custom);
  CHECK(problem->custom->name == "distance");
  CHECK(problem->input_types() == std::vector{ElementType::f32, ElementType::i8});
}

TEST_CASE("a key with names that are unknown has no problem") {
  const ProblemKey known = make_problem_key({.op = Operator::sum, .count = 16});
  const auto has_problem = [&](std::string ProblemKey::*part, const char* text) {
    ProblemKey key = known;
    key.*part = text;
    return read_problem(key, 16).has_value();
  };
  CHECK_FALSE(has_problem(&ProblemKey::op, "median"));
  CHECK_FALSE(has_problem(&ProblemKey::element_type, "f8"));
  CHECK_FALSE(has_problem(&ProblemKey::accumulator_type, "f8"));
  CHECK_FALSE(has_problem(&ProblemKey::determinism, "sometimes"));
  CHECK_FALSE(has_problem(&ProblemKey::options, "colour=blue"));
  CHECK_FALSE(has_problem(&ProblemKey::options, "bins"));
  CHECK_FALSE(has_problem(&ProblemKey::options, "ddof=2"));
  CHECK_FALSE(has_problem(&ProblemKey::options, "result=f8"));
  CHECK_FALSE(has_problem(&ProblemKey::options, "bins=256"));  // of another family
}

}  // namespace
}  // namespace foldtune
