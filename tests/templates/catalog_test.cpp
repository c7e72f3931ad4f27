#include "foldtune/catalog.h"

#include <set>

#include "tests/catch.h"

namespace foldtune::test {
namespace {

TEST_CASE("Names are read back as what they name") {
  for (const Operator op : operators()) CHECK(parse_operator(name(op)) == op);
  for (const ElementType type : element_types()) CHECK(parse_element_type(name(type)) == type);
  CHECK(parse_element_type("i64") == ElementType::i64);
  for (const Determinism determinism :
       {Determinism::any, Determinism::run_to_run, Determinism::config_independent}) {
    CHECK(parse_determinism(name(determinism)) == determinism);
  }
}

TEST_CASE("Unknown names are nothing") {
  for (const char* text : {"", "Sum", "sum ", "mean", "f16"}) {
    CHECK_FALSE(parse_operator(text));
    CHECK_FALSE(parse_element_type(text));
    CHECK_FALSE(parse_determinism(text));
  }
}

TEST_CASE("The catalogue has sum, min and max over i32, f32 and f64") {
  std::set<std::string_view> names;
  for (const Operator op : operators()) names.insert(name(op));
  CHECK(names == std::set<std::string_view>{"sum", "min", "max"});
  names.clear();
  for (const ElementType type : element_types()) names.insert(name(type));
  CHECK(names == std::set<std::string_view>{"i32", "f32", "f64"});
}

TEST_CASE("Types have their size and their spelling in C++") {
  CHECK(size_of(ElementType::i32) == 4);
  CHECK(size_of(ElementType::i64) == 8);
  CHECK(size_of(ElementType::f32) == 4);
  CHECK(size_of(ElementType::f64) == 8);
  CHECK(device_name(ElementType::i64) == "long long");
  CHECK(device_name(Operator::min) == "foldtune::Min");
  CHECK(is_floating(ElementType::f32));
  CHECK_FALSE(is_floating(ElementType::i64));
  CHECK(element_type_of<double>() == ElementType::f64);
  CHECK(element_type_of<long>() == element_type_of<long long>());
}

TEST_CASE("Sums of integers are kept in 64 bits, everything else in the element's type") {
  CHECK(default_accumulator(Operator::sum, ElementType::i32) == ElementType::i64);
  CHECK(default_accumulator(Operator::max, ElementType::i32) == ElementType::i32);
  CHECK(default_accumulator(Operator::sum, ElementType::f32) == ElementType::f32);
  CHECK(default_accumulator(Operator::sum, ElementType::f64) == ElementType::f64);
}

TEST_CASE("Sums may be kept in a wider type of their kind, extremes in their own alone") {
  CHECK(accumulates_in(Operator::sum, ElementType::i32, ElementType::i32));
  CHECK(accumulates_in(Operator::sum, ElementType::i32, ElementType::i64));
  CHECK(accumulates_in(Operator::sum, ElementType::f32, ElementType::f64));
  CHECK_FALSE(accumulates_in(Operator::sum, ElementType::f64, ElementType::f32));
  CHECK_FALSE(accumulates_in(Operator::sum, ElementType::i32, ElementType::f64));
  CHECK_FALSE(accumulates_in(Operator::sum, ElementType::f32, ElementType::i64));
  CHECK(accumulates_in(Operator::min, ElementType::f64, ElementType::f64));
  CHECK_FALSE(accumulates_in(Operator::min, ElementType::f32, ElementType::f64));
}

}  // namespace
}  // namespace foldtune::test
