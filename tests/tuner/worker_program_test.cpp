// The built program as the workers: on the CPU device, and with NVRTC.
#include <thread>
#include <vector>

#include "foldtune/error.h"
#include "templates/family.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/tuner/machine_code.h"
#include "tuner/worker/process_compiler.h"
#include "tuner/worker/worker_evaluator.h"

namespace foldtune {
namespace {

constexpr const char* kArchitecture = "sm_90";

ProcessCompilerOptions compiler_options() {
  return {.command = {FOLDTUNE_PROGRAM, "worker", "--compile-for", kArchitecture}};
}

/// NVRTC of this process; null, with the reason printed, where there is none.
std::unique_ptr<Compiler> nvrtc() {
  try {
    return make_nvrtc_compiler(kArchitecture);
  } catch (const Unavailable& error) {
    WARN("skipped: " << error.what());
    return nullptr;
  }
}

Program program_of(int block_size) {
  return make_program({.problem = {}, .params = ReduceParams{.block_size = block_size}});
}

std::string compile_error_of(const Compiler& compiler, const Program& program) {
  try {
    compiler.compile(program);
    return {};
  } catch (const CompileError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("The program is a worker for its devices") {
  WorkerOptions options;
  options.command = {FOLDTUNE_PROGRAM, "worker", "--device", "cpu", "--seed", "7"};
  options.evaluate_s = 60;  // a shared library is loaded, and fibers are slow with sanitizers
  WorkerEvaluator worker(options);
  CHECK(worker.info().record.kind == "cpu");
  REQUIRE(worker.compiler() != nullptr);
  CHECK(worker.compiler_version() == worker.compiler()->version());

  const Problem problem{.count = 1000};
  worker.set_problem(problem, problem.count);
  const ReduceParams params{.block_size = 32};
  const Program program = make_program({.problem = problem, .params = params});
  const Trial trial{
      .params = params,
      .compiled = std::make_shared<const CompiledKernel>(worker.compiler()->compile(program))};
  const MeasurementRecord record = worker.evaluate(trial);
  INFO(record.failure);
  CHECK(record.outcome == Outcome::ok);
  CHECK(record.samples_us.size() == static_cast<std::size_t>(trial.samples));
}

TEST_CASE("A device that is not there is an error of its own, at once") {
  WorkerOptions options;
  options.command = {FOLDTUNE_PROGRAM, "worker", "--device", "gpu"};
  CHECK_THROWS_AS(WorkerEvaluator(options), InvalidArgument);
  options.command = {FOLDTUNE_PROGRAM, "worker", "--device", "cuda:12345"};
  CHECK_THROWS_AS(WorkerEvaluator(options), Error);
}

TEST_CASE("What NVRTC compiles, and what it says, is the same in a process of its own") {
  const auto here = nvrtc();
  if (here == nullptr) return;
  const ProcessCompiler compiler(compiler_options());
  CHECK(compiler.version() == here->version());

  const CompiledKernel expected = here->compile(program_of(128));
  const CompiledKernel compiled = compiler.compile(program_of(128));
  CHECK(compiled.lowered_names == expected.lowered_names);
  CHECK(test::machine_code(compiled) == test::machine_code(expected));
  CHECK(compiled.compile_ms > 0);

  const Program wrong{.source = "__global__ void wrong() { this is no code }\n",
                      .name_expressions = {"wrong"}};
  const std::string error = compile_error_of(compiler, wrong);
  CHECK_THAT(error, Catch::Matchers::ContainsSubstring("this is no code"));
  CHECK(error == compile_error_of(*here, wrong));
}

TEST_CASE("NVRTC compiles for several threads at once in processes of its own") {
  const auto here = nvrtc();
  if (here == nullptr) return;
  const ProcessCompiler compiler(compiler_options());
  const std::vector<int> block_sizes = {64, 128, 256};
  std::vector<CompiledKernel> compiled(block_sizes.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < block_sizes.size(); ++i) {
      threads.emplace_back([&, i] { compiled[i] = compiler.compile(program_of(block_sizes[i])); });
    }
  }
  for (std::size_t i = 0; i < block_sizes.size(); ++i) {
    const CompiledKernel expected = here->compile(program_of(block_sizes[i]));
    CHECK(compiled[i].lowered_names == expected.lowered_names);
    CHECK(test::machine_code(compiled[i]) == test::machine_code(expected));
  }
}

TEST_CASE("Without NVRTC there are no processes that compile, and the reason is NVRTC's") {
  ProcessCompilerOptions options = compiler_options();
  options.command.insert(options.command.begin(), {"env", "FOLDTUNE_NVRTC=/nonexistent/nvrtc.so"});
  CHECK_THROWS_AS(ProcessCompiler(options), Unavailable);
  CHECK_THROWS_WITH(ProcessCompiler(options),
                    Catch::Matchers::StartsWith("opening NVRTC") &&
                        Catch::Matchers::ContainsSubstring("/nonexistent/nvrtc.so"));
}

TEST_CASE("A worker either tries configurations or compiles") {
  ProcessCompilerOptions options = compiler_options();
  options.command.insert(options.command.end(), {"--device", "cpu"});
  CHECK_THROWS_AS(ProcessCompiler(options), Unavailable);
  options.command = {FOLDTUNE_PROGRAM, "worker"};
  CHECK_THROWS_AS(ProcessCompiler(options), Unavailable);
}

}  // namespace foldtune
