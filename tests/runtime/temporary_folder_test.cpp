#include "runtime/support/temporary_folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "foldtune/error.h"
#include "tests/cache/child_process.h"
#include "tests/catch.h"
#include "tests/runtime/scoped_variable.h"

namespace foldtune {
namespace {

namespace fs = std::filesystem;

/// Runs `work` in a fork of this process, which then ends without destroying anything else.
template <class Work>
void in_fork(const Work& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

/// Where folders are made meanwhile.
struct Place {
  TemporaryFolder folder;
  test::ScopedVariable variable{"TMPDIR", folder.path().string()};

  const fs::path& path() const { return folder.path(); }
};

/// What a process leaves that is killed while it holds a folder with files and folders in it.
fs::path leave_folder() {
  test::ChildProcess child([](test::Line& line) {
    const TemporaryFolder mine;
    fs::create_directories(mine.path() / "templates/reduce");
    write_file(mine.path() / "templates/reduce/file", "text");
    line.send(mine.path().string());
    ::pause();
  });
  const fs::path left = child.receive();
  child.kill();
  return left;
}

}  // namespace

TEST_CASE("A temporary folder is this user's alone, and gone with its owner") {
  std::optional<TemporaryFolder> folder(std::in_place);
  const fs::path path = folder->path();
  CHECK(fs::status(path).permissions() == fs::perms::owner_all);
  fs::create_directory(path / "a");
  write_file(path / "a/b", "text");
  folder.reset();
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("A place where no temporary folder can be is told, with the variable that names it") {
  using Catch::Matchers::ContainsSubstring;
  const TemporaryFolder folder;
  write_file(folder.path() / "file", "text");
  for (const char* name : {"file", "missing", "file/in", "missing/in"}) {
    const std::string place = folder.path() / name;
    const test::ScopedVariable variable("TMPDIR", place);
    std::string message;
    try {
      const TemporaryFolder none;
    } catch (const Unavailable& error) {
      message = error.what();
    }
    CHECK_THAT(message, ContainsSubstring("making a temporary folder in " + place + ": ") &&
                            ContainsSubstring("set TMPDIR to a folder that can be written"));
  }
  const test::ScopedVariable variable("TMPDIR", "");
  CHECK(TemporaryFolder().path().parent_path() == "/tmp");
}

TEST_CASE("A fork that destroys its copy of a temporary folder leaves the folder to its owner") {
  std::optional<TemporaryFolder> folder(std::in_place);
  write_file(folder->path() / "file", "text");
  in_fork([&] { folder.reset(); });
  CHECK(read_file(folder->path() / "file") == "text");
  // The fork that ended did not give up the lock, either.
  in_fork([&] { remove_abandoned_folders(folder->path().parent_path()); });
  CHECK(fs::exists(folder->path() / "file"));
}

TEST_CASE("What a killed process left is removed by a later one") {
  const Place place;
  const fs::path left = leave_folder();
  REQUIRE(fs::exists(left / "templates/reduce/file"));
  const TemporaryFolder held;
  remove_abandoned_folders(place.path());
  CHECK_FALSE(fs::exists(left));
  CHECK(fs::exists(held.path()));
}

TEST_CASE("Links and what has another name are no folders that someone left") {
  const Place place;
  const TemporaryFolder precious;  // held, and reached through a link below
  write_file(precious.path() / "file", "text");
  fs::create_directory_symlink(precious.path(), place.path() / "foldtune-work-linked");
  const fs::path other = place.path() / "foldtune-abcdef";
  fs::create_directory(other);
  const fs::path longer = place.path() / "foldtune-work-abcdefg";
  fs::create_directory(longer);
  const fs::path file = place.path() / "foldtune-work-abcde1";
  write_file(file, "text");
  // One that was left, with a link in it to what is not its own.
  const fs::path left = place.path() / "foldtune-work-abcdef";
  const fs::path victim = place.path() / "victim";
  fs::create_directory(victim);
  write_file(victim / "file", "text");
  fs::create_directory(left);
  fs::create_directory_symlink(victim, left / "link");

  remove_abandoned_folders(place.path());
  CHECK_FALSE(fs::exists(left));
  CHECK(fs::exists(victim / "file"));
  CHECK(fs::exists(precious.path() / "file"));
  CHECK(fs::is_symlink(place.path() / "foldtune-work-linked"));
  CHECK((fs::exists(other) && fs::exists(longer) && fs::exists(file)));
}

TEST_CASE("Folders of another user stay") {
  if (::geteuid() != 0) return;  // nobody else can make one
  const Place place;
  const fs::path left = place.path() / "foldtune-work-abcdef";
  fs::create_directory(left);
  constexpr uid_t kNobody = 65534;
  REQUIRE(::chown(left.c_str(), kNobody, kNobody) == 0);
  remove_abandoned_folders(place.path());
  CHECK(fs::exists(left));
}

TEST_CASE("Processes that make and remove folders at once take none from each other") {
  const Place place;
  constexpr int kProcesses = 4;
  constexpr int kRounds = 200;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child > 0) {
      children.push_back(child);
      continue;
    }
    bool is_good = true;
    for (int round = 0; round < kRounds && is_good; ++round) {
      const TemporaryFolder mine;
      remove_abandoned_folders(place.path());
      std::error_code ignored;
      is_good = fs::exists(mine.path(), ignored);
    }
    ::_exit(is_good ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(fs::is_empty(place.path()));
}

}  // namespace foldtune
