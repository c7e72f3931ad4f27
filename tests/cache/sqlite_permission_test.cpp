// Files and folders that the user may not write. Root may write everything: there, the store is
// opened by a child that gave its privileges up.
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cache/child_process.h"
#include "tests/cache/records.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

constexpr mode_t kReadOnlyFile = 0444;
constexpr mode_t kReadOnlyFolder = 0555;
constexpr mode_t kReadableFolder = 0755;

/// A database with one result of 5 us, in a folder that others may enter.
std::string make_shared_database(const TemporaryFolder& folder) {
  ::chmod(folder.path().c_str(), kReadableFolder);
  const std::string file = folder.file("tuning.db");
  const auto store = open_sqlite_store(file, OpenMode::read_write);
  store->put(store->begin_run(run_on(device())), success(20, "{}", 5));
  return file;
}

std::string error_for_unprivileged(const std::string& file, OpenMode mode) {
  ChildProcess child(
      [&](Line& line) {
        line.send(error_of([&] { open_sqlite_store(file, mode)->begin_run(run_on(device())); }));
      },
      User::without_privileges);
  return child.receive();
}

/// Sends the number of measurements for each message, until it is "end".
void report_counts(const std::string& file, Line& line) {
  const auto store = open_sqlite_store(file, OpenMode::read_only);
  do {
    line.send(std::to_string(store->measurements().size()));
  } while (line.receive() != "end");
}

TEST_CASE("a file that may only be read is refused for writing") {
  const TemporaryFolder folder;
  const std::string file = make_shared_database(folder);
  ::chmod(file.c_str(), kReadOnlyFile);
  const std::string error = error_for_unprivileged(file, OpenMode::read_write);
  CHECK(contains(error, "read-only for this user"));
  CHECK(contains(error, "--db"));
}

TEST_CASE("a folder that may only be read is refused for writing") {
  const TemporaryFolder folder;
  const std::string file = make_shared_database(folder);
  ::chmod(file.c_str(), 0666);
  ::chmod(folder.path().c_str(), kReadOnlyFolder);
  const std::string error = error_for_unprivileged(file, OpenMode::read_write);
  CHECK(contains(error, "cannot open the tuning database"));
  CHECK(contains(error, "SQLite keeps two more files"));
  CHECK(contains(error, folder.path().string()));
}

TEST_CASE("a database or folder that cannot be created is an error that says why") {
  const TemporaryFolder folder;
  ::chmod(folder.path().c_str(), kReadOnlyFolder);
  CHECK(contains(error_for_unprivileged(folder.file("tuning.db"), OpenMode::read_write),
                 "Permission denied"));
  CHECK(contains(error_for_unprivileged(folder.file("new/tuning.db"), OpenMode::read_write),
                 "folder " + folder.file("new") + ": Permission denied"));
}

TEST_CASE("a file that may not be read is an error, not an empty store") {
  const TemporaryFolder folder;
  const std::string file = make_shared_database(folder);
  ::chmod(file.c_str(), 0);
  CHECK(contains(error_for_unprivileged(file, OpenMode::read_only), "accessible to this user"));
}

TEST_CASE("a database in a folder that may only be read can be read, and nothing is left there") {
  const TemporaryFolder folder;
  const std::string file = make_shared_database(folder);
  ::chmod(file.c_str(), kReadOnlyFile);
  ::chmod(folder.path().c_str(), kReadOnlyFolder);
  {
    ChildProcess child([&](Line& line) { report_counts(file, line); }, User::without_privileges);
    CHECK(child.receive() == "1");
    child.send("end");
  }
  CHECK_FALSE(std::filesystem::exists(file + "-wal"));
}

TEST_CASE("a reader in a folder that it may only read sees what its owner adds") {
  if (::geteuid() != 0) {
    WARN("SKIPPED: needs two users, so it runs as root only");
    return;
  }
  const TemporaryFolder folder;
  const std::string file = make_shared_database(folder);
  ::chmod(file.c_str(), 0644);
  ChildProcess child([&](Line& line) { report_counts(file, line); }, User::without_privileges);
  CHECK(child.receive() == "1");
  {
    const auto store = open_sqlite_store(file, OpenMode::read_write);
    const auto run = store->begin_run(run_on(device()));
    store->put(run, success(20, "{}", 4));
    child.send("while the owner has it open");
    CHECK(child.receive() == "2");
    store->put(run, success(20, "{}", 3));
  }
  child.send("after the owner has closed it");
  CHECK(child.receive() == "3");
  child.send("end");
}

TEST_CASE("a reader in a folder that it may only read sees the log of a process that was killed") {
  const TemporaryFolder folder;
  const std::string file = make_shared_database(folder);
  ::chmod(file.c_str(), 0644);
  {
    ChildProcess writer([&](Line& line) {
      const auto store = open_sqlite_store(file, OpenMode::read_write);
      store->put(store->begin_run(run_on(device())), success(20, "{}", 4));
      line.send("done");
      ::_exit(1);  // Leaves the log.
    });
    CHECK(writer.receive() == "done");
  }
  REQUIRE(std::filesystem::exists(file + "-wal"));
  ::chmod(folder.path().c_str(), kReadOnlyFolder);
  ChildProcess reader([&](Line& line) { report_counts(file, line); }, User::without_privileges);
  CHECK(reader.receive() == "2");
  reader.send("end");
}

TEST_CASE("a reader through a symbolic link sees the log beside the file itself") {
  const TemporaryFolder folder;
  const std::string file = make_shared_database(folder);
  ::chmod(file.c_str(), 0644);
  std::filesystem::create_directory(folder.file("links"));
  const std::string link = folder.file("links/tuning.db");
  std::filesystem::create_symlink(file, link);
  ChildProcess child([&](Line& line) { report_counts(link, line); }, User::without_privileges);
  CHECK(child.receive() == "1");
  if (::geteuid() == 0) ::chmod(folder.path().c_str(), kReadOnlyFolder);
  {
    const auto store = open_sqlite_store(file, OpenMode::read_write);
    store->put(store->begin_run(run_on(device())), success(20, "{}", 4));
    child.send("while the owner has it open");
    CHECK(child.receive() == "2");
  }
  child.send("end");
}

}  // namespace
}  // namespace foldtune::test
