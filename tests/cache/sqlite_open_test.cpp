// What is opened, what is refused, and that nothing is harmed by either.
#include <SQLiteCpp/Database.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "tests/cache/records.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

namespace fs = std::filesystem;

std::string error_of_opening(const std::string& path, OpenMode mode = OpenMode::read_write) {
  return error_of([&] { open_sqlite_store(path, mode); });
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

unsigned mode_bits(const fs::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777U;
}

void make_database(const std::string& path, const std::string& sql) {
  SQLite::Database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
}

TEST_CASE("a missing file is created with its folders, for this user alone") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "a" / "b" / "tuning.db";
  const auto store = open_sqlite_store(file.string(), OpenMode::read_write);
  store->begin_run(run_on(device()));
  CHECK(mode_bits(folder.path() / "a") == 0700U);
  CHECK(mode_bits(folder.path() / "a" / "b") == 0700U);
  CHECK(mode_bits(file) == 0600U);
  CHECK(mode_bits(file.string() + "-wal") == 0600U);
}

TEST_CASE("what was put is there after the store is closed and opened again") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  {
    const auto store = open_sqlite_store(file, OpenMode::read_write);
    store->put(store->begin_run(run_on(device())), success(20, R"({"id":1})", 5));
  }
  const auto again = open_sqlite_store(file, OpenMode::read_write);
  CHECK(found_params(*again, key_of_size(20)) == R"({"id":1})");
  again->put(again->begin_run(run_on(device())), success(20, R"({"id":2})", 4));
  CHECK(found_params(*open_sqlite_store(file, OpenMode::read_only), key_of_size(20)) ==
        R"({"id":2})");
}

TEST_CASE("an empty file of version 0 becomes a database of the current version") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  SECTION("of no bytes") { write(file, ""); }
  SECTION("of SQLite, with nothing in it") { make_database(file, "VACUUM"); }
  { open_sqlite_store(file, OpenMode::read_write)->begin_run(run_on(device())); }
  SQLite::Database database(file);
  CHECK(database.execAndGet("PRAGMA user_version").getInt() == 4);
  CHECK(database.execAndGet("PRAGMA application_id").getInt() == 0x464C4454);
  CHECK(database.execAndGet("PRAGMA journal_mode").getString() == "wal");
  CHECK(database.execAndGet("PRAGMA integrity_check").getString() == "ok");
}

TEST_CASE("names that SQLite takes for something else are plain file names here") {
  const TemporaryFolder folder;
  const fs::path old = fs::current_path();
  fs::current_path(folder.path());
  const std::string name =
      GENERATE(as<std::string>{}, ":memory:", "file:x.db?mode=memory", "a b%20#");
  const std::string error = error_of_opening(name);
  const bool is_there = fs::exists(folder.path() / name);
  fs::current_path(old);
  CHECK(error == "no error");
  CHECK(is_there);
}

TEST_CASE("an empty path, a folder, and a path through a file are refused") {
  const TemporaryFolder folder;
  write(folder.file("file"), "text");
  CHECK(contains(error_of_opening(""), "empty"));
  CHECK(contains(error_of_opening(folder.path().string()), "it is a folder"));
  CHECK(contains(error_of_opening(folder.path().string(), OpenMode::read_only), "it is a folder"));
  CHECK(contains(error_of_opening(folder.file("file/tuning.db")), "Not a directory"));
  CHECK(contains(error_of_opening(folder.file("file/a/tuning.db")), "Not a directory"));
  CHECK(contains(error_of_opening("/dev/null"), "not a regular file"));
  CHECK(content(folder.file("file")) == "text");
}

TEST_CASE("a file that is no database is refused, and left as it is") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  const std::string bytes =
      GENERATE(as<std::string>{}, "x", std::string(100, '\0'), std::string(20000, 'g'));
  const OpenMode mode = GENERATE(OpenMode::read_write, OpenMode::read_only);
  write(file, bytes);
  CHECK(contains(error_of_opening(file, mode), "file is not a database"));
  CHECK((content(file) == bytes));
}

TEST_CASE("another program's database is refused, and left as it is") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  make_database(
      file, GENERATE(as<std::string>{}, "CREATE TABLE bookmark (url)", "PRAGMA application_id = 7",
                     "PRAGMA user_version = 7", "CREATE TABLE t (a); PRAGMA user_version = 1"));
  const std::string bytes = content(file);
  CHECK(contains(error_of_opening(file), "another program"));
  CHECK(contains(error_of_opening(file, OpenMode::read_only), "another program"));
  CHECK((content(file) == bytes));
}

TEST_CASE("a database of a newer schema is refused, with what to do, and left as it is") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  open_sqlite_store(file, OpenMode::read_write);
  make_database(file, "PRAGMA user_version = 99");
  const std::string bytes = content(file);
  const std::string error =
      error_of_opening(file, GENERATE(OpenMode::read_write, OpenMode::read_only));
  CHECK(contains(error, "version 99"));
  CHECK(contains(error, "upgrade Foldtune"));
  CHECK(contains(error, "--db"));
  CHECK((content(file) == bytes));
}

TEST_CASE("a damaged database is an error, not an empty store") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  {
    const auto store = open_sqlite_store(file, OpenMode::read_write);
    store->put(store->begin_run(run_on(device())), success(20, "{}", 5));
  }
  constexpr std::size_t kPageBytes = 4096;
  std::string bytes = content(file);
  std::fill(bytes.begin() + kPageBytes, bytes.end(), '\x5a');
  write(file, bytes);
  const auto store = open_sqlite_store(file, OpenMode::read_only);
  CHECK(contains(error_of([&] { store->measurements(); }), "malformed"));
  CHECK(contains(error_of([&] { store->find(key_of_size(20)); }), ".recover"));
}

TEST_CASE("reading only: a missing file is an error, and is not created") {
  const TemporaryFolder folder;
  const std::string file = folder.file("none/tuning.db");
  CHECK(contains(error_of_opening(file, OpenMode::read_only), "no such file"));
  CHECK_FALSE(fs::exists(folder.path() / "none"));
}

TEST_CASE("reading only: an older schema is an error that says what to do, and is not migrated") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  write(file, "");
  CHECK(contains(error_of_opening(file, OpenMode::read_only), "tune with it once"));
  CHECK(content(file).empty());
}

TEST_CASE("reading only: nothing can be put") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  open_sqlite_store(file, OpenMode::read_write)->begin_run(run_on(device()));
  const auto store = open_sqlite_store(file, OpenMode::read_only);
  CHECK(contains(error_of([&] { store->begin_run(run_on(device())); }), "reading only"));
  CHECK(contains(error_of([&] { store->put(1, success(20, "{}", 5)); }), "reading only"));
}

}  // namespace
}  // namespace foldtune::test
