// What is opened, what is refused, and that nothing is harmed by either.
#include <SQLiteCpp/Database.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "cache/prune.h"
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
  CHECK(database.execAndGet("PRAGMA user_version").getInt() == 12);
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
                     "PRAGMA user_version = 12", "CREATE TABLE t (a); PRAGMA user_version = 1"));
  const std::string bytes = content(file);
  CHECK(contains(error_of_opening(file), "another program"));
  CHECK(contains(error_of_opening(file, OpenMode::read_only), "another program"));
  CHECK((content(file) == bytes));
}

TEST_CASE("a database of another version is refused, with what to do, and left as it is") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  open_sqlite_store(file, OpenMode::read_write);
  const int version = GENERATE(0, 5, 99);
  make_database(file, fmt::format("PRAGMA user_version = {}", version));
  const std::string bytes = content(file);
  for (const OpenMode mode : {OpenMode::read_write, OpenMode::read_only}) {
    const std::string error = error_of_opening(file, mode);
    CHECK(contains(error, fmt::format("of version {}", version)));
    CHECK(contains(error, "reads version 12 alone"));
    CHECK(contains(error, "--db"));
    CHECK(contains(error, "export"));
    CHECK((content(file) == bytes));
    CHECK(content(file + "-wal").empty());
  }
}

TEST_CASE("a damaged database is refused, and left as it is") {
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
  const OpenMode mode = GENERATE(OpenMode::read_write, OpenMode::read_only);
  CHECK(contains(error_of_opening(file, mode), "it is damaged"));
  CHECK((content(file) == bytes));
  CHECK(content(file + "-wal").empty());
  // Where it is not looked through, as for a look-up, to read it is an error.
  const auto store = open_sqlite_store(file, OpenMode::read_only, {.inspect = false});
  CHECK(contains(error_of([&] { store->measurements(); }), "malformed"));
  CHECK(contains(error_of([&] { find(*store, key_of_size(20)); }), ".recover"));
}

TEST_CASE("a row that is gone from its table is damage, though SQLite reads the rest") {
  constexpr int kPageBytes = 4096;
  constexpr int kCellCountPlace = 4;  // The lower byte of the number of rows on a page.
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  {
    const auto store = open_sqlite_store(file, OpenMode::read_write);
    store->put(store->begin_run(run_on(device())), success(20, "{}", 5));
  }
  const int page = SQLite::Database(file)
                       .execAndGet("SELECT rootpage FROM sqlite_schema WHERE name = 'measurement'")
                       .getInt();
  std::string bytes = content(file);
  char& rows = bytes.at(static_cast<std::size_t>((page - 1) * kPageBytes + kCellCountPlace));
  REQUIRE(rows == 1);
  rows = 0;
  write(file, bytes);
  const char* const kRows = "SELECT count(*) FROM measurement NOT INDEXED";
  CHECK(SQLite::Database(file).execAndGet(kRows).getInt() == 0);
  const OpenMode mode = GENERATE(OpenMode::read_write, OpenMode::read_only);
  CHECK(contains(error_of_opening(file, mode), "it is damaged ("));
  CHECK((content(file) == bytes));
}

/// A database with a result of params 1, a better one of params 2, and what `sql` does to it.
std::string hostile_database(const TemporaryFolder& folder, const std::string& sql) {
  std::string file = folder.file("tuning.db");
  {
    const auto store = open_sqlite_store(file, OpenMode::read_write);
    const auto run = store->begin_run(run_on(device()));
    store->put(run, success(20, R"({"id":1})", 5));
    store->put(run, success(20, R"({"id":2})", 4));
  }
  make_database(file, sql);
  return file;
}

constexpr const char* kEndless =
    " AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS "
    "measurement_id, * FROM n";

