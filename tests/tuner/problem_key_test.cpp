#include "tuner/problem/problem_key.h"

#include "foldtune/reduction.h"
#include "runtime/lookup/lookup.h"
#include "templates/family.h"
#include "templates/histogram/workload.h"
#include "tests/catch.h"

namespace foldtune {
namespace {

void check_read_back(const Workload& workload) {
  INFO(to_string(workload));
  const std::optional<Workload> read =
      read_workload(make_problem_key(workload), to_text(workload.problem.family(), workload.shape));
  REQUIRE(read.has_value());
  CHECK(*read == workload);
  CHECK(make_problem_key(*read) == make_problem_key(workload));
}

TEST_CASE("the workload of a key has that key") {
  constexpr std::uint64_t kCount = 1 << 20;
  for (const Operator op : operators()) {
    for (const ElementType type : element_types()) {
      if (takes(op, type)) check_read_back(Reduction{.op = op, .type = type, .count = kCount});
    }
  }
  check_read_back(Reduction{.op = Operator::sum,
                            .type = ElementType::f32,
                            .accumulator = ElementType::f64,
                            .count = kCount,
                            .alignment = Alignment::element,
                            .determinism = Determinism::config_independent});
  check_read_back(Reduction{.op = Operator::max, .count = kCount, .nan_policy = NanPolicy::ignore});
  check_read_back(
      Reduction{.op = Operator::variance, .result = ElementType::f64, .count = kCount, .ddof = 1});
  check_read_back(HistogramWorkload{.type = ElementType::u8,
                                    .bins = 256,
                                    .binning = Binning::key,
                                    .distribution = Distribution::zipf,
                                    .count = kCount});
}

TEST_CASE("problems with other results have other keys") {
  const Reduction variance{.op = Operator::variance, .count = 16};
  const auto text_of = [](const Reduction& reduction) {
    return make_problem_key(reduction).problem;
  };
  Reduction of_samples = variance;
  of_samples.ddof = 1;
  CHECK(text_of(of_samples) == text_of(variance) + " ddof=1");
  Reduction to_double = variance;
  to_double.result = ElementType::f64;
  CHECK(text_of(to_double) != text_of(variance));
  to_double.accumulator = ElementType::f64;
  Reduction in_double = variance;
  in_double.accumulator = ElementType::f64;
  CHECK(text_of(to_double) == text_of(in_double));  // the result is what it is by itself
}

TEST_CASE("a custom operator's problem has its name and its types") {
  ProblemKey key = make_problem_key(Reduction{.op = Operator::sum, .count = 16});
  key.problem = "op=distance:0123456789abcdef type=f32,i8 accumulator=f32 result=f32";
  const std::optional<Workload> workload = read_workload(key, "16");
  REQUIRE(workload.has_value());
  const Reduction reduction = reduction_of(*workload);
  CHECK(reduction.op == Operator::custom);
  CHECK(reduction.custom->name == "distance");
  CHECK(reduction.input_types() == std::vector{ElementType::f32, ElementType::i8});
}

TEST_CASE("a key with names that are unknown has no workload") {
  const ProblemKey known = make_problem_key(Reduction{.op = Operator::sum, .count = 16});
  const auto is_known = [&](std::string ProblemKey::*part, const std::string& text) {
    ProblemKey key = known;
    key.*part = text;
    return read_workload(key, "16").has_value();
  };
  const auto is_known_with = [&](const std::string& fields) {
    return is_known(&ProblemKey::problem, fields);
  };
  CHECK(is_known_with(known.problem));
  CHECK_FALSE(is_known_with("op=median type=f32 accumulator=f32 result=f32"));
  CHECK_FALSE(is_known_with("op=sum type=f8 accumulator=f32 result=f32"));
  CHECK_FALSE(is_known_with("op=sum type=f32 accumulator=f8 result=f32"));
  CHECK_FALSE(is_known_with("op=sum type=f32 accumulator=f32 result=f8"));
  CHECK_FALSE(is_known_with(known.problem + " determinism=sometimes"));
  CHECK_FALSE(is_known_with(known.problem + " colour=blue"));
  CHECK_FALSE(is_known_with(known.problem + " ddof"));
  CHECK_FALSE(is_known_with(known.problem + " ddof=2"));
  CHECK_FALSE(is_known_with(known.problem + " bins=256"));  // of another family
  CHECK_FALSE(is_known(&ProblemKey::family, "scan"));
  CHECK_FALSE(is_known(&ProblemKey::layout, "diagonal"));
  CHECK_FALSE(read_workload(known, "16x16").has_value());
  CHECK_FALSE(read_workload(known, "many").has_value());
}

}  // namespace
}  // namespace foldtune
