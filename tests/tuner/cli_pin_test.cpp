// foldtune pin and unpin: what they choose, what they print, and who says so.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

/// A sum with another configuration and time.
MeasurementRecord later_sum(int size_class, double median_us) {
  return success(sum_of(std::uint64_t{1} << size_class), with_block_size(512), {median_us},
                 kChosen + 1);
}

TEST_CASE("pin keeps what programs use now, and show and why say so") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5), stored_sum(22, 9)});
  store(place.database(), {with_kernels("older", stored_sum(24, 5))});
  const Outcome pinned = place.run({"pin"});
  CAPTURE(pinned.out, pinned.err);
  CHECK(pinned.exit_code == 0);
  CHECK_THAT(pinned.out, ContainsSubstring("pinned 2 results; 1 of other kernels than those here"));
  store(place.database(), {later_sum(20, 4)});
  const Outcome again = place.run({"pin", "--json"});
  const json report = json::parse(again.out);
  CHECK(report["pinned"] == 0);
  CHECK(report["already_pinned"] == 2);

  const Outcome shown = place.run({"show"});
  CHECK_THAT(shown.out, ContainsSubstring("pinned") && ContainsSubstring("foldtune unpin"));
  const json rows = json::parse(place.run({"show", "--json"}).out);
  REQUIRE(rows.size() == 3);
  CHECK(std::ranges::count_if(rows, [](const json& row) {
          return row["is_pinned"] == true && row["median_us"] != 4;
        }) == 2);
  const auto why = [&] {
    return place.run({"why", "--op", "sum", "--type", "f32", "--n", "2^20", "--device", "h200"})
        .out;
  };
  CHECK_THAT(why(), ContainsSubstring("block_size=256") && ContainsSubstring(", pinned"));
  CHECK_THAT(place.run({"unpin"}).out, ContainsSubstring("unpinned 2 results\n"));
  CHECK_THAT(why(), ContainsSubstring("block_size=512") && !ContainsSubstring("pinned"));
}

TEST_CASE("pin and unpin take the options that choose rows") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5)});
  store(place.database(), {stored_sum(20, 5)}, run_on("NVIDIA H100"));
  CHECK_THAT(place.run({"pin", "--op", "max"}).out,
             ContainsSubstring("pinned 0 results: nothing that was chosen matches"));
  CHECK_THAT(place.run({"pin", "--device", "h100"}).out, ContainsSubstring("pinned 1 result\n"));
  CHECK_THAT(place.run({"unpin", "--device", "h200"}).out,
             ContainsSubstring("unpinned 0 results\n"));
  CHECK(json::parse(place.run({"unpin", "--op", "sum", "--json"}).out)["unpinned"] == 1);
}

TEST_CASE("of several drivers' results pin takes the one that is used, else the newest") {
  const Workplace place;
  RunRecord newer = run_on("NVIDIA H200");
  newer.device.driver = "590.1";
  store(place.database(), {stored_sum(20, 5)});
  store(place.database(), {later_sum(20, 6)}, newer);
  CHECK_THAT(place.run({"pin"}).out, ContainsSubstring("pinned 1 result\n"));
  for (const json& row : json::parse(place.run({"show", "--json"}).out)) {
    CHECK(row["is_pinned"] == (row["median_us"] == 6));
  }
}

TEST_CASE("pin and unpin want a database") {
  const Workplace place;
  for (const char* const verb : {"pin", "unpin"}) {
    const Outcome none = place.run({verb});
    CHECK(none.exit_code == kDatabase);
    CHECK_THAT(none.err, ContainsSubstring("no such file"));
  }
}

}  // namespace
}  // namespace foldtune::test
