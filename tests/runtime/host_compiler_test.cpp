#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "foldtune/error.h"
#include "runtime/compiler.h"
#include "runtime/temporary_folder.h"
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
      {"#include \"templates/platform.cuh\"\nvoid kernel(int* p) { *p = undefined_name; }",
       {"kernel"}});
  CHECK_THAT(message, ContainsSubstring("Compiling kernel with "));
  CHECK_THAT(message, ContainsSubstring("program:2:"));
  CHECK_THAT(message, ContainsSubstring("undefined_name"));
}

TEST_CASE("Host compiler: an error within a template shows its embedded name") {
  const std::string message =
      compile_error_of({"#include \"templates/operators.cuh\"\n"
                        "void kernel(int* p) { *p = foldtune::Sum<int, int*>::combine(p, p)[0]; }",
                        {"kernel"}});
  CHECK_THAT(message, ContainsSubstring("\ntemplates/operators.cuh:"));
}

TEST_CASE("Host compiler: an unknown kernel is an error that names it") {
  const std::string message =
      compile_error_of({"#include \"templates/platform.cuh\"\n", {"no_such_kernel"}});
  CHECK_THAT(message, ContainsSubstring("name expressions:1:"));
  CHECK_THAT(message, ContainsSubstring("no_such_kernel"));
}

TEST_CASE("Host compiler: a program for GPUs alone is an error that says what to choose") {
  Program program{.source = "#include \"templates/platform.cuh\"\nvoid kernel() {}",
                  .name_expressions = {"kernel"},
                  .needs_toolkit = true};
  CHECK_THAT(compile_error_of(program),
             ContainsSubstring("CUDA Toolkit") && ContainsSubstring("choose another block stage"));
}

TEST_CASE("Host compiler: without a compiler, the error says what was tried and what to do") {
  const ScopedVariable path("PATH", "/nonexistent");
  const ScopedVariable cxx("CXX", "/nonexistent/c++ -v");
  CHECK_THROWS_AS(make_host_compiler(), Unavailable);
  CHECK_THROWS_WITH(make_host_compiler(),
                    ContainsSubstring("/nonexistent/c++ -v: No such file or directory") &&
                        ContainsSubstring("clang++: ") && ContainsSubstring("Install g++"));
}

TEST_CASE("Host compiler: leaves no file behind") {
  const TemporaryFolder folder;
  {
    const ScopedVariable variable("TMPDIR", folder.path().string());
    const std::unique_ptr<Compiler> compiler = make_host_compiler();
    compiler->compile({"#include \"templates/platform.cuh\"\nvoid kernel() {}", {"kernel"}});
    CHECK_THROWS_AS(compiler->compile({"wrong", {"wrong"}}), CompileError);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
      CHECK(
          (entry.is_directory() || entry.path().string().find("/templates/") != std::string::npos));
    }
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("Host compiler: compiles for several threads at once") {
  const std::unique_ptr<Compiler> compiler = make_host_compiler();
  const Program program = {"#include \"templates/platform.cuh\"\nvoid kernel() {}", {"kernel"}};
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
