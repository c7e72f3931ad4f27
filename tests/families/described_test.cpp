// Descriptions of kernels: what is read of them, and what is wrong with them.
#include <array>
#include <bit>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "templates/described/description.h"
#include "templates/described/family.h"
#include "templates/described/judge/judge.h"
#include "templates/space.h"
#include "tests/catch.h"
#include "tests/families/copy_description.h"
#include "tuner/problem/count_list.h"
#include "tuner/session/preparation.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

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
  const Call call{.shape = {{1000}}, .arguments = {}};
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

Workload workload_of(const DescribedFamily& family, std::uint64_t n) {
  return {.problem = problem_of(family, "T=f32").value(), .shape = {{n}}};
}

TEST_CASE(
    "Where the default is not valid for a shape, the first configuration that is takes over") {
  json description = copy_description();
  description["constraints"] = {"n % (BLOCK * PER_THREAD) == 0"};
  const DescribedFamily family = family_of(description);
  CHECK(family.fallback(workload_of(family, 1280), 1) == Config(family));
  const Config other = family.fallback(workload_of(family, 576), 1);
  CHECK(other.get(family.tunables()[0]) == 64);
  CHECK(other.get(family.tunables()[1]) == 1);
  CHECK(find_fault(workload_of(family, 576)).empty());
  CHECK_THAT(find_fault(workload_of(family, 1000)),
             ContainsSubstring("no configuration is valid for the shape 1000: of the default, 'n % "
                               "(BLOCK * PER_THREAD) == 0' does not hold"));
}

TEST_CASE("A block that no GPU has is no configuration") {
  for (const char* const block : {R"([1, 1, 65])", R"(["BLOCK", 9])", R"([0])", R"(1025)"}) {
    CAPTURE(block);
    json description = copy_description();
    description["launches"][0]["block"] = json::parse(block);
    const DescribedFamily family = family_of(description);
    CHECK_FALSE(family.is_valid(workload_of(family, 10), Config(family)));
  }
}

TEST_CASE("A number that its type does not hold is no configuration") {
  const auto is_valid = [](const char* value, const char* type) {
    json description = copy_description();
    description["launches"][0]["arguments"][3] = {{"value", value}, {"type", type}};
    const DescribedFamily family = family_of(description);
    return family.is_valid(workload_of(family, 10), Config(family));
  };
  CHECK(is_valid("n", "i32"));
  CHECK(is_valid("4294967295", "u32"));
  CHECK(is_valid("-9223372036854775807 + n", "i64"));
  CHECK(is_valid("n + 4294967296", "f32"));
  CHECK_FALSE(is_valid("n + 4294967296", "u32"));
  CHECK_FALSE(is_valid("0 - n", "u32"));
  CHECK_FALSE(is_valid("2147483648", "i32"));
  CHECK_FALSE(is_valid("0 - n", "u64"));
}

TEST_CASE("A shape whose arrays have no size is refused") {
  const auto fault_with = [](const char* elements, std::uint64_t n) {
    json description = copy_description();
    description["arguments"][0]["elements"] = elements;
    description["launches"][0]["grid"] = 1;
    const DescribedFamily family = family_of(description);
    return find_fault(workload_of(family, n));
  };
  CHECK(fault_with("n", 1 << 20).empty());
  CHECK_THAT(fault_with("n * n", std::uint64_t{1} << 40), ContainsSubstring("'input'"));
  CHECK_THAT(fault_with("n * n", 1 << 25), ContainsSubstring("2^50 bytes"));
  CHECK_THAT(fault_with("n - 2", 1), ContainsSubstring("-1 elements"));
  CHECK_THAT(fault_with("n / (n - 1)", 1), ContainsSubstring("division by 0"));
}

TEST_CASE("Inputs that no memory holds are not made to see how long that takes") {
  json description = copy_description();
  description["arguments"][0]["elements"] = "100000000000000";
  const DescribedFamily family = family_of(description);
  const Workload workload{.problem = problem_of(family, "T=f32").value(), .shape = {{1000}}};
  CHECK(estimate_preparation_s(DeviceInfo{}, workload, &workload) > 1e5);
}

TEST_CASE("A shape that lacks an extent is refused as a whole") {
  json description = copy_description();
  description["extents"] = {"n", "m"};
  const DescribedFamily family = family_of(description);
  CHECK_THROWS_WITH(parse_shapes(family, "4"), ContainsSubstring("is no shape of the family"));
  for (const char* const text : {"4x", "x4", "1,4x"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_shapes(family, text), ContainsSubstring("lacks an extent"));
  }
}

TEST_CASE("What is said for people, and how results are judged, is no part of the kernels") {
  const auto lines_with = [](const char* key, const json& value) {
    json description = copy_description();
    description[key] = value;
    return family_of(description).all_include_lines();
  };
  const auto plain = family_of(copy_description()).all_include_lines();
  CHECK(lines_with("about", "a copy") == plain);
  CHECK(lines_with("tolerance", 0.5) == plain);
  CHECK(lines_with("constraints", json::array()) != plain);
}

TEST_CASE(
    "Without a reference, results are near the default's, and infinity is near itself alone") {
  json description = copy_description();
  description["tolerance"] = 0.01;
  const DescribedFamily family = family_of(description);
  const DescribedJudge judge(family);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto is_right = [&](float expected, float got) {
    const auto bytes_of = [](float value) {
      const auto bytes = std::bit_cast<std::array<std::byte, sizeof(float)>>(value);
      return std::vector<std::byte>(bytes.begin(), bytes.end());
    };
    const auto same = judge.expect_same(workload_of(family, 1), bytes_of(expected));
    return same->find_difference(bytes_of(got), {}).empty();
  };
  CHECK(is_right(100, 100.5f));
  CHECK_FALSE(is_right(100, 102));
  CHECK(is_right(kNan, kNan));
  CHECK(is_right(kInfinity, kInfinity));
  CHECK_FALSE(is_right(1, kInfinity));
  CHECK_FALSE(is_right(kInfinity, 1));
  CHECK_FALSE(is_right(-kInfinity, kInfinity));
  CHECK_FALSE(is_right(1, kNan));
}

TEST_CASE("A number that only the device makes too large is said when it is launched") {
  json description = copy_description();
  description["launches"][0]["arguments"][3] = {{"value", "n - 100 * (multiprocessors - 1)"},
                                                {"type", "u64"}};
  const DescribedFamily family = family_of(description);
  const Workload workload = workload_of(family, 50);
  CHECK(family.is_valid(workload, Config(family)));
  const auto launcher = family.launcher({.workload = workload, .params = Config(family)},
                                        {.multiprocessor_count = 2, .resident_blocks = {}});
  Launches launches;
  CHECK_THROWS_WITH(launcher->fill({.shape = workload.shape}, nullptr, launches),
                    ContainsSubstring("-50 is no number of type u64"));
}

}  // namespace
}  // namespace foldtune
