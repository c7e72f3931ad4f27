// foldtune prune: its rules, what it prints, and what it refuses.
#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("prune --stale removes what was measured with other kernels, a dry run nothing") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5)});
  RunRecord stale = run_on("NVIDIA H100");
  stale.template_fingerprint = "older";
  store(place.database(), {stored_sum(20, 5), stored_sum(22, 9)}, stale);
  const std::string group =
      "NVIDIA H100 (driver 580.1), nvrtc 13.0, kernels of another version of Foldtune: "
      "2 measurements of 2 problems";
  const Outcome dry = place.run({"prune", "--stale", "--dry-run"});
  CAPTURE(dry.out, dry.err);
  CHECK(dry.exit_code == 0);
  CHECK_THAT(dry.out, ContainsSubstring(group));
  CHECK_THAT(dry.out, ContainsSubstring("would remove 2 measurements"));
  const Outcome wet = place.run({"prune", "--stale"});
  CHECK(wet.exit_code == 0);
  CHECK_THAT(wet.out, ContainsSubstring(group));
  CHECK_THAT(wet.out, ContainsSubstring("\nremoved 2 measurements"));
  CHECK_THAT(place.run({"prune", "--stale"}).out, ContainsSubstring("removed 0 measurements"));
  CHECK_THAT(place.run({"check"}).out, ContainsSubstring("is sound: 1 measurement"));
}

TEST_CASE("prune --older-than keeps the best, and --device does not") {
  const Workplace place;
  store(place.database(), {stored_sum(20, 5), stored_sum(20, 4)});
  CHECK_THAT(place.run({"prune", "--older-than", "1"}).out,
             ContainsSubstring("removed 0 measurements\n"));
  std::this_thread::sleep_for(std::chrono::seconds(2));
  CHECK_THAT(place.run({"prune", "--older-than", "0.00001"}).out,
             ContainsSubstring("removed 1 measurement; 1 more stays"));
  CHECK_THAT(place.run({"prune", "--device", "h200"}).out,
             ContainsSubstring("removed 1 measurement\n"));
}

TEST_CASE("prune wants a rule, and a database") {
  const Workplace place;
  const Outcome none = place.run({"prune"});
  CHECK(none.exit_code == kUsage);
  CHECK_THAT(none.err, ContainsSubstring("--older-than, --device or --stale"));
  CHECK(place.run({"prune", "--device", ""}).exit_code == kUsage);
  CHECK(place.run({"prune", "--older-than", "-1"}).exit_code == kUsage);
  CHECK(place.run({"prune", "--stale"}).exit_code == kDatabase);
  CHECK_FALSE(std::filesystem::exists(place.database()));
}

}  // namespace
}  // namespace foldtune::test
