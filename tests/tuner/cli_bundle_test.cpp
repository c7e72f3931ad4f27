// foldtune bundle: what is in the file, and what is not.
#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include <filesystem>

#include "runtime/compile/kernel_cache.h"
#include "runtime/device/compiler.h"
#include "runtime/lookup/config_lookup.h"
#include "templates/family.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/tuner/program.h"
#include "tests/tuner/tuned_database.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

const Config kTuned = ReduceParams{.block_size = 512, .unroll = 2};

std::string text(const std::string& file, const std::string& query) {
  return SQLite::Database(file).execAndGet(query).getString();
}

/// The compiler that bundles are made with here: what it compiled counts as compiled as tuned.
std::string nvrtc_version() {
  try {
    return find_nvrtc().version;
  } catch (const Unavailable&) {
    return run_on().compiler;
  }
}

/// Bundles of a database.
class BundleTest {
 protected:
  Outcome bundle(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"bundle", "-o", place_.file("bundle.db")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return place_.run(arguments);
  }
  /// False, with a warning, without NVRTC.
  bool has_bundled(const Outcome& result) const {
    CAPTURE(result.out, result.err);
    if (result.exit_code == kUnavailable) {
      WARN("skipped: " << result.err);
      return false;
    }
    CHECK(result.exit_code == 0);
    return true;
  }
  std::string in_bundle(const std::string& query) const {
    return text(place_.file("bundle.db"), query);
  }

  Workplace place_;
};

TEST_CASE_METHOD(
    BundleTest,
    "bundle: the newest of what is asked for, unless others are pinned, and its kernels",
    "[kernels]") {
  RunRecord newer = run_on();
  newer.device.driver = "590.1";
  newer.compiler = nvrtc_version();
  store(place_.database(), {success(sum_of(1 << 20), with_block_size(256), {5})}, run_on());
  store(place_.database(), {success(sum_of(1 << 20), kTuned, {6}, /*round=*/2)}, newer);
  Workload warm = sum_of(1 << 20);
  warm.conditions = Conditions::warm_graph;
  const Config tuned_warm = ReduceParams{.block_size = 1024, .unroll = 2};
  store(place_.database(), {success(warm, tuned_warm, {3}, /*round=*/2)}, newer);
  store(place_.database(), {stored_sum(22, 9)}, run_on("Another GPU"));
  store(place_.database(), {with_kernels("older", stored_sum(24, 9))}, run_on());
  REQUIRE(place_.run({"pin", "--device", "test"}).exit_code == 0);
  store(place_.database(),
        {success(sum_of(1 << 20), with_block_size(128), {4}, /*round=*/3), stored_sum(18, 2)},
        newer);
  if (!has_bundled(bundle({"--device", "test", "--op", "sum"}))) return;
  CHECK(in_bundle("SELECT count(*) FROM result") == "2");
  CHECK(in_bundle("SELECT group_concat(DISTINCT device_driver) FROM result") == "590.1");
  CHECK(in_bundle("SELECT group_concat(DISTINCT architecture) FROM kernel") == "sm_90");
  CHECK(in_bundle("PRAGMA journal_mode") == "delete");

  // Programs need no compiler, whatever the count and the address.
  const ConfigLookup configs = ConfigLookup::open(
      {.database = place_.file("none.db"), .bundles = {place_.file("bundle.db")}});
  KernelCache kernels(configs.kernels());
  for (const Alignment alignment : {Alignment::vector, Alignment::element}) {
    for (int size_class = 0; size_class <= 40; ++size_class) {
      Reduction problem = sum_of(std::uint64_t{1} << size_class);
      problem.alignment = alignment;
      const Choice choice = configs.choose(newer.device, "", problem);
      CAPTURE(to_string(problem), choice.reason);
      CHECK(kernels.find(newer.device, make_program({.workload = problem, .params = choice.params}),
                         compiler_of(choice)) != nullptr);
      if (size_class == 20) CHECK(choice.params == kTuned);
    }
  }
  const Choice choice = configs.choose(newer.device, "", warm);
  CHECK(choice.params == tuned_warm);
  CHECK(kernels.find(newer.device, make_program({.workload = warm, .params = choice.params}),
                     compiler_of(choice)) != nullptr);
  CHECK(place_.run({"doctor", "--db", place_.file("bundle.db")}).exit_code == 0);
  // What is bundled already is copied, not compiled.
  place_.set("FOLDTUNE_NVRTC", "/nowhere");
  CHECK(place_.run({"bundle", "--db", place_.file("bundle.db"), "-o", place_.file("again.db")})
            .exit_code == 0);
}