TEST_CASE("views and triggers that are not the schema's are never run, and nothing is written") {
  const TemporaryFolder folder;
  std::string object;
  std::string sql;
  SECTION("a view that is empty") {
    object = "view best";
    sql = "DROP VIEW best; CREATE VIEW best AS SELECT * FROM result LIMIT 0";
  }
  SECTION("a view that never ends") {
    object = "view best";
    sql = fmt::format("DROP VIEW best; CREATE VIEW best{}", kEndless);
  }
  SECTION("the other view") {
    object = "view result";
    sql = fmt::format("DROP VIEW result; CREATE VIEW result{}", kEndless);
  }
  SECTION("a trigger") {
    object = "trigger thief";
    sql = "CREATE TRIGGER thief AFTER INSERT ON measurement BEGIN DELETE FROM measurement; END";
  }
  SECTION("an index of an expression") {
    object = "index mine";
    sql = "CREATE INDEX mine ON measurement (abs(median_us))";
  }
  SECTION("no index") {
    object = "index measurement_by_choice";
    sql = "DROP INDEX measurement_by_choice";
  }
  const std::string file = hostile_database(folder, sql);
  std::vector<std::string> notes;
  const Notify notify = [&](const std::string& text) { notes.push_back(text); };
  const auto store = open_sqlite_store(file, OpenMode::read_only, {.notify = notify});
  REQUIRE(notes.size() == 1);
  CHECK(contains(notes[0], "its " + object + " is"));
  REQUIRE(store->best().size() == 1);
  CHECK(store->best().front().measurement.params == R"({"id":2})");
  CHECK(store->measurements().size() == 2);
  CHECK(found_params(*store, key_of_size(20)) == R"({"id":2})");
  const std::string before = content(file);
  CHECK(contains(error_of_opening(file), object));
  CHECK(contains(error_of([&] { prune_database(file, {.before = "2100-01-01T00:00:00Z"}); }),
                 object));
  CHECK((content(file) == before));
}

TEST_CASE("a table that is something else is refused, and no look-up hangs on it") {
  const TemporaryFolder folder;
  std::string sql;
  SECTION("a view that never ends") {
    sql = fmt::format(
        "DROP VIEW best; DROP VIEW result; ALTER TABLE problem RENAME TO hidden; "
        "CREATE VIEW problem{}",
        kEndless);
  }
  SECTION("a generated column") {
    sql = "ALTER TABLE config ADD COLUMN more TEXT AS (hex(zeroblob(100000)))";
  }
  const std::string file = hostile_database(folder, sql);
  CHECK(contains(error_of_opening(file, OpenMode::read_only), "its table"));
  CHECK(contains(error_of_opening(file), "its "));
  const auto store = open_sqlite_store(file, OpenMode::read_only, {.inspect = false});
  const std::string error = error_of([&] { find(*store, key_of_size(20)); });
  CHECK((error == "no error" || contains(error, "cannot look up")));
}

TEST_CASE("a database of any other version, and of another program, is refused and left") {
  const TemporaryFolder folder;
  const std::string file = hostile_database(folder, "");
  const std::string sound = content(file);
  for (const int number : {-1, 0, 1, 0x7fffffff, -0x7fffffff - 1}) {
    for (const std::string name : {"user_version", "application_id"}) {
      CAPTURE(name, number);
      write(file, sound);
      make_database(file, fmt::format("PRAGMA {} = {}", name, number));
      const std::string before = content(file);
      for (const OpenMode mode : {OpenMode::read_write, OpenMode::read_only}) {
        const std::string error = error_of_opening(file, mode);
        CHECK(contains(error, "cannot open"));
        CHECK(contains(error, "--db"));
        if (name == "user_version") CHECK(contains(error, fmt::format("of version {}", number)));
        CHECK((content(file) == before));
      }
    }
  }
}

TEST_CASE("a file that is removed, replaced or overwritten while it is written to is told") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  const auto store = open_sqlite_store(file, OpenMode::read_write);
  const auto run = store->begin_run(run_on(device()));
  store->put(run, success(20, R"({"id":1})", 5));
  store->require_in_place();
  bool is_saved = true;
  SECTION("removed") { fs::remove(file); }
  SECTION("removed with its log") {
    for (const char* const end : {"", "-wal", "-shm"}) fs::remove(file + end);
  }
  SECTION("renamed") { fs::rename(file, folder.file("else.db")); }
  SECTION("replaced") {
    write(folder.file("new"), "something else");
    fs::rename(folder.file("new"), file);
  }
  SECTION("overwritten") {
    is_saved = false;
    write(file, std::string(8192, 'x'));
  }
  SECTION("emptied") {
    is_saved = false;
    write(file, "");
  }
  const auto check = [&](const std::string& error, std::size_t rows) {
    CAPTURE(error);
    CHECK(contains(error, file + " was "));
    CHECK(contains(error, "while it was in use"));
    if (!is_saved) return;
    REQUIRE(contains(error, "is saved in "));
    const std::size_t begin = error.find(file + ".");
    const std::string saved = error.substr(begin, error.find(": move") - begin);
    CHECK(open_sqlite_store(saved, OpenMode::read_only)->measurements().size() == rows);
  };
  check(error_of([&] { store->require_in_place(); }), 1);  // whatever was written last
  check(error_of([&] { store->put(run, success(20, R"({"id":2})", 4)); }), 2);
}

