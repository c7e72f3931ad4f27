#include "tuner/problem/count_list.h"

#include <string>

#include "foldtune/error.h"
#include "tests/catch.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;
using Counts = std::vector<std::uint64_t>;

TEST_CASE("A count is written in decimal, as a power, with a suffix or with an exponent") {
  CHECK(parse_count("1") == 1);
  CHECK(parse_count("4096") == 4096);
  CHECK(parse_count("2^20") == 1048576);
  CHECK(parse_count("10^6") == 1000000);
  CHECK(parse_count("64K") == 65536);
  CHECK(parse_count("64k") == 65536);
  CHECK(parse_count("1M") == 1048576);
  CHECK(parse_count("2G") == std::uint64_t{1} << 31);
  CHECK(parse_count("1T") == std::uint64_t{1} << 40);
  CHECK(parse_count("1e6") == 1000000);
  CHECK(parse_count("25E2") == 2500);
  CHECK(parse_count("2^40") == std::uint64_t{1} << 40);
}

TEST_CASE("What is not a count is refused") {
  const std::string text =
      GENERATE("", "x", "-1", "+1", " 1", "1 ", "0x10", "1.5", "1.5e6", "64KB", "64Ki", "K", "^2",
               "2^", "2^^3", "2^-1", "e6", "1e", "1e-3", "1e+3", "2^12..", "..", "4096:2");
  CAPTURE(text);
  CHECK_THROWS_AS(parse_count(text), InvalidArgument);
  CHECK_THROWS_AS(parse_counts(text), InvalidArgument);
}

TEST_CASE("A count beyond what a reduction takes is refused, however large") {
  const std::string text =
      GENERATE("2^41", "1099511627777", "2T", "1e13", "2^64", "2^1000000000000", "1e99",
               "1^1000000000000", "18446744073709551616", "99999999999999999999999999",
               "18446744073709551615T", "4294967296^2");
  CAPTURE(text);
  CHECK_THROWS_WITH(parse_count(text), ContainsSubstring("more than 2^40"));
}

TEST_CASE("A count of nothing is refused") {
  const std::string text = GENERATE("0", "0K", "0e5", "0^3");
  CAPTURE(text);
  CHECK_THROWS_AS(parse_count(text), InvalidArgument);
}

TEST_CASE("Counts come by comma, in the order given, each once") {
  CHECK(parse_counts("2^12,1000,4K,1000") == Counts{4096, 1000});
  CHECK_THROWS_AS(parse_counts("1,,2"), InvalidArgument);
  CHECK_THROWS_AS(parse_counts("1,"), InvalidArgument);
  CHECK_THROWS_AS(parse_counts(","), InvalidArgument);
}

TEST_CASE("A range has the last count of each size class") {
  CHECK(parse_counts("2^12..2^13") == Counts{4096, 4870, 5792, 6888, 8192});
  CHECK(parse_counts("4000..5000") == Counts{4096, 4870, 5000});
  CHECK(parse_counts("7..7") == Counts{7});
  CHECK(parse_counts("5,1..4,16") == Counts{5, 1, 2, 3, 4, 16});
  CHECK(parse_counts("2^12..2^28").size() == 65);
  CHECK(parse_counts("1..2^40").back() == std::uint64_t{1} << 40);
}

TEST_CASE("A range goes by factors of what follows a colon, to its last count at most") {
  CHECK(parse_counts("2^12..2^16:4") == Counts{4096, 16384, 65536});
  CHECK(parse_counts("2^12..2^17:4") == Counts{4096, 16384, 65536});
  CHECK(parse_counts("2^12..2^14:2") == Counts{4096, 8192, 16384});
  CHECK(parse_counts("7..7:2") == Counts{7});
  CHECK(parse_counts("1..1e6:1000") == Counts{1, 1000, 1000000});
  CHECK(parse_counts("2^12..2^28:4").size() == 9);
  CHECK(parse_counts("1..2^40:18446744073709551615") == Counts{1});
}

TEST_CASE("A range that is empty or has no end is refused") {
  const std::string text = GENERATE("2..1", "1..8:1", "1..8:0", "1..8:", "1..8:x", "1..", "..8",
                                    "1...8", "1..8..16", "1..2^41", "0..8", "1..8:2:2");
  CAPTURE(text);
  CHECK_THROWS_AS(parse_counts(text), InvalidArgument);
}

TEST_CASE("A duration is seconds unless it names a unit") {
  CHECK(parse_duration("90") == 90);
  CHECK(parse_duration("20s") == 20);
  CHECK(parse_duration("2m") == 120);
  CHECK(parse_duration("1.5h") == 5400);
  CHECK(parse_duration("500ms") == 0.5);
  CHECK(parse_duration("0.25") == 0.25);
}

TEST_CASE("A duration that cannot be is refused") {
  const std::string text = GENERATE("", "s", "x", "10 s", " 10", "10sec", "0", "0s", "-5", "inf",
                                    "nan", "1e3", "8000000", "1000h", "+5", "1,5s");
  CAPTURE(text);
  CHECK_THROWS_AS(parse_duration(text), InvalidArgument);
}

}  // namespace
}  // namespace foldtune
