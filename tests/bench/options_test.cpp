// The command line of foldtune_bench.
#include "bench/options.h"

#include <filesystem>
#include <vector>

#include "foldtune/error.h"
#include "tests/catch.h"
#include "tuner/files/file_error.h"

namespace foldtune::bench::test {
namespace {

using Catch::Matchers::ContainsSubstring;

/// With --list, no database is looked for.
Options parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), {"foldtune_bench", "--list"});
  const ParsedOptions parsed = parse_options(static_cast<int>(arguments.size()), arguments.data());
  REQUIRE(parsed.run);
  return parsed.options;
}

TEST_CASE("All that is given nothing else for is the whole matrix, but nothing with shapes") {
  const Options options = parse({});
  CHECK(options.cases.size() == 34);
  CHECK(options.sizes.front() == Size{.count = 1024});
  CHECK(options.sizes.back() == Size{.count = 1 << 30});
  CHECK(options.manners ==
        std::vector{Manner::rotating, Manner::hot, Manner::stream, Manner::latency});
  CHECK(!options.budget);
}

TEST_CASE("Sizes are ascending, first those of aligned inputs") {
  const Options options = parse({"--n", "2^12,1000", "--misaligned", "2^11,5"});
  CHECK(options.sizes == std::vector<Size>{{1000, Alignment::vector},
                                           {4096, Alignment::vector},
                                           {5, Alignment::element},
                                           {2048, Alignment::element}});
}

TEST_CASE("Cases, manners, a budget and reports are taken as they are given") {
  const Options options = parse({"--case", "sum i8 -> i32,max f32", "--manner", "stream,graph",
                                 "--budget", "2m", "--from", "a.json", "b.json", "--check"});
  CHECK(options.cases.size() == 2);
  CHECK(options.manners == std::vector{Manner::stream, Manner::rotating});
  CHECK(options.budget == 120);
  CHECK(options.from == std::vector<std::string>{"a.json", "b.json"});
  CHECK(options.check);
  CHECK_THAT(options.command, ContainsSubstring("--case 'sum i8 -> i32,max f32' --manner"));
}

TEST_CASE("Cases along axes are chosen by words and by sizes") {
  const Options options =
      parse({"--family", "axis", "--op", "sum,max", "--type", "f32", "--direction", "rows",
             "--size", "2^20,2^26", "--length", "2..8:2"});
  REQUIRE(options.cases.size() == 4);
  CHECK(options.cases[0].name == "sum f32 rows 2^26");
  CHECK(options.cases[0].shapes.size() == 3);
}

TEST_CASE("Cases of segments are chosen by how long these are") {
  const Options options = parse({"--family", "segments", "--op", "sum", "--type", "f32",
                                 "--direction", "uniform,equal", "--length", "1000,16K"});
  REQUIRE(options.cases.size() == 2);
  CHECK(options.cases[0].name == "sum f32 uniform");
  CHECK(options.cases[0].shapes == std::vector<Shape>{{{67108, 1 << 26}}, {{4096, 1 << 26}}});
  CHECK(options.cases[1].name == "sum f32 equal");
}

TEST_CASE("What cannot be is refused before anything is measured") {
  CHECK_THROWS_WITH(parse({"--n", "2^31"}), ContainsSubstring("32-bit"));
  CHECK_THROWS_WITH(parse({"--n", "2^12", "--misaligned", "2^33"}), ContainsSubstring("32-bit"));
  const char* const no_yardstick[] = {"foldtune_bench", "--list", "--yardstick", "no/such.db"};
  CHECK_FALSE(parse_options(4, no_yardstick).run);
  CHECK_THROWS_WITH(parse({"--manner", "cold"}), ContainsSubstring("no manner 'cold'"));
  CHECK_THROWS_AS(parse({"--json", "no/such/folder/report.json"}), FileError);
  const char* const no_database[] = {"foldtune_bench", "--db", "no/such/database.db"};
  CHECK_THROWS_AS(parse_options(3, no_database), DatabaseError);
}

}  // namespace
}  // namespace foldtune::bench::test
