#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "foldtune/error.h"
#include "runtime/device/compiler.h"
#include "runtime/support/temporary_folder.h"
#include "tests/catch.h"
#include "tests/runtime/scoped_variable.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string compile_error_of(const Program& program) {
  try {
    make_host_compiler()->compile(program);
  } catch (const CompileError& error) {
    return error.what();
  }
  return "no CompileError was thrown";
}

}  // namespace

TEST_CASE("Host compiler: its version names the compiler") {
  const std::string version = make_host_compiler()->version();
  CHECK((version.starts_with("g++ ") || version.starts_with("clang++ ")));
  CHECK(version.find('.') != std::string::npos);
}

TEST_CASE("Host compiler: a compile error shows the place in the program") {
  const std::string message = compile_error_of(
      {"#include \"templates/device/platform.cuh\"\nvoid kernel(int* p) { *p = undefined_name; }",
       {"kernel"}});
  CHECK_THAT(message, ContainsSubstring("Compiling kernel with "));
  CHECK_THAT(message, ContainsSubstring("program:2:"));
  CHECK_THAT(message, ContainsSubstring("undefined_name"));
}

TEST_CASE("Host compiler: an error within a template shows its embedded name") {
  const std::string message =
      compile_error_of({"#include \"templates/device/operators/sum.cuh\"\n"
                        "void kernel(int* p) { *p = foldtune::Sum<int, int*>::combine(p, p)[0]; }",
                        {"kernel"}});
  CHECK_THAT(message, ContainsSubstring("\ntemplates/device/operators/sum.cuh:"));
}

TEST_CASE("Host compiler: templates that were removed since are written again") {
  const TemporaryFolder place;
  const ScopedVariable temporaries("TMPDIR", place.path().string());
  const std::unique_ptr<Compiler> compiler = make_host_compiler();
  for (const auto& entry : std::filesystem::directory_iterator(place.path())) {
    std::filesystem::remove_all(entry.path());
  }
  const Program program{"#include \"templates/device/platform.cuh\"\nvoid kernel() {}", {"kernel"}};
  CHECK_FALSE(compiler->compile(program).image.empty());
}

TEST_CASE("Host compiler: an unknown kernel is an error that names it") {
  const std::string message =
      compile_error_of({"#include \"templates/device/platform.cuh\"\n", {"no_such_kernel"}});
  CHECK_THAT(message, ContainsSubstring("name expressions:1:"));
  CHECK_THAT(message, ContainsSubstring("no_such_kernel"));
}

TEST_CASE("Host compiler: dynamic shared memory at file scope is an error that says so") {
  const auto declared_in = [](const std::string& outside, const std::string& within) {
    return Program{"#include \"templates/device/platform.cuh\"\n" + outside + "\nvoid kernel() { " +
                       within + " }",
                   {"kernel"}};
  };
  const std::string declaration = "extern __shared__ float cache[];";
  CHECK_FALSE(
      make_host_compiler()->compile(declared_in("", declaration + " cache[0] = 1;")).image.empty());
  CHECK_THAT(compile_error_of(declared_in(declaration, "cache[0] = 1;")),
             ContainsSubstring("program:2:") && ContainsSubstring("declared within a function"));
}

TEST_CASE("Host compiler: a program for GPUs alone is an error that says what to choose") {
  Program program{.source = "#include \"templates/device/platform.cuh\"\nvoid kernel() {}",
                  .name_expressions = {"kernel"},
                  .needs_toolkit = true};
  CHECK_THAT(compile_error_of(program),
             ContainsSubstring("CUDA Toolkit") && ContainsSubstring("choose a GPU"));
}

TEST_CASE("Host compiler: without a compiler, the error says what was tried and what to do") {
  const ScopedVariable path("PATH", "/nonexistent");
  const ScopedVariable cxx("CXX", " ");
  CHECK_THROWS_AS(make_host_compiler(), Unavailable);
  CHECK_THROWS_WITH(make_host_compiler(), ContainsSubstring("\n  c++: No such file or directory") &&
                                              ContainsSubstring("clang++: ") &&
                                              ContainsSubstring("Install g++"));
}

