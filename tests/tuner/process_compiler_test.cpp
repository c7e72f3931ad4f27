#include "tuner/worker/process_compiler.h"

#include <csignal>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "foldtune/error.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tests/tuner/processes.h"
#include "tests/tuner/worker_misdeeds.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::has_children;
using test::Misdeed;
using test::misdeed_program;

ProcessCompilerOptions options_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {FOLDTUNE_FAULTY_WORKER, "compiler"});
  return {.command = std::move(arguments), .compile_s = 1.5};
}

Program good_program() { return {.source = "good", .name_expressions = {"kernel"}}; }

/// The process that compiles next, if no other is idle.
pid_t process_of(const ProcessCompiler& compiler) {
  return static_cast<pid_t>(std::stoi(compiler.compile(good_program()).image));
}

}  // namespace

TEST_CASE("Process compiler: a process that is idle is used again") {
  const ProcessCompiler compiler(options_of({"right"}));
  CHECK(compiler.version() == "faulty 1.0");
  CHECK(compiler.compile(good_program()).lowered_names == good_program().name_expressions);
  const pid_t process = process_of(compiler);
  CHECK_NOTHROW(compiler.compile(misdeed_program(Misdeed::prints)));
  CHECK(process_of(compiler) == process);
}

TEST_CASE("Process compiler: errors of the compiler keep their class and text, and its process") {
  const ProcessCompiler compiler(options_of({"right"}));
  const pid_t process = process_of(compiler);
  const Program wrong{.source = test::kNoCode, .name_expressions = {"kernel"}};
  CHECK_THROWS_AS(compiler.compile(wrong), CompileError);
  CHECK_THROWS_WITH(compiler.compile(wrong), "there is an error");
  Program with_toolkit = good_program();
  with_toolkit.needs_toolkit = true;
  CHECK_THROWS_AS(compiler.compile(with_toolkit), MissingToolkit);
  CHECK_THROWS_WITH(compiler.compile(with_toolkit), "there is no toolkit");
  CHECK(process_of(compiler) == process);
}

TEST_CASE("Process compiler: what a program does to its process is an error of that program") {
  struct Expectation {
    Misdeed misdeed;
    const char* reason;
  };
  const Expectation expectations[] = {
      {Misdeed::aborts, "the worker ended with signal 6"},
      {Misdeed::segfaults, "the worker ended with signal 11"},
      {Misdeed::exits, "the worker ended with exit status 3; it wrote: my last word"},
      {Misdeed::hangs, "did not end within 1.5 s, and was stopped"},
      {Misdeed::throws, "this cannot be"},
      {Misdeed::runs_out_of_memory, "memory is not enough"},
      {Misdeed::answers_garbage, "its answer cannot be understood"},
      {Misdeed::answers_by_half, "did not end within 1.5 s, and was stopped"},
  };
  {
    const ProcessCompiler compiler(options_of({"right"}));
    for (const Expectation& expected : expectations) {
      INFO("misdeed " << static_cast<int>(expected.misdeed));
      const Program program = misdeed_program(expected.misdeed);
      CHECK_THROWS_AS(compiler.compile(program), CompileError);
      CHECK_THROWS_WITH(compiler.compile(program), ContainsSubstring(expected.reason));
      CHECK_NOTHROW(compiler.compile(good_program()));
    }
  }
  CHECK_FALSE(has_children());
}

TEST_CASE("Process compiler: a process that is killed costs no program") {
  const ProcessCompiler compiler(options_of({"right"}));
  const pid_t idle = process_of(compiler);
  ::kill(idle, SIGKILL);
  const pid_t process = process_of(compiler);
  CHECK(process != idle);

  // It takes the program, or at least is asked, and does nothing.
  ::kill(process, SIGSTOP);
  auto compiled = std::async(std::launch::async, [&] { return process_of(compiler); });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ::kill(process, SIGKILL);
  CHECK(compiled.get() != process);
}

TEST_CASE("Process compiler: threads that end take their processes with them, and nothing else") {
  const ProcessCompiler compiler(options_of({"right"}));
  ::kill(process_of(compiler), SIGKILL);
  for (int i = 0; i < 3; ++i) {
    std::jthread([&] { CHECK_NOTHROW(compiler.compile(good_program())); }).join();
    CHECK_NOTHROW(compiler.compile(good_program()));
  }
}

TEST_CASE("Process compiler: threads compile at once, each in a process of its own") {
  constexpr int kThreads = 4;
  {
    const ProcessCompiler compiler(options_of({"right"}));
    std::vector<std::future<void>> hanging;
    for (int i = 1; i < kThreads; ++i) {
      hanging.push_back(std::async(std::launch::async,
                                   [&] { compiler.compile(misdeed_program(Misdeed::hangs)); }));
    }
    CHECK_NOTHROW(compiler.compile(good_program()));
    for (std::future<void>& one : hanging) CHECK_THROWS_AS(one.get(), CompileError);
  }
  CHECK_FALSE(has_children());
}

TEST_CASE("Process compiler: a process that cannot be started is an error that says why") {
  CHECK_THROWS_AS(ProcessCompiler(options_of({"absent"})), Unavailable);
  CHECK_THROWS_WITH(ProcessCompiler(options_of({"absent"})), "there is no device");
  CHECK_THROWS_AS(ProcessCompiler(options_of({"short"})), Unavailable);
  CHECK_THROWS_WITH(ProcessCompiler(options_of({"short"})),
                    ContainsSubstring("exit status 7") && ContainsSubstring("I am not well") &&
                        ContainsSubstring("compiler short` works"));
  ProcessCompilerOptions silent = options_of({"silent"});
  silent.start_s = 0.2;
  CHECK_THROWS_WITH(ProcessCompiler(silent), ContainsSubstring("did not end within 0.2 s"));
  CHECK_THROWS_AS(ProcessCompiler({.command = {"/nonexistent/worker"}}), Unavailable);

  const test::TemporaryFolder folder;
  const ProcessCompiler once(options_of({"once", folder.file("started")}));
  CHECK_NOTHROW(once.compile(good_program()));
  CHECK_THROWS_AS(once.compile(misdeed_program(Misdeed::aborts)), Unavailable);
  CHECK_FALSE(has_children());
}

}  // namespace foldtune
