// One database, several connections: of this process and of others, and a disk that fails them.
#include <SQLiteCpp/Database.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "cache/sqlite_connection.h"
#include "tests/cache/child_process.h"
#include "tests/cache/records.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

void put_one(ConfigStore& store, double median_us) {
  store.put(store.begin_run(run_on(device())), success(20, "{}", median_us));
}

TEST_CASE("a store sees what another store of the same file adds later") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  const auto writer = open_sqlite_store(file, OpenMode::read_write);
  const auto reader = open_sqlite_store(file, OpenMode::read_only);
  CHECK_FALSE(find(*reader, key_of_size(20)));
  put_one(*writer, 5);
  CHECK(find(*reader, key_of_size(20))->median_us == 5);
  put_one(*writer, 4);
  CHECK(find(*reader, key_of_size(20))->median_us == 4);
}

TEST_CASE("a store sees what another process adds later") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  ChildProcess writer([&](Line& line) {
    line.receive();
    put_one(*open_sqlite_store(file, OpenMode::read_write), 5);
    line.send("done");
  });
  const auto store = open_sqlite_store(file, OpenMode::read_write);
  CHECK(store->measurements().empty());
  writer.send("go");
  CHECK(writer.receive() == "done");
  CHECK(find(*store, key_of_size(20))->median_us == 5);
}

/// Until the file is old enough to be taken for one that nobody writes.
void break_ties() { std::this_thread::sleep_for(std::chrono::milliseconds(2100)); }

TEST_CASE("a file that nobody writes is read without a trace, and what comes later is seen") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  put_one(*open_sqlite_store(file, OpenMode::read_write), 5);
  break_ties();
  const auto reader = open_sqlite_store(file, OpenMode::read_only);
  CHECK(find(*reader, key_of_size(20))->median_us == 5);
  CHECK_FALSE(std::filesystem::exists(file + "-shm"));
  {
    const auto writer = open_sqlite_store(file, OpenMode::read_write);
    put_one(*writer, 4);
    CHECK(find(*reader, key_of_size(20))->median_us == 4);  // from the log
    put_one(*writer, 3);
  }
  CHECK(find(*reader, key_of_size(20))->median_us == 3);
  put_one(*open_sqlite_store(file, OpenMode::read_write), 2);
  CHECK(find(*reader, key_of_size(20))->median_us == 2);
}

TEST_CASE("a reader without locks leaves those of a writer in its process alone") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  put_one(*open_sqlite_store(file, OpenMode::read_write), 5);
  ChildProcess other([&](Line& line) {
    line.receive();
    put_one(*open_sqlite_store(file, OpenMode::read_write), 4);  // brings the log in if it may
    line.send("done");
  });
  break_ties();
  const auto writer = open_sqlite_store(file, OpenMode::read_write);
  CHECK(find(*open_sqlite_store(file, OpenMode::read_only), key_of_size(20))->median_us == 5);
  other.send("go");
  CHECK(other.receive() == "done");
  CHECK(std::filesystem::exists(file + "-wal"));
  put_one(*writer, 3);
  CHECK(find(*open_sqlite_store(file, OpenMode::read_only), key_of_size(20))->median_us == 3);
}

TEST_CASE("what was put is there after the process ends without closing the store") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  {
    ChildProcess writer([&](Line& line) {
      const auto store = open_sqlite_store(file, OpenMode::read_write);
      put_one(*store, 5);
      line.send("done");
      ::_exit(1);
    });
    CHECK(writer.receive() == "done");
  }
  CHECK(open_sqlite_store(file, OpenMode::read_write)->measurements().size() == 1);
}

TEST_CASE("processes that create one database at once all succeed, and nothing is lost") {
  constexpr int kProcesses = 8;
  constexpr int kEach = 5;
  const TemporaryFolder folder;
  const std::string file = folder.file("new/folder/tuning.db");
  std::vector<ChildProcess> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.emplace_back([&](Line& line) {
      line.receive();
      const auto store = open_sqlite_store(file, OpenMode::read_write);
      for (int n = 0; n < kEach; ++n) put_one(*store, 1 + n);
      line.send("done");
    });
  }
  for (ChildProcess& child : children) child.send("go");
  for (ChildProcess& child : children) CHECK(child.receive() == "done");
  children.clear();
  CHECK(open_sqlite_store(file, OpenMode::read_only)->measurements().size() == kProcesses * kEach);
}

TEST_CASE("a reader never finds a database half made") {
  constexpr int kFiles = 100;
  const TemporaryFolder folder;
  for (int i = 0; i < kFiles; ++i) {
    const std::string file = folder.file(std::to_string(i));
    const std::jthread maker([&] { open_sqlite_store(file, OpenMode::read_write); });
    while (!std::filesystem::exists(file)) std::this_thread::yield();
    const auto open_made = [&] {
      for (;;) {
        try {
          return open_sqlite_store(file, OpenMode::read_only);
        } catch (const EmptyDatabase&) {  // not begun yet
        }
      }
    };
    CHECK_NOTHROW(open_made());
  }
}

TEST_CASE("a database that stays locked is an error after a while, and then works again") {
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  const auto store = open_sqlite_store(file, OpenMode::read_write);
  SQLite::Database other(file, SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  const std::string error = error_of([&] { put_one(*store, 5); });
  CHECK(contains(error, "another process keeps it locked"));
  CHECK_FALSE(find(*store, key_of_size(20)));  // Readers do not wait.
  other.exec("ROLLBACK");
  put_one(*store, 5);
  CHECK(store->measurements().size() == 1);
}

TEST_CASE("where the disk takes no more, put is an error, and what it took before is kept") {
  constexpr rlim_t kLargestFileBytes = 400'000;
  const TemporaryFolder folder;
  const std::string file = folder.file("tuning.db");
  std::size_t kept = 0;
  {
    ChildProcess writer([&](Line& line) {
      const auto store = open_sqlite_store(file, OpenMode::read_write);
      const auto run = store->begin_run(run_on(device()));
      const rlimit limit{kLargestFileBytes, kLargestFileBytes};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      MeasurementRecord large = success(20, "{}", 5);
      large.samples_us.assign(1000, 5.125);
      std::size_t count = 0;
      const std::string error = error_of([&] {
        for (;; ++count) store->put(run, large);
      });
      line.send(std::to_string(count));
      line.send(error);
    });
    kept = std::stoul(writer.receive());
    const std::string error = writer.receive();
    INFO(error);
    CHECK(contains(error, "cannot store a measurement"));
    CHECK(contains(error, "what was stored before is kept"));
  }
  CHECK(kept > 0);
  CHECK(open_sqlite_store(file, OpenMode::read_write)->measurements().size() == kept);
}

TEST_CASE("a full database says so, and the transaction leaves nothing") {
  const TemporaryFolder folder;
  SqliteConnection connection(folder.file("tuning.db"), OpenMode::read_write);
  const auto fill = [&] {
    connection.write("fill", [](SQLite::Database& database) {
      database.exec("PRAGMA max_page_count = 40");
      return database.exec(
          "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000)"
          " INSERT INTO config (params) SELECT json_object('n', i) FROM n");
    });
  };
  CHECK(contains(error_of(fill), "free some space"));
  const int rows = connection.read("count the rows of", [](SQLite::Database& database) {
    return database.execAndGet("SELECT count(*) FROM config").getInt();
  });
  CHECK(rows == 0);
}

}  // namespace
}  // namespace foldtune::test