TEST_CASE("Host compiler: a CXX that cannot be used is told, and no other one is taken") {
  const auto check = [](const std::string& chosen, const std::string& fault) {
    const ScopedVariable cxx("CXX", chosen);
    CHECK_THROWS_AS(make_host_compiler(), Unavailable);
    CHECK_THROWS_WITH(make_host_compiler(), ContainsSubstring("CXX names, \"" + chosen + "\"") &&
                                                ContainsSubstring(fault) &&
                                                ContainsSubstring("Set CXX to"));
  };
  check("/nonexistent/c++ -v", "No such file or directory");
  check("/bin/false", "exit status 1");
  check("/bin/true", "wrote no output");
  check("cp /dev/null", "exit status 1");
  check("-O2", "it names options, and no program");
  const std::string plain = make_host_compiler()->version();
  const std::string name = plain.substr(0, plain.find(' '));
  check(name + " -fsyntax-only", "with its options it does not compile C++20");
  check(name + " -std=c++98", "with its options it does not compile C++20");
  check(name + " -c", "its options keep it from making a shared library");
  const ScopedVariable lines("CXX", "/nonexistent/a\nb");
  CHECK_THROWS_WITH(make_host_compiler(), ContainsSubstring("\"/nonexistent/a\\nb\""));
}

TEST_CASE("Host compiler: the options in CXX count, and tell its kernels apart") {
  const std::string plain = make_host_compiler()->version();
  const std::string name = plain.substr(0, plain.find(' '));
  const ScopedVariable cxx("CXX", name + "  -O0 -DFROM_CXX=kernel");
  const std::unique_ptr<Compiler> compiler = make_host_compiler();
  CHECK(compiler->version() == plain + " -O0 -DFROM_CXX=kernel");
  const Program program{
      "#include \"templates/device/platform.cuh\"\n"
      "#ifdef __OPTIMIZE__\n#error it is optimized\n#endif\n"
      "void FROM_CXX() {}",
      {"kernel"}};
  CHECK_FALSE(compiler->compile(program).image.empty());
}

TEST_CASE("Host compiler: options that change what it writes change no verdict") {
  const std::string plain = make_host_compiler()->version();
  const std::string name = plain.substr(0, plain.find(' '));
  const std::string wrong =
      "#include \"templates/device/platform.cuh\"\nvoid kernel() { no_name; }";
  for (const std::string option :
       {"-fdiagnostics-color=always", "-Wfatal-errors", "-fno-show-column", "-g3", "-pipe"}) {
    CAPTURE(option);
    const ScopedVariable cxx("CXX", name + " " + option);
    const std::string message = compile_error_of({wrong, {"kernel"}});
    CHECK_THAT(message, ContainsSubstring("Correct the program:\nprogram: In function") ||
                            ContainsSubstring("Correct the program:\nprogram:2:"));
  }
}

