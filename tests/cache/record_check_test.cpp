// Times as they are stored, and what passes for one.
#include "cache/record_check.h"

#include <cstdint>
#include <limits>

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
}  // namespace
}  // namespace foldtune::test
