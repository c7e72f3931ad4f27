// A database that cannot be used costs the tuned configurations, a bounded wait, and a note.
#include "runtime/lookup/config_lookup.h"

#include <SQLiteCpp/Database.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <vector>

#include "cache/pin.h"
#include "runtime/support/temporary_folder.h"
#include "templates/reduce/space.h"
#include "templates/space.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tests/runtime/broken_store.h"
#include "tests/runtime/tuned_store.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

const Reduction kProblem{.op = Operator::sum, .type = ElementType::f32, .count = 1 << 20};
const Config kTuned = ReduceParams{.block_size = 512, .unroll = 8};

class TunedConfigsTest {
 protected:
  Choice choose(const ConfigLookup& configs) {
    return configs.choose(device_.info().record, device_.compiler().version(), kProblem);
  }
  ConfigLookup open() {
    return ConfigLookup::open(path_, [this](const std::string& note) { notes_.push_back(note); });
  }
  void make_database() {
    const auto store = open_sqlite_store(path_, OpenMode::read_write);
    put_success(*store, device_, kProblem, kTuned);
  }
  void check_untuned(const Choice& choice) {
    CHECK_FALSE(choice.match);
    CHECK(choice.params ==
          Space(kProblem).default_params(device_.info().record.multiprocessor_count));
  }

  FakeDevice device_;
  TemporaryFolder folder_;
  std::string path_ = (folder_.path() / "tuning.db").string();
  std::vector<std::string> notes_;
};

TEST_CASE_METHOD(TunedConfigsTest,
                 "Tuned configurations: a sound database is used without a note") {
  make_database();
  CHECK(choose(open()).params == kTuned);
  CHECK(notes_.empty());
}

TEST_CASE_METHOD(TunedConfigsTest,
                 "Tuned configurations: of a pinned problem neither bundles nor other results") {
  make_database();
  const std::string bundle = (folder_.path() / "bundle.db").string();
  Reduction other = kProblem;
  other.count = 1 << 10;
  put_success(*open_sqlite_store(bundle, OpenMode::read_write), device_, other, kTuned);
  const auto choose_other = [&](bool only_pinned) {
    return ConfigLookup::open(
               TunedSources{.database = path_, .bundles = {bundle}, .only_pinned = only_pinned})
        .choose(device_.info().record, device_.compiler().version(), other);
  };
  CHECK(choose_other(false).params == kTuned);
  CHECK(choose_other(true).params == kTuned);  // of the bundle: nothing is pinned
  const Choice unpinned = ConfigLookup::open(TunedSources{.database = path_, .only_pinned = true})
                              .choose(device_.info().record, "", kProblem);
  CHECK_FALSE(unpinned.match);
  CHECK_THAT(unpinned.reason, ContainsSubstring("is pinned, and the context takes pinned"));
  pin_measurements(path_, {1});
  for (const bool only_pinned : {false, true}) {
    const Choice choice = choose_other(only_pinned);
    CHECK_FALSE(choice.match);
    CHECK(choice.has_pins);
    CHECK_THAT(choice.reason, ContainsSubstring("pinned at other sizes or for other conditions"));
  }
  const Choice pinned = choose(open());
  CHECK(pinned.params == kTuned);
  CHECK(pinned.has_pins);
}

TEST_CASE_METHOD(TunedConfigsTest, "Tuned configurations: no database is no note") {
  check_untuned(choose(open()));
  CHECK(notes_.empty());
}

TEST_CASE_METHOD(TunedConfigsTest, "Tuned configurations: of an unusable database there are none") {
  std::string what;
  SECTION("cut off in its header") {
    make_database();
    std::filesystem::resize_file(path_, 70);
    what = "cannot open";
  }
  SECTION("cut off in its pages") {
    make_database();
    std::filesystem::resize_file(path_, 8192);
    what = "malformed";
  }
  SECTION("of a newer schema") {
    make_database();
    SQLite::Database(path_, SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
    what = "version 99";
  }
  SECTION("a folder") {
    std::filesystem::create_directory(path_);
    what = "it is a folder";
  }
  const ConfigLookup configs = open();
  for (int i = 0; i < 3; ++i) {
    const Choice choice = choose(configs);
    check_untuned(choice);
    CHECK_THAT(choice.reason, ContainsSubstring(what));
  }
  REQUIRE(notes_.size() == 1);
  CHECK_THAT(notes_[0], ContainsSubstring("running untuned") && ContainsSubstring(what));
}

TEST_CASE_METHOD(TunedConfigsTest,
                 "Tuned configurations: a store that fails later is a note, too") {
  const ConfigLookup configs(std::make_shared<BrokenStore>(),
                             [this](const std::string& note) { notes_.push_back(note); });
  const Choice choice = choose(configs);
  check_untuned(choice);
  CHECK(choice.reason == "broken");
  REQUIRE(notes_.size() == 1);
  CHECK_THAT(notes_[0], ContainsSubstring("broken"));
}

TEST_CASE_METHOD(TunedConfigsTest, "Tuned configurations: a locked database is not waited for") {
  make_database();
  const bool is_open_before = GENERATE(true, false);
  const auto before = is_open_before ? std::make_optional(open()) : std::nullopt;
  SQLite::Database other(path_, SQLite::OPEN_READWRITE);
  if (!is_open_before) other.exec("PRAGMA locking_mode = EXCLUSIVE");
  other.exec("PRAGMA journal_mode; BEGIN EXCLUSIVE");

  const auto begin = std::chrono::steady_clock::now();
  const Choice choice = choose(before ? *before : open());
  // Far below what everything else waits, and far above what it takes here.
  CHECK(std::chrono::steady_clock::now() - begin < 6 * kLookupPatience);
  if (is_open_before) {
    CHECK(choice.params == kTuned);  // Readers wait for no writer.
  } else {
    check_untuned(choice);
    REQUIRE(notes_.size() == 1);
    CHECK_THAT(notes_[0], ContainsSubstring("another process keeps it locked"));
  }
}

}  // namespace
}  // namespace foldtune::test