TEST_CASE("rows that are no measurements are left out with one note") {
  const TemporaryFolder folder;
  const std::string file =
      hostile_database(folder, "UPDATE config SET params = 'no JSON' WHERE config_id = 2");
  std::vector<std::string> notes;
  const Notify notify = [&](const std::string& text) { notes.push_back(text); };
  const auto store = open_sqlite_store(file, OpenMode::read_only, {.notify = notify});
  CHECK(store->measurements().size() == 1);
  REQUIRE(notes.size() == 1);
  CHECK(contains(notes[0], "measurement 2: its params are not a JSON object"));
}

TEST_CASE("a log beside an empty file is left as it is") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  write(file, "");
  write(file + "-wal", "measurements");
  const OpenMode mode = GENERATE(OpenMode::read_write, OpenMode::read_only);
  CHECK(contains(error_of_opening(file, mode), "tuning.db-wal"));
  CHECK(content(file).empty());
  CHECK(content(file + "-wal") == "measurements");
}

TEST_CASE("the log of a database that is refused is not brought into it") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  open_sqlite_store(file, OpenMode::read_write);
  {
    SQLite::Database database(file, SQLite::OPEN_READWRITE);
    database.exec("PRAGMA user_version = 99");
    fs::copy(file, folder.file("copy.db"));
    fs::copy(file + "-wal", folder.file("copy.db-wal"));
  }
  const std::string bytes = content(folder.file("copy.db"));
  const std::string log = content(folder.file("copy.db-wal"));
  REQUIRE_FALSE(log.empty());
  CHECK(contains(error_of_opening(folder.file("copy.db")), "version 99"));
  CHECK((content(folder.file("copy.db")) == bytes));
  CHECK((content(folder.file("copy.db-wal")) == log));
}

TEST_CASE("a path that others can write to, or lead elsewhere, is used with a note") {
  const TemporaryFolder folder;
  std::string file = folder.file("tuning.db");
  open_sqlite_store(file, OpenMode::read_write);
  std::string what;
  SECTION("a symbolic link") {
    what = "is a symbolic link to " + file;
    fs::create_symlink(file, folder.file("link.db"));
    file = folder.file("link.db");
  }
  SECTION("a file") {
    what = "may write to the tuning database";
    ::chmod(file.c_str(), 0606);
  }
  SECTION("a folder") {
    what = "may write to the folder " + folder.path().string();
    ::chmod(folder.path().c_str(), 0777);
  }
  SECTION("a folder whose files others cannot delete") {
    what = "may write to the folder " + folder.path().string();
    ::chmod(folder.path().c_str(), 01777);
  }
  for (const OpenMode mode : {OpenMode::read_write, OpenMode::read_only}) {
    std::vector<std::string> notes;
    open_sqlite_store(file, mode,
                      {.notify = [&](const std::string& text) { notes.push_back(text); }});
    REQUIRE(notes.size() == 1);
    CHECK(contains(notes[0], what));
  }
}

TEST_CASE("a path that is this user's alone gives no note") {
  const TemporaryFolder folder;
  std::vector<std::string> notes;
  const Notify notify = [&](const std::string& text) { notes.push_back(text); };
  open_sqlite_store(folder.file("a/tuning.db"), OpenMode::read_write, {.notify = notify});
  CHECK(notes.empty());
}

TEST_CASE("reading only: a missing file is an error, and is not created") {
  const TemporaryFolder folder;
  const std::string file = folder.file("none/tuning.db");
  CHECK(contains(error_of_opening(file, OpenMode::read_only), "no such file"));
  CHECK_FALSE(fs::exists(folder.path() / "none"));
}

TEST_CASE("reading only: an empty file is an error that says what to do, and stays empty") {
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