TEST_CASE("Host compiler: a CXX of several words, and one with a space in its path") {
  const std::string plain = make_host_compiler()->version();
  const std::string name = plain.substr(0, plain.find(' '));
  const ScopedVariable wrapped("CXX", "env FOLDTUNE_UNUSED=1 " + name);
  CHECK(make_host_compiler()->version() == plain);
  const TemporaryFolder folder;
  const std::filesystem::path script = folder.path() / "my compiler";
  write_file(script, "#!/bin/sh\nexec " + name + " \"$@\"\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const ScopedVariable spaced("CXX", script.string());
  CHECK(make_host_compiler()->version() == plain);
}

TEST_CASE("Host compiler: one that fails without a word of the program is not the program's") {
  const std::string plain = make_host_compiler()->version();
  const std::string name = plain.substr(0, plain.find(' '));
  const TemporaryFolder folder;
  const std::filesystem::path script = folder.path() / "compiler";
  const ScopedVariable cxx("CXX", script.string());
  const Program program{"#include \"templates/device/platform.cuh\"\nvoid kernel() {}", {"kernel"}};
  const auto compile_by = [&](const std::string& instead) {
    write_file(script, "#!/bin/sh\n[ \"$2\" = -E ] && exec " + name + " \"$@\"\n" + instead + "\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    make_host_compiler()->compile(program);
  };
  const auto check_unavailable = [&](const std::string& instead, const std::string& fault) {
    CAPTURE(instead);
    CHECK_THROWS_AS(compile_by(instead), Unavailable);
    CHECK_THROWS_WITH(compile_by(instead),
                      ContainsSubstring(fault) &&
                          ContainsSubstring("does not say what is wrong with the program"));
  };
  check_unavailable("echo some words", "wrote no output");
  check_unavailable("kill -9 $$", "signal 9 ended it");
  check_unavailable("echo 'cc1plus: x.s: No space left on device'; exit 1", "exit status 1");
  check_unavailable("echo some words; kill -SEGV $$", "signal 11 ended it");
  // What it ended without is no library.
  const std::string output = R"(for a; do [ "$last" = -o ] && : > "$a"; last=$a; done)";
  CHECK_THROWS_AS(compile_by(output), Unavailable);
  CHECK_THROWS_WITH(compile_by(output), ContainsSubstring("is no shared library"));
  // Nor is a part of one, or one without its kernels.
  const std::string empty = R"(for a; do [ "$last" = -o ] && echo | )" + name +
                            R"( -x c++ -shared - -o "$a"; last=$a; done)";
  CHECK_THROWS_WITH(compile_by(empty), ContainsSubstring("is no shared library"));
  const std::string part = name +
                           R"( "$@" || exit
for a; do [ "$last" = -o ] && head -c 2000 "$a" > "$a.part" && mv "$a.part" "$a"; last=$a; done)";
  CHECK_THROWS_WITH(compile_by(part), ContainsSubstring("is no shared library"));
  // It misses what was removed while it ran.
  const std::string removed =
      R"(for a; do case $a in -I*) rm -r "${a#-I}/templates" ;; esac; done
echo 'program:1:1: fatal error: no such file'; exit 1)";
  CHECK_THROWS_AS(compile_by(removed), Unavailable);
  CHECK_THROWS_WITH(compile_by(removed), ContainsSubstring("were removed while it ran"));
}

TEST_CASE("Host compiler: a CXX that does not answer is stopped, and told") {
  const TemporaryFolder folder;
  const std::filesystem::path script = folder.path() / "compiler";
  write_file(script, "#!/bin/sh\nsleep 600\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const ScopedVariable cxx("CXX", script.string());
  const auto begin = std::chrono::steady_clock::now();
  CHECK_THROWS_WITH(
      make_host_compiler(std::chrono::seconds(1)),
      ContainsSubstring(script.string()) && ContainsSubstring("did not end within 1 s"));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
}

TEST_CASE("Host compiler: what it compiles can be stopped, and what comes later is compiled") {
  const std::string plain = make_host_compiler()->version();
  const std::string name = plain.substr(0, plain.find(' '));
  const TemporaryFolder folder;
  const std::filesystem::path script = folder.path() / "compiler";
  const std::filesystem::path begun = folder.path() / "begun";
  write_file(script, "#!/bin/sh\n[ \"$2\" = -E ] || [ -e " + begun.string() + " ] && exec " + name +
                         " \"$@\"\ntouch " + begun.string() + "\nsleep 600\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const ScopedVariable cxx("CXX", script.string());
  const std::unique_ptr<Compiler> compiler = make_host_compiler();
  const Program program{"#include \"templates/device/platform.cuh\"\nvoid kernel() {}", {"kernel"}};
  std::string message;
  std::thread thread([&] {
    try {
      compiler->compile(program);
    } catch (const CompileError& error) {
      message = error.what();
    }
  });
  while (!std::filesystem::exists(begun)) std::this_thread::yield();
  compiler->stop_compilations();
  thread.join();
  CHECK_THAT(message,
             ContainsSubstring("Compiling kernel with ") && ContainsSubstring("was stopped"));
  CHECK_FALSE(compiler->compile(program).image.empty());
}

TEST_CASE("Host compiler: leaves no file behind") {
  const TemporaryFolder folder;
  {
    const ScopedVariable variable("TMPDIR", folder.path().string());
    const std::unique_ptr<Compiler> compiler = make_host_compiler();
    compiler->compile({"#include \"templates/device/platform.cuh\"\nvoid kernel() {}", {"kernel"}});
    CHECK_THROWS_AS(compiler->compile({"wrong", {"wrong"}}), CompileError);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
      CHECK(
          (entry.is_directory() || entry.path().string().find("/templates/") != std::string::npos));
    }
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("Host compiler: a fork that destroys its copy leaves the parent's its files") {
  std::unique_ptr<Compiler> compiler = make_host_compiler();
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    compiler.reset();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  const Program program = {"#include \"templates/device/platform.cuh\"\nvoid kernel() {}",
                           {"kernel"}};
  CHECK_FALSE(compiler->compile(program).image.empty());
}

TEST_CASE("Host compiler: compiles for several threads at once") {
  const std::unique_ptr<Compiler> compiler = make_host_compiler();
  const Program program = {"#include \"templates/device/platform.cuh\"\nvoid kernel() {}",
                           {"kernel"}};
  std::vector<CompiledKernel> compiled(3);
  std::vector<std::thread> threads;
  threads.reserve(compiled.size());
  for (CompiledKernel& mine : compiled) {
    threads.emplace_back([&] { mine = compiler->compile(program); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const CompiledKernel& mine : compiled) {
    CHECK_FALSE(mine.image.empty());
    CHECK(mine.lowered_names == std::vector<std::string>{"foldtune_entry_0"});
    CHECK(mine.compile_ms > 0);
  }
}

}  // namespace foldtune::test
