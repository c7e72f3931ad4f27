// A file of what was looked up: it holds for the very databases that it was made over.
#include "cache/lookup_memo.h"

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "cache/hash.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

TEST_CASE("Fields: they come back in their order, whatever they hold") {
  const std::string text = serialised_field("a", "1:2;b=3:x;") + serialised_field("b", "") +
                           serialised_field("c", std::int64_t{-7});
  std::string_view rest = text;
  CHECK(take_field(rest, "a") == "1:2;b=3:x;");
  CHECK_FALSE(take_field(rest, "c"));
  CHECK(take_field(rest, "b") == "");
  CHECK(take_field(rest, "c") == "-7");
  CHECK(rest.empty());
  CHECK_FALSE(take_field(rest, "c"));
}

TEST_CASE("Fields: one that is cut off is none") {
  const std::string text = serialised_field("name", "value");
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes) {
    std::string_view rest = std::string_view(text).substr(0, bytes);
    CHECK_FALSE(take_field(rest, "name"));
    CHECK(rest.size() == bytes);
  }
  std::string_view huge = "name=18446744073709551615:x;";
  CHECK_FALSE(take_field(huge, "name"));
}

class LookupMemoTest {
 protected:
  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  void put(const std::string& key, const std::string& value) {
    LookupMemo(database_, {}, kSettled).put(key, value);
  }
  std::optional<std::string> find(const std::string& key) {
    return LookupMemo(database_, {}, kSettled).find(key);
  }
  /// Shorter than programs wait, and longer than a tick of the file system's clock.
  static constexpr std::chrono::milliseconds kSettled{50};
  static void settle() { std::this_thread::sleep_for(kSettled * 2); }
  bool has_entries(const std::vector<std::string>& bundles = {}) {
    return LookupMemo(database_, bundles, kSettled).has_entries();
  }

  const TemporaryFolder folder_;
  const std::string database_ = (folder_.path() / "tuning.db").string();
  const std::string memo_ = database_ + "-memo";
};

TEST_CASE_METHOD(LookupMemoTest, "Lookup memo: it holds as long as the database stays as it is") {
  write(database_, "a database");
  put("key", "too early");
  CHECK_FALSE(std::filesystem::exists(memo_));
  settle();
  CHECK_FALSE(has_entries());
  const std::string value("a\0b;", 4);
  put("key", value);
  CHECK(has_entries());
  CHECK(find("key") == value);
  CHECK_FALSE(find("other"));
  struct stat status {};
  REQUIRE(::stat(memo_.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);

  SECTION("what was there stays beside what comes") {
    put("other", "value");
    CHECK(find("key") == value);
    CHECK(find("other") == "value");
  }
  SECTION("what was put is replaced") {
    put("key", "new");
    CHECK(find("key") == "new");
  }
  SECTION("the database is changed") {
    write(database_, "A database");
    CHECK_FALSE(find("key"));
  }
  SECTION("the database is changed while a memo is open") {
    LookupMemo memo(database_, {}, kSettled);
    write(database_, "A database");
    settle();
    memo.put("key", "old");
    memo.save();
    CHECK_FALSE(find("key"));
  }
  SECTION("the database is replaced by an equal one") {
    write(database_ + ".new", "a database");
    std::filesystem::rename(database_ + ".new", database_);
    CHECK_FALSE(find("key"));
  }
  SECTION("the database has a log") {
    write(database_ + "-wal", "");
    CHECK(find("key"));
    write(database_ + "-wal", "a log");
    CHECK_FALSE(find("key"));
  }
  SECTION("with a bundle it is another memo") { CHECK_FALSE(has_entries({database_ + ".bundle"})); }
  SECTION("damage is found, wherever it is") {
    const std::string whole = read(memo_);
    for (std::size_t place = 0; place < whole.size(); ++place) {
      std::string damaged = whole;
      damaged[place] ^= 1;
      write(memo_, damaged);
      CHECK_FALSE(has_entries());
      write(memo_, whole.substr(0, place));
      CHECK_FALSE(has_entries());
    }
  }
  SECTION("one that others may write is not read") {
    ::chmod(memo_.c_str(), 0622);
    CHECK_FALSE(find("key"));
  }
  SECTION("a symbolic link is not followed") {
    std::filesystem::rename(memo_, memo_ + ".real");
    std::filesystem::create_symlink(memo_ + ".real", memo_);
    CHECK_FALSE(find("key"));
  }
  SECTION("it does not grow without bounds") {
    LookupMemo memo(database_, {}, kSettled);
    for (int i = 0; i < 40; ++i) memo.put(std::to_string(i), std::string(100'000, 'x'));
    memo.save();
    CHECK(std::filesystem::file_size(memo_) <= LookupMemo::kMostBytes);
    CHECK(has_entries());
  }
}

TEST_CASE_METHOD(LookupMemoTest, "Lookup memo: none is left where others may change the database") {
  write(database_, "a database");
  ::chmod(database_.c_str(), 0666);
  settle();
  put("key", "value");
  CHECK_FALSE(std::filesystem::exists(memo_));
}

TEST_CASE_METHOD(LookupMemoTest, "Lookup memo: a folder that is not there is no error") {
  LookupMemo memo(database_ + "/none/tuning.db", {});
  memo.put("key", "value");
  memo.save();
  CHECK(memo.find("key") == "value");
}

}  // namespace
}  // namespace foldtune::test
