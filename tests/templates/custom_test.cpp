#include "foldtune/custom.h"

#include <set>

#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using enum ElementType;

/// The distance between two arrays.
CustomOperator distance() {
  return {.name = "distance",
          .inputs = {f32, f32},
          .accumulator = {{.name = "", .type = f64}},
          .map = "(x - y) * (x - y)",
          .finish = "sqrt(a)",
          .result = f64};
}

/// Its accumulator has fields of these types.
CustomOperator with_fields(const std::vector<ElementType>& types) {
  CustomOperator op = distance();
  op.accumulator.clear();
  for (const ElementType type : types) {
    op.accumulator.push_back(
        {.name = "field" + std::to_string(op.accumulator.size()), .type = type});
  }
  return op;
}

template <class Change>
CustomOperator changed(const Change& change) {
  CustomOperator op = distance();
  change(op);
  return op;
}

TEST_CASE("A hash is the same for the same operator, whatever it is called") {
  const std::string hash = distance().hash();
  CHECK(hash.size() == 16);
  CHECK(hash.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(distance().hash() == hash);
  CHECK(changed([](CustomOperator& op) { op.name = "another"; }).hash() == hash);
  CHECK(changed([](CustomOperator& op) { op.tolerance = 1e-6; }).hash() == hash);
}

TEST_CASE("A hash changes with every expression, every type and every name of a field") {
  const std::vector<CustomOperator> operators{
      distance(),
      changed([](CustomOperator& op) { op.identity = "0.0"; }),
      changed([](CustomOperator& op) { op.map = "x * y"; }),
      changed([](CustomOperator& op) { op.combine = "b + a"; }),
      changed([](CustomOperator& op) { op.finish = "a"; }),
      changed([](CustomOperator& op) { op.result = f32; }),
      changed([](CustomOperator& op) { op.inputs = {f32}; }),
      changed([](CustomOperator& op) {
        op.inputs = {f32, f64};
      }),
      changed([](CustomOperator& op) {
        op.inputs = {f64, f32};
      }),
      changed([](CustomOperator& op) { op.accumulator[0].type = f32; }),
      changed([](CustomOperator& op) { op.accumulator[0].name = "total"; }),
      changed([](CustomOperator& op) { op.accumulator.push_back({.name = "n", .type = f64}); }),
      // Text that moves from one expression to the next.
      changed([](CustomOperator& op) {
        op.identity = "0(x - y)";
        op.map = " * (x - y)";
      }),
  };
  std::set<std::string> hashes;
  for (const CustomOperator& op : operators) hashes.insert(op.hash());
  CHECK(hashes.size() == operators.size());
}

TEST_CASE("An accumulator takes the bytes of a C++ struct of its fields") {
  CHECK(with_fields({f32}).accumulator_bytes() == 4);
  CHECK(with_fields({f64}).accumulator_bytes() == 8);
  CHECK(with_fields({f32, i32}).accumulator_bytes() == 8);
  CHECK(with_fields({f32, f64}).accumulator_bytes() == 16);
  CHECK(with_fields({f64, f32}).accumulator_bytes() == 16);
  CHECK(with_fields({f32, u32, f64}).accumulator_bytes() == 16);
  CHECK(with_fields({f32, f64, u32}).accumulator_bytes() == 24);
  CHECK(with_fields({i64, u64, f64, f64}).accumulator_bytes() == 32);
}

TEST_CASE("What can be compiled has no fault") {
  CHECK(CustomOperator{.name = "fold"}.find_fault().empty());
  CHECK(distance().find_fault().empty());
  CHECK(with_fields(std::vector(8, f32)).find_fault().empty());
  CHECK(with_fields({f64, i64, u64, f64}).find_fault().empty());
  CHECK(changed([](CustomOperator& op) { op.inputs = {f16, bf16, i8, u64}; }).find_fault() == "");
  CHECK(changed([](CustomOperator& op) { op.name = "_2"; }).find_fault() == "");
  // The result may be of any type.
  CHECK(changed([](CustomOperator& op) { op.result = u8; }).find_fault() == "");
}

TEST_CASE("A name that is none, or that is taken, is a fault") {
  for (const char* name : {"", "2nd", "a-b", "a b", "gr\u00f6\u00dfe", "a;b"}) {
    INFO(name);
    CHECK(changed([&](CustomOperator& op) { op.name = name; }).find_fault() ==
          "'" + std::string(name) +
              "' is no name for an operator: use letters, digits and _, no digit first, and 100 of "
              "them at "
              "most");
  }
  for (const char* name : {"sum", "max", "custom"}) {
    CHECK(changed([&](CustomOperator& op) { op.name = name; }).find_fault() ==
          std::string(name) + " is the name of a built-in operator");
  }
  CHECK(changed([&](CustomOperator& op) { op.name = "histogram"; }).find_fault() ==
        "histogram is the name of a family");
}

TEST_CASE("No inputs, and more than four, are a fault") {
  CHECK(changed([](CustomOperator& op) { op.inputs = {}; }).find_fault() ==
        "distance has 0 inputs; an operator takes from 1 to 4");
  CHECK(changed([](CustomOperator& op) { op.inputs = std::vector(5, f32); }).find_fault() ==
        "distance has 5 inputs; an operator takes from 1 to 4");
}

TEST_CASE("An accumulator that no kernel holds is a fault") {
  CHECK(with_fields({}).find_fault() == "distance: an accumulator has from 1 to 8 fields");
  CHECK(with_fields(std::vector(9, f32)).find_fault() ==
        "distance: an accumulator has from 1 to 8 fields");
  CHECK(with_fields({f64, f64, f64, f64, f32}).find_fault() ==
        "distance: the accumulator has 40 bytes, more than the most, 32");
  for (const ElementType type : {i8, u8, i16, u16, f16, bf16}) {
    CHECK(with_fields({f32, type}).find_fault() ==
          "distance: an accumulator holds types of 32 or 64 bits, not " + std::string(name(type)));
  }
  CustomOperator op = with_fields({f32, f32});
  op.accumulator[1].name = "";
  CHECK(op.find_fault() ==
        "distance: '' is no name for a field of the accumulator: use letters, digits and _, no "
        "digit first, and 100 of them at "
        "most");
  op = with_fields({f32});
  op.accumulator[0].name = "a b";
  CHECK_THAT(op.find_fault(), ContainsSubstring("'a b' is no name for a field"));
}

TEST_CASE("An expression that is empty is a fault that names it") {
  for (const char* blank : {"", " ", "\n\t\r "}) {
    const auto fault_without = [&](std::string CustomOperator::*expression) {
      return changed([&](CustomOperator& op) { op.*expression = blank; }).find_fault();
    };
    CHECK(fault_without(&CustomOperator::identity) == "distance: the expression identity is empty");
    CHECK(fault_without(&CustomOperator::map) == "distance: the expression map is empty");
    CHECK(fault_without(&CustomOperator::combine) == "distance: the expression combine is empty");
    CHECK(fault_without(&CustomOperator::finish) == "distance: the expression finish is empty");
  }
}

TEST_CASE("An expression that includes a file is a fault, since no hash tells what is in it") {
  const CustomOperator op =
      changed([](CustomOperator& one) { one.map = "\n#include \"/tmp/own.h\"\n"; });
  CHECK_THAT(op.find_fault(), ContainsSubstring("expression map, it includes \"/tmp/own.h\""));
}

}  // namespace
}  // namespace foldtune::test
