// What passes for a time, for extents and for the text of a problem.
#include "cache/record_check.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cache/field_text.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

TEST_CASE("times are of years of four digits, whatever the clock says") {
  CHECK(utc_text(0) == "1970-01-01T00:00:00Z");
  CHECK(utc_text(1'769'860'800) == "2026-01-31T12:00:00Z");
  CHECK(utc_text(-1) == "1969-12-31T23:59:59Z");
  CHECK(utc_text(301'802'000'000) == "9999-12-31T23:59:59Z");  // of the year 11533
  CHECK(utc_text(std::numeric_limits<std::int64_t>::max()) == "9999-12-31T23:59:59Z");
  CHECK(utc_text(std::numeric_limits<std::int64_t>::min()) == "0001-01-01T00:00:00Z");
  CHECK(is_time(utc_now()));
}

TEST_CASE("a time is one of a day that there is") {
  CHECK(is_time("2026-01-31T12:00:00Z"));
  CHECK(is_time("2024-02-29T23:59:59Z"));
  for (const char* const text :
       {"9999-99-99T00:00:00Z", "2026-02-29T00:00:00Z", "2026-00-10T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00", "11533-01-01T00:00:00Z", "", "2026-01-0\xc3T00:00:00Z"}) {
    CAPTURE(text);
    CHECK_FALSE(is_time(text));
  }
}

TEST_CASE("extents are one to four numbers") {
  using Extents = std::vector<std::uint64_t>;
  CHECK(extents_of("0") == Extents{0});
  CHECK(extents_of("12x7") == Extents{12, 7});
  CHECK(extents_of("1x22x333x18446744073709551615") ==
        Extents{1, 22, 333, std::numeric_limits<std::uint64_t>::max()});
  for (const char* const text : {"", "x", "1x", "x1", "1xx2", "1x2x3x4x5", "01", "+1", "-1", " 1",
                                 "1 ", "1X2", "18446744073709551616", "1.5", "1e3"}) {
    CAPTURE(text);
    CHECK(extents_of(text).empty());
  }
}

TEST_CASE("the text of a problem is words with a name and a value") {
  using Words = std::vector<FieldWord>;
  CHECK(words_of("") == Words{});
  CHECK(words_of("op=sum type=f32") == Words{{"op", "sum"}, {"type", "f32"}});
  CHECK(words_of("op=squares:0f8f type=f32,u32") ==
        Words{{"op", "squares:0f8f"}, {"type", "f32,u32"}});
  CHECK(words_of("op=a=b") == Words{{"op", "a=b"}});
  std::string many = "a0=1";
  for (int i = 1; i < 1000; ++i) many += " a" + std::to_string(i) + "=1";
  for (const std::string& text :
       {std::string("op"), std::string("op="), std::string("=sum"), std::string(" op=sum"),
        std::string("op=sum "), std::string("op=sum  type=f32"), std::string("op=a op=b"),
        std::string("op=\x1b"), std::string("op=\xff"), std::string("op=a\0b", 6), many}) {
    CAPTURE(text);
    CHECK_FALSE(words_of(text));
  }
}

TEST_CASE("fields differ by their values, or where one has them alone") {
  const auto differing = [](std::string_view a, std::string_view b) {
    return count_differing(words_of(a).value(), words_of(b).value());
  };
  CHECK(differing("op=sum type=f32", "op=sum type=f32") == 0);
  CHECK(differing("op=sum type=f32", "type=f32 op=sum") == 0);
  CHECK(differing("op=sum type=f32", "op=min type=f32") == 1);
  CHECK(differing("op=sum type=f32", "op=min type=f64") == 2);
  CHECK(differing("op=sum", "op=sum nan=ignore") == 1);
  CHECK(differing("op=sum nan=ignore", "op=sum") == 1);
  CHECK(differing("op=sum ddof=1", "op=min nan=ignore") == 3);
  CHECK(differing("", "") == 0);
}
}  // namespace
}  // namespace foldtune::test
