#include "templates/workload_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "foldtune/reduction.h"
#include "templates/histogram/workload.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

/// Through text, as between two processes.
Workload through_text(const Workload& workload) {
  return workload_from_json(nlohmann::json::parse(workload_to_json(workload).dump()));
}

/// An operator in which no field is what it is by default.
CustomOperator unusual_operator() {
  return {.name = "unusual",
          .inputs = {ElementType::f16, ElementType::u8, ElementType::i64},
          .accumulator = {{.name = "value", .type = ElementType::f64},
                          {.name = "index", .type = ElementType::u32}},
          .identity = "{0.0, 0u}",
          .map = "{x * y, (uint32)i}  // \"quoted\"\n\t\\",
          .combine = "a.value < b.value ? a : b",
          .finish = "a.value / n",
          .result = ElementType::bf16,
          .tolerance = 0.1 + 0.2};
}

Workload custom_workload(const CustomOperator& op) {
  Reduction reduction = make_reduction(op);
  reduction.count = kMaxCount;
  reduction.alignment = Alignment::element;
  reduction.determinism = Determinism::config_independent;
  return reduction;
}

TEST_CASE("Every part of a workload survives JSON") {
  const Workload workload = custom_workload(unusual_operator());
  const Workload copy = through_text(workload);
  CHECK(copy == workload);
  CHECK(copy.shape[0] == kMaxCount);
  const auto& custom = copy.problem.custom();
  REQUIRE(custom != nullptr);
  CHECK(custom->name == "unusual");
  CHECK(custom->hash() == unusual_operator().hash());
  CHECK(custom->tolerance == unusual_operator().tolerance);
  CHECK(custom->accumulator[1].name == "index");
  CHECK(custom->map == unusual_operator().map);
}

TEST_CASE("A field more in an operator must be one more in its JSON") {
  // This line does not compile with another number of fields.
  [[maybe_unused]] const auto& [name, inputs, fields, identity, map, combine, finish, result,
                                tolerance] = unusual_operator();
  CHECK(workload_to_json(custom_workload(unusual_operator()))["custom"].size() == 9);
}

TEST_CASE("A workload is written as its texts") {
  const nlohmann::json json = workload_to_json(HistogramWorkload{.bins = 1000, .count = 4096});
  CHECK(json ==
        nlohmann::json{{"family", "histogram"},
                       {"problem", "op=histogram type=f32 counter=u64 bins=1000 binning=even"},
                       {"custom", nullptr},
                       {"shape", "4096"},
                       {"layout", "vector"},
                       {"conditions", "cold_graph"}});
}

TEST_CASE("Every value of the catalogue survives JSON") {
  const auto check = [](const Workload& workload) {
    INFO(to_string(workload));
    CHECK(through_text(workload) == workload);
  };
  for (const Operator op : operators()) check(Reduction{.op = op, .type = ElementType::u8});
  for (const std::string_view name : conditions_names()) {
    Workload workload = Reduction{.count = 7};
    workload.conditions = parse_conditions(name).value();
    check(workload);
  }
  for (const ElementType type : element_types()) {
    check(Reduction{.type = type});
    check(Reduction{.accumulator = type});
    check(HistogramWorkload{.type = type, .counter = type});
  }
}

TEST_CASE("What JSON has no form for survives it") {
  CustomOperator op{.name = "odd"};
  op.map = "x /* \xe9\xff */";
  op.tolerance = std::numeric_limits<double>::infinity();
  const Workload copy = through_text(custom_workload(op));
  CHECK(copy.problem.custom()->map == op.map);
  CHECK(copy.problem.custom()->tolerance == op.tolerance);
  op.tolerance = std::nan("");
  CHECK(std::isnan(through_text(custom_workload(op)).problem.custom()->tolerance));
}

TEST_CASE("A number that JSON has no form for is one of three words") {
  nlohmann::json json = workload_to_json(custom_workload(unusual_operator()));
  for (const char* const text : {"", "0.5", "1x", "infinity", "NaN", "-nan", " inf"}) {
    INFO(text);
    json["custom"]["tolerance"] = text;
    CHECK_THROWS_AS(workload_from_json(json), std::invalid_argument);
  }
  json["custom"]["tolerance"] = "-inf";
  CHECK(workload_from_json(json).problem.custom()->tolerance ==
        -std::numeric_limits<double>::infinity());
}

TEST_CASE("What is no workload is refused") {
  const nlohmann::json good = workload_to_json(Reduction{});
  const auto with = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json json = good;
    json[key] = value;
    return json;
  };
  CHECK_NOTHROW(workload_from_json(good));
  const nlohmann::json custom = workload_to_json(custom_workload(unusual_operator()))["custom"];
  for (const nlohmann::json& json :
       {nlohmann::json(nullptr), nlohmann::json::array(), nlohmann::json::object(),
        with("family", "frobnicate"), with("family", 3), with("family", "histogram"),
        with("problem", "op=frobnicate"), with("problem", nullptr), with("problem", "op=custom"),
        with("problem", "op=variance type=f32 accumulator=f32 result=f32 ddof=2"),
        with("shape", -1), with("shape", "-1"), with("shape", "1x2"), with("layout", "odd"),
        with("layout", 0), with("custom", "x"), with("custom", custom),
        with("problem", "op=wins:0123456789abcdef type=f32 accumulator=f32 result=f32")}) {
    INFO(json);
    CHECK_THROWS_AS(workload_from_json(json), std::invalid_argument);
  }
}

}  // namespace
}  // namespace foldtune::test
