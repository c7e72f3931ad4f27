#include "foldtune/problem.h"

#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("A size class is the nearest power of two") {
  CHECK(size_class(0) == 0);
  CHECK(size_class(1) == 0);
  CHECK(size_class(2) == 1);
  CHECK(size_class(3) == 2);
  CHECK(size_class(1000) == 10);
  CHECK(size_class(1448) == 10);  // 2^10.49988
  CHECK(size_class(1449) == 11);  // 2^10.50087
  CHECK(size_class((std::uint64_t{1} << 32) + 1) == 32);
  CHECK(size_class(kMaxCount) == 40);
}

TEST_CASE("Problems are written as people write them") {
  CHECK(to_string(Problem{.op = Operator::sum, .type = ElementType::f32, .count = 1 << 20}) ==
        "sum f32 2^20");
  CHECK(to_string(Problem{.op = Operator::max, .type = ElementType::i32, .count = 1000003}) ==
        "max i32 1000003");
  CHECK(to_string(Problem{.op = Operator::min, .type = ElementType::f64, .count = 512}) ==
        "min f64 512");
  CHECK(to_string(Problem{.op = Operator::sum,
                          .type = ElementType::f32,
                          .accumulator = ElementType::f64,
                          .count = 3}) == "sum f32 in f64 3");
}

TEST_CASE("The input's bytes do not overflow at 2^32") {
  CHECK(Problem{.type = ElementType::f64, .count = std::uint64_t{1} << 33}.input_bytes() ==
        std::uint64_t{1} << 36);
}

TEST_CASE("What can be reduced has no fault") {
  CHECK(find_fault({}).empty());
  CHECK(find_fault({.op = Operator::sum, .type = ElementType::i32, .count = kMaxCount}).empty());
  CHECK(find_fault({.op = Operator::min,
                    .type = ElementType::f32,
                    .determinism = Determinism::config_independent})
            .empty());
  CHECK(find_fault({.op = Operator::sum,
                    .type = ElementType::i32,
                    .determinism = Determinism::config_independent})
            .empty());
}

TEST_CASE("What cannot be reduced says why") {
  CHECK_THAT(find_fault({.count = kMaxCount + 1}), ContainsSubstring("2^40"));
  CHECK_THAT(find_fault({.type = ElementType::i64}), ContainsSubstring("i64"));
  CHECK_THAT(
      find_fault({.op = Operator::min, .type = ElementType::f32, .accumulator = ElementType::f64}),
      ContainsSubstring("cannot accumulate in f64"));
  CHECK_THAT(find_fault({.op = Operator::sum,
                         .type = ElementType::f32,
                         .determinism = Determinism::config_independent}),
             ContainsSubstring("config_independent"));
}

}  // namespace
}  // namespace foldtune::test
