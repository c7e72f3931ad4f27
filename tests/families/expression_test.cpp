#include "templates/described/expression.h"

#include <stdexcept>
#include <vector>

#include "tests/catch.h"

namespace foldtune {
namespace {

const std::vector<std::string> kNames{"n", "block_size"};

std::int64_t value_of(const std::string& text, std::int64_t n = 1000,
                      std::int64_t block_size = 64) {
  const std::int64_t values[] = {n, block_size};
  return Expression(text, kNames).evaluate(values);
}

TEST_CASE("Expressions have C's precedence and order") {
  CHECK(value_of("1 + 2 * 3") == 7);
  CHECK(value_of("(1 + 2) * 3") == 9);
  CHECK(value_of("10 - 3 - 2") == 5);
  CHECK(value_of("100 / 10 / 2") == 5);
  CHECK(value_of("7 % 4 * 2") == 6);
  CHECK(value_of("-2 + 5") == 3);
  CHECK(value_of("- -2") == 2);
  CHECK(value_of("!0 + !5") == 1);
  CHECK(value_of("1 || 0 && 0") == 1);
  CHECK(value_of("1 + 1 == 2 && 3 > 2") == 1);
  CHECK(value_of("1 < 2 == 1") == 1);
}

TEST_CASE("Expressions compare") {
  CHECK(value_of("2 < 3") == 1);
  CHECK(value_of("3 < 2") == 0);
  CHECK(value_of("3 > 2") == 1);
  CHECK(value_of("2 > 3") == 0);
  CHECK(value_of("2 <= 2") == 1);
  CHECK(value_of("2 >= 3") == 0);
  CHECK(value_of("2 != 3") == 1);
}

TEST_CASE("Expressions know names and functions") {
  CHECK(value_of("(n + block_size - 1) / block_size") == 16);
  CHECK(value_of("ceil_div(n, block_size)") == 16);
  CHECK(value_of("ceil_div(n, block_size)", 1024) == 16);
  CHECK(value_of("min(n, 7) + max(n, 2000)") == 2007);
  CHECK(value_of("ceil_div(-7, 2)") == -3);
}

TEST_CASE("The right of || and && is computed only if it decides") {
  CHECK(value_of("n == 0 || 100 / n > 5", 0) == 1);
  CHECK(value_of("n != 0 && 100 / n > 5", 0) == 0);
  CHECK(value_of("n != 0 && 100 / n > 5", 10) == 1);
  CHECK(value_of("n != 0 && 100 / n > 5", 50) == 0);
  CHECK(value_of("3 && 4") == 1);
  CHECK(value_of("0 || 7") == 1);
  CHECK(value_of("0 && 1 / 0 || 2") == 1);
  CHECK(value_of("2 > (0 && 1 / 0)") == 1);
  CHECK(value_of("(1 || 1 / 0) > (0 && 1 / 0)") == 1);
  CHECK_THROWS_AS(value_of("1 && 1 / 0"), std::domain_error);
}

TEST_CASE("What cannot be computed is said, and is no undefined behaviour") {
  CHECK_THROWS_AS(value_of("n / 0"), std::domain_error);
  CHECK_THROWS_AS(value_of("n % (block_size - 64)"), std::domain_error);
  CHECK_THROWS_AS(value_of("9223372036854775807 + 1"), std::domain_error);
  CHECK_THROWS_AS(value_of("9223372036854775807 * n"), std::domain_error);
  CHECK_THROWS_AS(value_of("-n", INT64_MIN), std::domain_error);
  CHECK_THROWS_AS(value_of("n / -1", INT64_MIN), std::domain_error);
  CHECK(value_of("n % -1", INT64_MIN) == 0);
}

TEST_CASE("What is no expression is refused with the place") {
  for (const char* const text : {"", "1 +", "(1", "1)", "n n", "frobnicate", "min(1)", "1 & 2",
                                 "1.5", "99999999999999999999", "n(2)", "=", "min"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(value_of(text), std::invalid_argument);
  }
  CHECK_THROWS_AS(value_of(std::string(100'000, '(')), std::invalid_argument);
  std::string deep = "1";
  for (int i = 0; i < 100; ++i) deep = "1 + (" + deep + ")";
  CHECK_THROWS_AS(value_of(deep), std::invalid_argument);
  CHECK_THROWS_WITH(value_of("n + m"), Catch::Matchers::ContainsSubstring("'m'") &&
                                           Catch::Matchers::ContainsSubstring("n, block_size"));
}

}  // namespace
}  // namespace foldtune
