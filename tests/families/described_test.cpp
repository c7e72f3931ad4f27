// Descriptions of kernels: what is read of them, and what is wrong with them.
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "templates/described/description.h"
#include "templates/described/family.h"
#include "templates/space.h"
#include "tests/catch.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

json copy_description() {
  return json::parse(R"json({
    "name": "copy", "source": "copy.cu", "extents": ["n"],
    "fields": {"T": ["f32", "i64"]},
    "tunables": {"BLOCK": {"values": [256, 64, 128], "default": 128}, "PER_THREAD": [1, 2]},
    "constraints": ["BLOCK * PER_THREAD <= 256"],
    "arguments": [{"name": "input", "access": "input", "type": "T", "elements": "n"},
                  {"name": "output", "access": "output", "type": "T", "elements": "n"},
                  {"name": "notes", "access": "scratch", "bytes": "8 * BLOCK"}],
    "launches": [{"kernel": "copy", "grid": "ceil_div(n, BLOCK * PER_THREAD)", "block": ["BLOCK"],
                  "arguments": ["input", "output", "notes", {"value": "n", "type": "u64"}]}]})json");
}

DescribedFamily family_of(const json& description) {
  return {parse_description(description.dump()), "copy.json"};
}

TEST_CASE("A description says what a family needs") {
  const DescribedFamily family = family_of(copy_description());
  CHECK(family.name() == "copy");
  CHECK(family.extents().size() == 1);
  REQUIRE(family.tunables().size() == 2);
  CHECK(family.tunables()[0].values.front() == 64);  // ascending
  CHECK(family.tunables()[0].fallback == 128);
  CHECK(family.tunables()[1].fallback == 1);
  const Problem problem = problem_of(family, "T=i64").value();
  CHECK(field_text(problem) == "T=i64");
  CHECK(family.describe(problem) == "copy i64");
  CHECK(family.arguments(problem)[0].element_bytes == 8);
  const Workload workload{.problem = problem, .shape = {{1000}}};
  CHECK(input_bytes(workload) == 8000);
  CHECK(output_bytes(workload) == 8000);
  CHECK(find_fault(workload).empty());
  CHECK(Space(workload).enumerate().size() == 5);  // all but 256 x 2
}

TEST_CASE("A program has the values of the problem and of the configuration as macros") {
  const DescribedFamily family = family_of(copy_description());
  const Workload workload{.problem = problem_of(family, "T=f32").value(), .shape = {{1000}}};
  const Program program = family.program({.workload = workload, .params = Config(family)});
  CHECK_THAT(program.source, ContainsSubstring("#define T float\n"));
  CHECK_THAT(program.source, ContainsSubstring("#define BLOCK 128\n"));
  CHECK(program.name_expressions == std::vector<std::string>{"copy"});
}

TEST_CASE("Launches follow the expressions") {
  const DescribedFamily family = family_of(copy_description());
  const Workload workload{.problem = problem_of(family, "T=f32").value(), .shape = {{1000}}};
  const auto launcher = family.launcher({.workload = workload, .params = Config(family)}, {});
  CHECK(launcher->block_size() == 128);
  CHECK(launcher->scratch_bytes({{1000}}) == 1024);
  Launches launches;
  const Call call{.shape = {{1000}}};
  launcher->fill(call, nullptr, launches);
  REQUIRE(launches.size() == 1);
  CHECK(launches.begin()->grid == Dim3{8});
  CHECK(launches.begin()->block == Dim3{128});
  CHECK_FALSE(launches.begin()->overlaps_previous);
  CHECK(*static_cast<const std::uint64_t*>(launches.begin()->arguments[3]) == 1000);
}

TEST_CASE("A grid that no GPU has is no configuration") {
  json description = copy_description();
  description["launches"][0]["grid"] = json::array({"1", "n"});
  const DescribedFamily family = family_of(description);
  const Problem problem = problem_of(family, "T=f32").value();
  CHECK(Space({.problem = problem, .shape = {{65'535}}}).enumerate().size() == 5);
  CHECK(Space({.problem = problem, .shape = {{65'536}}}).enumerate().empty());
}

std::string fault_of(const json& description) {
  try {
    parse_description(description.dump());
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST_CASE("What is wrong with a description is said with its place") {
  const auto with = [](const json::json_pointer& place, const json& value) {
    json description = copy_description();
    description[place] = value;
    return fault_of(description);
  };
  using Place = json::json_pointer;
  CHECK(fault_of(copy_description()).empty());
  CHECK_THAT(with(Place("/launches/0/grid"), "m"), ContainsSubstring("launches[0].grid"));
  CHECK_THAT(with(Place("/launches/0/arguments/0"), "inptu"), ContainsSubstring("'inptu'"));
  CHECK_THAT(with(Place("/arguments/0/type"), "float"), ContainsSubstring("arguments[0].type"));
  CHECK_THAT(with(Place("/arguments/0/elements"), "BLOCK"), ContainsSubstring("elements"));
  CHECK_THAT(with(Place("/arguments/1/access"), "input"), ContainsSubstring("one output"));
  CHECK_THAT(with(Place("/tunables/BLOCK/default"), 65), ContainsSubstring("tunables.BLOCK"));
  CHECK_THAT(with(Place("/tunables/BLOCK/values/0"), -1), ContainsSubstring("whole number"));
  CHECK_THAT(with(Place("/tunable"), 1), ContainsSubstring("'tunable' is unknown"));
  CHECK_THAT(with(Place("/extents/0"), "1n"), ContainsSubstring("no name"));
  CHECK_THAT(with(Place("/extents"), json::array()), ContainsSubstring("extents"));
  CHECK_THAT(with(Place("/fields/n"), json::array({"x"})), ContainsSubstring("twice"));
  CHECK_THAT(with(Place("/tolerance"), -1), ContainsSubstring("tolerance"));
  CHECK_THAT(with(Place("/launches"), json::array()), ContainsSubstring("launches"));
  CHECK_THROWS_AS(parse_description("{"), std::invalid_argument);
  CHECK_THROWS_AS(parse_description("[]"), std::invalid_argument);
  const json whole = copy_description();
  for (const auto& [key, value] : whole.items()) {
    if (key == "fields" || key == "constraints") continue;
    json description = whole;
    description.erase(key);
    CAPTURE(key);
    CHECK_THAT(fault_of(description), ContainsSubstring(key));
  }
}

}  // namespace
}  // namespace foldtune
