#include "runtime/support/child_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <system_error>
#include <thread>

#include "runtime/support/temporary_folder.h"
#include "tests/catch.h"
#include "tests/tuner/processes.h"

namespace foldtune {
namespace {

using Transfer = ChildProcess::Transfer;

/// Far more than anything here takes.
ChildProcess::Time soon() { return std::chrono::steady_clock::now() + std::chrono::seconds(20); }

/// Sends all of it, and gives what comes until the process closes its output.
std::string talk(ChildProcess& process, std::string_view outgoing) {
  std::string incoming;
  while (process.transfer(outgoing, incoming, soon()) == Transfer::moved) {
    if (outgoing.empty()) process.close_input();
  }
  return incoming;
}

}  // namespace

TEST_CASE("A child process is sent more than pipes hold, and gives it back") {
  std::string text;
  while (text.size() < (std::size_t{4} << 20)) text += std::to_string(text.size()) + '\n';
  ChildProcess process({"cat"});
  CHECK(talk(process, text) == text);
  const auto status = process.wait(soon());
  REQUIRE(status.has_value());
  CHECK(describe_end(*status) == "exit status 0");
}

TEST_CASE("A child process's end and its last errors are told") {
  ChildProcess process({"sh", "-c", "echo first >&2; echo out; echo last >&2; exit 3"});
  CHECK(talk(process, "") == "out\n");
  CHECK(describe_end(process.wait(soon()).value()) == "exit status 3");
  CHECK(process.error_tail() == "first\nlast\n");

  ChildProcess killed({"sh", "-c", "kill -9 $$"});
  CHECK(talk(killed, "nobody reads this") == "");
  CHECK(describe_end(killed.wait(soon()).value()) == "signal 9 (Killed)");
}

TEST_CASE("Of many errors the last are kept, and they hold up nobody") {
  ChildProcess process(
      {"sh", "-c",
       "i=0; while [ $i -lt 20000 ]; do echo error $i >&2; i=$((i+1)); done; echo out"});
  CHECK(talk(process, "") == "out\n");
  process.wait(soon());
  const std::string& errors = process.error_tail();
  CHECK(errors.size() <= 4096);
  CHECK(errors.ends_with("error 19999\n"));
}

TEST_CASE("A child process that does nothing is not waited for beyond the deadline") {
  ChildProcess process({"sleep", "1000"});
  std::string incoming;
  std::string_view outgoing;
  const auto now = std::chrono::steady_clock::now();
  CHECK(process.transfer(outgoing, incoming, now + std::chrono::milliseconds(50)) ==
        Transfer::deadline);
  CHECK_FALSE(process.wait(now).has_value());
  process.kill();
  CHECK(describe_end(process.wait(soon()).value()) == "signal 9 (Killed)");
}

TEST_CASE("A child process has a group of its own, and ends with its object") {
  pid_t id = -1;
  {
    const ChildProcess process({"sleep", "1000"});
    id = process.id();
    CHECK(::getpgid(id) == id);
    CHECK(id != ::getpgrp());
  }
  CHECK(::waitpid(id, nullptr, WNOHANG) == -1);  // there is no such child
}

TEST_CASE("A program that does not end is stopped at its limit, with those that it started") {
  const TemporaryFolder folder;
  const std::string log = folder.path() / "log";
  const auto begin = std::chrono::steady_clock::now();
  const auto status = run_program({.command = {"sh", "-c", "sleep 1000 & echo $!; wait"},
                                   .log = log,
                                   .temporaries = {},
                                   .limit = std::chrono::seconds(1)});
  CHECK_FALSE(status.has_value());
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  const pid_t started = std::stoi(read_file(log));
  while (test::is_running(started)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST_CASE("A program finds its own TMPDIR, and the usual end of pipes") {
  const TemporaryFolder folder;
  const std::string log = folder.path() / "log";
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const auto status =
      run_program({.command = {"sh", "-c", "echo $TMPDIR $LC_ALL; kill -PIPE $$; echo ignored"},
                   .log = log,
                   .temporaries = "/of/its/own",
                   .limit = std::chrono::seconds(20)});
  std::signal(SIGPIPE, before);
  CHECK(status == 128 + SIGPIPE);
  CHECK(read_file(log) == "/of/its/own C\n");
}

TEST_CASE("A program that is not there is an error") {
  CHECK_THROWS_AS(ChildProcess({"/nonexistent/program"}), std::system_error);
}

}  // namespace foldtune
