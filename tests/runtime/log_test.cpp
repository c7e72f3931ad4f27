#include "runtime/support/log.h"

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "foldtune/context.h"
#include "tests/catch.h"
#include "tests/runtime/recorded_log.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("Log: messages of the level and of graver ones come, and no others are made") {
  const RecordedLog recorded(LogLevel::warning);
  int made = 0;
  const auto make = [&] {
    ++made;
    return std::string("text");
  };
  log(LogLevel::error, make);
  log(LogLevel::warning, make);
  log(LogLevel::info, make);
  log(LogLevel::debug, make);
  CHECK(made == 2);
  CHECK(recorded.lines() == std::vector<std::string>{"error: text", "warning: text"});
}

TEST_CASE("Log: off, nothing is made") {
  set_log(nullptr);
  int made = 0;
  log(LogLevel::error, [&] {
    ++made;
    return std::string();
  });
  CHECK(made == 0);
  CHECK_FALSE(Log::takes(LogLevel::error));
}

TEST_CASE("Log: what a callback throws is lost") {
  set_log([](LogLevel, const std::string&) { throw std::runtime_error("a callback"); });
  CHECK_NOTHROW(log(LogLevel::info, [] { return std::string("text"); }));
  set_log(nullptr);
}

TEST_CASE("Log: threads may log while others change the callback") {
  std::atomic<int> heard = 0;
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!is_over) log(LogLevel::info, [] { return std::string("text"); });
    });
  }
  for (int i = 0; i < 200 || heard == 0; ++i) {
    set_log([&](LogLevel, const std::string&) { ++heard; });
    std::this_thread::yield();
    set_log(nullptr);
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(heard > 0);
}

TEST_CASE("Log: a context tells of its database, and of each look-up once") {
  const RecordedLog recorded(LogLevel::info);
  Context context({.device = "cpu", .database = "/nowhere/tuning.db"});
  const Reducer sum = context.reducer({.op = Operator::sum, .type = ElementType::i32});
  sum.explain(1000);
  sum.explain(1001);
  const std::vector<std::string> lines = recorded.lines();
  REQUIRE(lines.size() == 2);
  CHECK_THAT(lines[0], ContainsSubstring("info: there is no tuning database /nowhere/tuning.db"));
  CHECK_THAT(lines[1], ContainsSubstring("info: sum i32 1000: default configuration {"));
}

}  // namespace
}  // namespace foldtune::test
