// Descriptions that are refused, and what is said of them.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "templates/described/description.h"
#include "templates/described/judge/judge.h"
#include "templates/described/reference.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tests/families/copy_description.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

std::string refusal_of(const json& description) {
  try {
    parse_description(description.dump());
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

/// Of the description in which `value` is at `place`.
std::string refusal_with(const char* place, const std::string& value) {
  json description = copy_description();
  description[json::json_pointer(place)] = json::parse(value);
  return refusal_of(description);
}

TEST_CASE("What is wrong with a description is said with its place") {
  struct Refused {
    const char* place;
    const char* value;
    const char* message;
  };
  const Refused all[] = {
      {"/tunable", "1", "'tunable' is unknown"},
      {"/extents/0", R"("1n")", "no name"},
      {"/extents", "[]", "extents"},
      {"/tolerance", "-1", "tolerance"},
      {"/fields/n", R"(["x"])", "twice"},
      {"/fields/a b", R"(["x"])", "fields.a b: 'a b' is no name"},
      {"/fields/T", "[]", "fields.T: has no value"},
      {"/fields/U", R"(["unsigned int"])", "fields.U[0]: 'unsigned int' is no value of a field"},
      {"/fields/U", R"(["a", "b,c"])", "fields.U[1]: 'b,c'"},
      {"/fields/U", R"(["a=b"])", "'a=b'"},
      {"/fields/U", R"([""])", "fields.U[0]"},
      {"/fields/U", R"(["\u00e9"])", "fields.U[0]"},
      {"/fields/U", R"(["every"])", "'every'"},
      {"/fields/U", R"(["a", "a"])", "fields.U[1]: is there twice"},
      {"/tunables/2x", "[1]", "tunables.2x: '2x' is no name"},
      {"/tunables/BLOCK/default", "65", "tunables.BLOCK: its default"},
      {"/tunables/BLOCK/values/0", "-1", "whole number"},
      {"/tunables/PER_THREAD", "[1, 2, 1]", "tunables.PER_THREAD: the value 1 is there twice"},
      {"/arguments/0/type", R"("float")", "arguments[0].type"},
      {"/arguments/0/elements", R"("BLOCK")", "arguments[0].elements"},
      {"/arguments/1/access", R"("input")", "one output"},
      {"/launches", "[]", "launches"},
      {"/launches/0/grid", R"("m")", "launches[0].grid"},
      {"/launches/0/grid", "1.5", "launches[0].grid: is no whole number, and no expression"},
      {"/launches/0/block", "-1", "launches[0].block: is no whole number, and no expression"},
      {"/launches/0/kernel", R"("copy\u0000x")", "has a character of number 0"},
      {"/launches/0/arguments/0", R"("inptu")", "'inptu'"},
      {"/launches/0/arguments/3/type", R"("f16")", "launches[0].arguments[3].type"},
  };
  CHECK(refusal_of(copy_description()).empty());
  for (const Refused& one : all) {
    CAPTURE(one.place, one.value);
    CHECK_THAT(refusal_with(one.place, one.value), ContainsSubstring(one.message));
  }
  CHECK(refusal_with("/launches/0/grid", "true") == "launches[0].grid: is no text");
  CHECK_THAT(refusal_with("/launches/0/grid", "18446744073709551615"),
             ContainsSubstring("launches[0].grid: "));
  CHECK_THROWS_WITH(parse_description(R"({"name": "a", "extents": [{"b": 1, "b": 2}]})"),
                    "the key 'b' is there twice");
}

TEST_CASE("What is missing from a description is said") {
  const json whole = copy_description();
  for (const auto& [key, value] : whole.items()) {
    if (key == "fields" || key == "constraints") continue;
    json description = whole;
    description.erase(key);
    CAPTURE(key);
    CHECK_THAT(refusal_of(description), ContainsSubstring(key));
  }
  CHECK_THROWS_AS(parse_description("{"), std::invalid_argument);
  CHECK_THROWS_AS(parse_description("[]"), std::invalid_argument);
}

TEST_CASE("Too much of something is refused") {
  json fields = json::object();
  json tunables = json::object();
  for (int i = 0; i < 13; ++i) fields["F" + std::to_string(i)] = {"x"};
  CHECK_THAT(refusal_with("/fields", fields.dump()), ContainsSubstring("12 are the most"));
  for (int i = 0; i < 7; ++i) tunables["N" + std::to_string(i)] = {1, 2, 3, 4, 5, 6, 7, 8};
  json many = copy_description();
  many["tunables"].update(tunables);
  CHECK_THAT(refusal_of(many), ContainsSubstring("tunables: their values have more than"));

  const std::string long_text(1000, 'a');
  CHECK_THAT(refusal_with("/fields/U", json{"b", long_text}.dump()),
             ContainsSubstring("fields: names and longest values have 1008 bytes together"));
  CHECK_THAT(refusal_with("/name", json(long_text).dump()), ContainsSubstring("100 bytes at most"));

  json numbers = copy_description();
  json& arguments = numbers["launches"][0]["arguments"];
  while (arguments.size() < 16) arguments.push_back(arguments[3]);
  numbers["launches"].push_back(numbers["launches"][0]);
  CHECK(refusal_of(numbers).empty());  // 28 of them
  numbers["launches"].push_back(numbers["launches"][0]);
  CHECK_THAT(refusal_of(numbers), ContainsSubstring("42 numbers and scratch parameters"));
}

/// Of a family whose output has one element, with this reference.
std::string refusal_of_reference(const char* family, const char* problem,
                                 const json& labels = {"f32"}) {
  json description = copy_description();
  description["fields"]["T"] = labels;
  description["arguments"][1]["elements"] = "1";
  description["reference"] = {{"family", family}, {"problem", problem}};
  try {
    require_reference(DescribedFamily(parse_description(description.dump()), ""));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST_CASE("A reference that does not fit is refused") {
  CHECK(refusal_of_reference("reduce", "op=sum type={T} accumulator={T}", {"f32", "i32"}).empty());
  CHECK_THAT(refusal_of_reference("reduc", "op=sum type={T}"),
             ContainsSubstring("no family 'reduc'"));
  CHECK_THAT(refusal_of_reference("reduce", "op=sun type={T}"),
             ContainsSubstring("no problem 'op=sun type=f32'"));
  CHECK_THAT(refusal_of_reference("reduce", "op=dot type={T} accumulator={T}"),
             ContainsSubstring("it has 1 inputs, and its reference 2"));
  CHECK_THAT(refusal_of_reference("reduce", "op=max type=f64"),
             ContainsSubstring("the type of 'input' is f32, and its reference's is f64"));
  CHECK_THAT(refusal_of_reference("reduce", "op=sum type={T}", {"f32", "i32"}),
             ContainsSubstring("copy i32: the type of its result is i32"));
  // A value is put in once, whatever it has.
  CHECK_THAT(refusal_of_reference("reduce", "op=sum type={F}"), ContainsSubstring("type={F}"));
}

TEST_CASE("The references of the textbook fit") {
  const std::filesystem::path folder(FOLDTUNE_FAMILIES_FOLDER "/../../examples/textbook");
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".json" || file.path().stem() == "ladder") continue;
    CAPTURE(file.path());
    const auto family = load_family(file.path());
    CHECK_NOTHROW(require_reference(*family));
    Problem problem(*family);
    family->complete(problem);
    Workload workload{.problem = problem};
    for (std::size_t i = 0; i < family->extents().size(); ++i) workload.shape[i] = 1 << 20;
    CHECK(find_fault(workload).empty());
  }
}

TEST_CASE("A reference has to have the sizes of the shape") {
  json description = copy_description();
  description["reference"] = {{"family", "reduce"}, {"problem", "op=sum type={T} accumulator={T}"}};
  const auto fault_of = [](const json& with) {
    const DescribedFamily family(parse_description(with.dump()), "");
    return find_fault({.problem = problem_of(family, "T=f32").value(), .shape = {{100}}});
  };
  CHECK_THAT(fault_of(description), ContainsSubstring("its result has 400 bytes"));
  description["arguments"][1]["elements"] = "1";
  CHECK(fault_of(description).empty());
  description["arguments"][0]["elements"] = "2 * n";
  CHECK_THAT(fault_of(description), ContainsSubstring("200 elements, and its reference's 100"));
}

TEST_CASE("A family that is refused leaves nothing behind, and the same file is read once") {
  const test::TemporaryFolder folder;
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder.file(name)) << text;
    return folder.file(name);
  };
  write("copy.cu", "__global__ void copy() {}");
  json description = copy_description();
  description["name"] = "refused_copy";
  description["reference"] = {{"family", "reduce"}, {"problem", "op=dot type={T}"}};
  const std::string path = write("copy.json", description.dump());
  CHECK_THROWS_AS(use_family(path), std::invalid_argument);
  CHECK(find_family("refused_copy") == nullptr);
  description.erase("reference");
  write("copy.json", description.dump());
  const Family& family = use_family(path);
  CHECK(&use_family(folder.path() / "." / "copy.json") == &family);
}

}  // namespace
}  // namespace foldtune
