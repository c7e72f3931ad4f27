#include "templates/problem_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/catch.h"

namespace foldtune {
namespace {

/// Through text, as between two processes.
Problem through_text(const Problem& problem) {
  return problem_from_json(nlohmann::json::parse(problem_to_json(problem).dump()));
}

/// A problem in which no field is what it is by default.
Problem unusual_problem() {
  CustomOperator op;
  op.name = "unusual";
  op.inputs = {ElementType::f16, ElementType::u8, ElementType::i64};
  op.accumulator = {{.name = "value", .type = ElementType::f64},
                    {.name = "index", .type = ElementType::u32}};
  op.identity = "{0.0, 0u}";
  op.map = "{x * y, (uint32)i}  // \"quoted\"\n\t\\";
  op.combine = "a.value < b.value ? a : b";
  op.finish = "a.value / n";
  op.result = ElementType::bf16;
  op.tolerance = 0.1 + 0.2;
  return {
      .op = Operator::custom,
      .type = ElementType::i16,
      .accumulator = ElementType::f64,
      .result = ElementType::f16,
      .count = kMaxCount,
      .alignment = Alignment::element,
      .determinism = Determinism::config_independent,
      .nan_policy = NanPolicy::ignore,
      .ddof = 1,
      .custom = std::make_shared<const CustomOperator>(op),
      .histogram = {.bins = 12345, .binning = Binning::custom, .distribution = Distribution::zipf}};
}

}  // namespace

TEST_CASE("Every field of a problem survives JSON") {
  const Problem problem = unusual_problem();
  const Problem copy = through_text(problem);
  CHECK(copy.op == problem.op);
  CHECK(copy.type == problem.type);
  CHECK(copy.accumulator == problem.accumulator);
  CHECK(copy.result == problem.result);
  CHECK(copy.count == problem.count);
  CHECK(copy.alignment == problem.alignment);
  CHECK(copy.determinism == problem.determinism);
  CHECK(copy.nan_policy == problem.nan_policy);
  CHECK(copy.ddof == problem.ddof);
  CHECK(copy.histogram.bins == problem.histogram.bins);
  CHECK(copy.histogram.binning == problem.histogram.binning);
  CHECK(copy.histogram.distribution == problem.histogram.distribution);
  REQUIRE(copy.custom != nullptr);
  CHECK(copy.custom->name == problem.custom->name);
  CHECK(copy.custom->hash() == problem.custom->hash());
  CHECK(copy.custom->tolerance == problem.custom->tolerance);
  CHECK(copy.custom->accumulator[1].name == "index");
  CHECK(copy.custom->map == problem.custom->map);
}

TEST_CASE("A field more in a problem must be one more in its JSON") {
  // These lines do not compile with another number of fields.
  [[maybe_unused]] const auto& [op, type, accumulator, result, count, alignment, determinism,
                                nan_policy, ddof, custom, histogram] = unusual_problem();
  [[maybe_unused]] const auto& [name, inputs, fields, identity, map, combine, finish, custom_result,
                                tolerance] = *custom;
  [[maybe_unused]] const auto& [bins, binning, distribution] = histogram;
  const nlohmann::json json = problem_to_json(unusual_problem());
  CHECK(json.size() == 11);
  CHECK(json["custom"].size() == 9);
  CHECK(json["histogram"].size() == 3);
}

TEST_CASE("Every value of the catalogue survives JSON") {
  for (const Operator op : operators()) CHECK(through_text({.op = op}).op == op);
  for (const Operator op : {Operator::custom, Operator::histogram}) {
    CHECK(through_text({.op = op}).op == op);
  }
  for (const ElementType type : element_types()) {
    CHECK(through_text({.type = type}).type == type);
    CHECK(through_text({.accumulator = type}).accumulator == type);
  }
}

TEST_CASE("What is not there stays so") {
  const Problem copy = through_text({});
  CHECK_FALSE(copy.accumulator.has_value());
  CHECK_FALSE(copy.result.has_value());
  CHECK(copy.custom == nullptr);
}

TEST_CASE("What JSON has no form for survives it") {
  CustomOperator op;
  op.map = "x /* \xe9\xff */";
  op.tolerance = std::numeric_limits<double>::infinity();
  const Problem copy = through_text({.custom = std::make_shared<const CustomOperator>(op)});
  CHECK(copy.custom->map == op.map);
  CHECK(copy.custom->tolerance == op.tolerance);
  op.tolerance = std::nan("");
  CHECK(std::isnan(
      through_text({.custom = std::make_shared<const CustomOperator>(op)}).custom->tolerance));
}

TEST_CASE("What is no problem is refused") {
  const nlohmann::json good = problem_to_json({});
  const auto with = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json json = good;
    json[key] = value;
    return json;
  };
  CHECK_NOTHROW(problem_from_json(good));
  CHECK_THROWS_AS(problem_from_json(nullptr), std::invalid_argument);
  CHECK_THROWS_AS(problem_from_json(nlohmann::json::array()), std::invalid_argument);
  CHECK_THROWS_AS(problem_from_json(nlohmann::json::object()), std::invalid_argument);
  CHECK_THROWS_AS(problem_from_json(with("op", "frobnicate")), std::invalid_argument);
  CHECK_THROWS_AS(problem_from_json(with("op", 3)), std::invalid_argument);
  CHECK_THROWS_AS(problem_from_json(with("count", -1)), std::invalid_argument);
  CHECK_THROWS_AS(problem_from_json(with("count", 1.5)), std::invalid_argument);
  CHECK_THROWS_AS(problem_from_json(with("ddof", std::uint64_t{1} << 40)), std::invalid_argument);
  CHECK_THROWS_AS(problem_from_json(with("custom", "x")), std::invalid_argument);
  CHECK_THROWS_AS(problem_from_json(with("histogram", nullptr)), std::invalid_argument);
}

}  // namespace foldtune
