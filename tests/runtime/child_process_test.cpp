#include "runtime/child_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <system_error>

#include "tests/catch.h"

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

TEST_CASE("A program that is not there is an error") {
  CHECK_THROWS_AS(ChildProcess({"/nonexistent/program"}), std::system_error);
}

}  // namespace foldtune