TEST_CASE_METHOD(BundleTest, "bundle: what was measured here goes before what was imported later",
                 "[kernels]") {
  const Workload problem = sum_of(1 << 20);
  RunRecord theirs = run_on();
  theirs.device.driver = "590.1";
  theirs.compiler = nvrtc_version();
  store(place_.file("theirs.db"),
        {success(problem, kTuned, {3}, /*round=*/9), success(sum_of(1 << 10), kTuned, {1})},
        theirs);
  store(place_.database(), {success(problem, with_block_size(256), {5})}, run_on());
  REQUIRE(place_.run({"import", place_.file("theirs.db")}).exit_code == 0);
  const Outcome result = bundle();
  if (!has_bundled(result)) return;
  CHECK(in_bundle("SELECT count(*) FROM result") == "2");
  CHECK(in_bundle("SELECT params ->> 'block_size' FROM result WHERE bucket = '80'") == "256");
  CHECK(in_bundle("SELECT imported_from <> '' FROM result WHERE bucket = '40'") == "1");
  CHECK_THAT(result.err, ContainsSubstring("1 of the results imported"));
}

TEST_CASE_METHOD(BundleTest, "bundle: rows that are no results are left out, and that is said") {
  store(place_.database(), {stored_sum(20, 5), stored_sum(22, 9)});
  SQLite::Database(place_.database(), SQLite::OPEN_READWRITE)
      .exec("UPDATE measurement SET samples_us = '{' WHERE measurement_id = 1");
  const Outcome result = bundle();
  if (result.exit_code == kUnavailable) return;
  CHECK(result.exit_code == kDatabase);
  CHECK_THAT(result.err, ContainsSubstring("left out measurement 1: its samples_us"));
  CHECK(in_bundle("SELECT count(*) FROM result") == "1");
}

TEST_CASE_METHOD(BundleTest, "bundle: of nothing is an error, and leaves the file as it was") {
  store(place_.database(), {stored_sum(20, 5)});
  place_.write("bundle.db", "mine");
  for (const std::vector<std::string>& filter :
       {std::vector<std::string>{"--op", "max"}, {"--device", "none"}}) {
    const Outcome result = bundle(filter);
    CAPTURE(result.err);
    CHECK(result.exit_code == kUsage);
    CHECK_THAT(result.err, ContainsSubstring("nothing in ") && ContainsSubstring("foldtune show"));
    CHECK(read_file(place_.file("bundle.db")) == "mine");
  }
  CHECK(place_.run({"bundle"}).exit_code == kUsage);
  CHECK(bundle({"--db", place_.file("none.db")}).exit_code == kDatabase);
}

TEST_CASE_METHOD(BundleTest, "bundle: without NVRTC and the kernels it says what is missing") {
  store(place_.database(), {stored_sum(20, 5)});
  place_.set("FOLDTUNE_NVRTC", "/nowhere");
  const Outcome result = bundle();
  CHECK(result.exit_code == kUnavailable);
  CHECK_THAT(result.err, ContainsSubstring("NVRTC"));
  CHECK_FALSE(std::filesystem::exists(place_.file("bundle.db")));
}

TEST_CASE_METHOD(BundleTest, "bundle: kernels of custom operators are left out, and that is said") {
  MeasurementRecord custom = stored_sum(20, 5);
  custom.problem.problem = "op=mine:0123456789abcdef type=f32 accumulator=f32 result=f32";
  store(place_.database(), {custom});
  const Outcome result = bundle();
  CHECK(result.exit_code == kDatabase);
  CHECK_THAT(result.err,
             ContainsSubstring("left out the kernels of reduce op=mine:0123456789abcdef"));
}

}  // namespace
}  // namespace foldtune::test
