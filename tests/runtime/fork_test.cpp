// What a forked child does with its copies of what the parent has, and what that does to the
// parent.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cache/store_error.h"
#include "foldtune/foldtune.hpp"
#include "runtime/support/child_process.h"
#include "runtime/support/sanitizer.h"
#include "runtime/support/temporary_folder.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/runtime/scoped_variable.h"
#include "tests/runtime/tuned_store.h"

namespace foldtune::test {
namespace {

/// Runs `work` in a fork, and tells whether it gave true. No destructor of this process's objects
/// runs there.
bool holds_in_fork(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    bool holds = false;
    try {
      holds = work();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): it does not hold
    }
    ::_exit(holds ? 0 : 1);
  }
  int status = -1;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

const Reduction kSum{.op = Operator::sum, .type = ElementType::f32};

float sum_of(const Reducer& reducer, std::uint64_t count) {
  const std::vector<float> ones(count, 1);
  return reducer.value<float>(ones.data(), count);
}

TEST_CASE("Fork: a child that destroys its copies leaves the parent able to compile") {
  const TemporaryFolder folder;
  std::optional<Context> context(std::in_place,
                                 ContextOptions{.device = "cpu", .database = folder.path() / "db"});
  std::optional<Reducer> reducer = context->reducer(kSum);
  CHECK(sum_of(*reducer, 10) == 10);
  CHECK(holds_in_fork([&] {
    reducer.reset();
    context.reset();
    return true;
  }));
  CHECK(sum_of(*reducer, 10'000) == 10'000);
}

// The child starts threads, which ThreadSanitizer does not support in a fork of a process with
// threads: it ends the child.
TEST_CASE("Fork: a child may use its copies on the CPU device") {
  if (kThreadSanitizer) {
    SUCCEED("not tried under ThreadSanitizer");
    return;
  }
  const TemporaryFolder folder;
  Context context({.device = "cpu", .database = folder.path() / "db"});
  const Reducer reducer = context.reducer(kSum);
  CHECK(sum_of(reducer, 10) == 10);
  CHECK(holds_in_fork(
      [&] { return sum_of(reducer, 10) == 10 && sum_of(reducer, 10'000) == 10'000; }));
  CHECK(sum_of(reducer, 10'000) == 10'000);
}

TEST_CASE("Fork: a limit of file sizes is an error to a child, and does not end it") {
  if (kThreadSanitizer) {
    SUCCEED("not tried under ThreadSanitizer");  // as above
    return;
  }
  const TemporaryFolder folder;
  const auto sums_or_says = [&](rlim_t bytes, int how) {
    sigset_t signals{};
    sigaddset(&signals, SIGXFSZ);
    pthread_sigmask(how, &signals, nullptr);
    const rlimit limit{bytes, bytes};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    try {
      Context context({.device = "cpu", .database = folder.path() / "db"});
      return sum_of(context.reducer(kSum), 10) == 10;
    } catch (const Unavailable& error) {
      sigpending(&signals);  // What the program held back is not raised for it.
      return sigismember(&signals, SIGXFSZ) == 0 &&
             std::string_view(error.what()).find("ulimit -") != std::string_view::npos;
    }
  };
  for (const rlim_t bytes : {0, 4'096, 20'000, 70'000, 300'000}) {
    CAPTURE(bytes);
    CHECK(holds_in_fork([&] { return sums_or_says(bytes, SIG_UNBLOCK); }));
    CHECK(holds_in_fork([&] { return sums_or_says(bytes, SIG_BLOCK); }));
  }
}

TEST_CASE("Fork: a child that destroys its copy of a process leaves it running") {
  auto process = std::make_unique<ChildProcess>(std::vector<std::string>{"cat"});
  CHECK(holds_in_fork([&] {
    process.reset();
    return true;
  }));
  std::string_view outgoing = "still there";
  std::string incoming;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (incoming.size() < 11 &&
         process->transfer(outgoing, incoming, deadline) == ChildProcess::Transfer::moved) {
  }
  CHECK(incoming == "still there");
}

/// A problem with its own size class.
Reduction sum_of_count(std::uint64_t count) {
  Reduction problem = kSum;
  problem.count = count;
  return problem;
}

TEST_CASE("Fork: a database that the parent writes is neither used nor closed by a child") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "tuning.db";
  const std::unique_ptr<Device> device = open_cpu_device();
  std::unique_ptr<ConfigStore> store = open_sqlite_store(path, OpenMode::read_write);
  put_success(*store, *device, sum_of_count(1000), ReduceParams{});
  CHECK(holds_in_fork([&] {
    bool is_refused = false;
    try {
      put_success(*store, *device, sum_of_count(4000), ReduceParams{});
    } catch (const StoreError& error) {
      is_refused = std::string(error.what()).find("fork") != std::string::npos;
    }
    store.reset();
    return is_refused && std::filesystem::exists(path + "-wal");
  }));
  // The log is the parent's still.
  CHECK(std::filesystem::exists(path + "-wal"));
  put_success(*store, *device, sum_of_count(16000), ReduceParams{});
  store.reset();
  Context context(open_device("cpu"), open_sqlite_store(path, OpenMode::read_only));
  const Reducer reducer = context.reducer(kSum);
  CHECK(reducer.explain(1000).source == ConfigSource::exact);
  CHECK(reducer.explain(16000).source == ConfigSource::exact);
  // A child that reads opens the file itself.
  CHECK(holds_in_fork([&] { return reducer.explain(1000).source == ConfigSource::exact; }));
  CHECK(holds_in_fork([&] { return reducer.explain(15000).source == ConfigSource::exact; }));
}

TEST_CASE("Standard error: closed or full, it fails no call") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "tuning.db";
  write_file(path, "not a database, but a text that is long enough to have a header");
  const bool is_closed = GENERATE(true, false);
  const std::string level = GENERATE("debug", "no level");
  CAPTURE(is_closed, level);
  CHECK(holds_in_fork([&] {
    ::close(STDERR_FILENO);
    if (!is_closed && ::open("/dev/full", O_WRONLY) != STDERR_FILENO) return false;
    const ScopedVariable variable("FOLDTUNE_LOG", level);
    Context context({.device = "cpu", .database = path});
    return sum_of(context.reducer(kSum), 10) == 10;
  }));
}

}  // namespace
}  // namespace foldtune::test
