// foldtune-worker: found, on the CPU device, with NVRTC, and asked by the library to tune.
#include "runtime/support/worker_program.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "foldtune/context.h"
#include "foldtune/error.h"
#include "foldtune/foldtune.h"
#include "runtime/support/temporary_folder.h"
#include "templates/family.h"
#include "templates/reduce/space.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tests/runtime/scoped_variable.h"
#include "tests/tuner/machine_code.h"
#include "tuner/worker/process_compiler.h"
#include "tuner/worker/worker_evaluator.h"

namespace foldtune {
namespace {

constexpr const char* kArchitecture = "sm_90";

ProcessCompilerOptions compiler_options() { return {.command = compiler_command(kArchitecture)}; }

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
  return make_program({.workload = Reduction{}, .params = ReduceParams{.block_size = block_size}});
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

TEST_CASE("A worker tries configurations on a device") {
  WorkerOptions options;
  options.command = worker_command("cpu", 7);
  options.evaluate_s = 60;  // a shared library is loaded, and fibers are slow with sanitizers
  WorkerEvaluator worker(options);
  CHECK(worker.info().record.kind == "cpu");
  REQUIRE(worker.compiler() != nullptr);
  CHECK(worker.compiler_version() == worker.compiler()->version());

  const Reduction problem{.count = 1000};
  worker.set_workload(problem, problem);
  const ReduceParams params{.block_size = 32};
  const Program program = make_program({.workload = problem, .params = params});
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
  options.command = worker_command("gpu", 1);
  CHECK_THROWS_AS(WorkerEvaluator(options), InvalidArgument);
  options.command = worker_command("cuda:12345", 1);
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

TEST_CASE("A worker of another build, or with another command line, does not begin") {
  std::vector<std::string> command = worker_command("cpu", 1);
  command[1] = "0.0.0-0";
  CHECK_THROWS_AS(WorkerEvaluator({.command = command}), Unavailable);
  CHECK_THROWS_WITH(WorkerEvaluator({.command = command}),
                    Catch::Matchers::ContainsSubstring("was started by 0.0.0-0"));
  CHECK_THROWS_AS(ProcessCompiler({.command = worker_program({"compile"})}), Unavailable);
  CHECK_THROWS_AS(ProcessCompiler({.command = worker_program({})}), Unavailable);
}

namespace {

constexpr const char* kPlace = "libexec/foldtune/foldtune-worker";

/// A program in the folder of `path`, which is made.
std::filesystem::path make_program_file(const std::filesystem::path& path) {
  std::filesystem::create_directories(path.parent_path());
  write_file(path, "#!/bin/sh\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

}  // namespace

TEST_CASE("The worker is found beside the library or the program, and in the folders above them") {
  const test::TemporaryFolder prefix;
  const std::filesystem::path worker = make_program_file(prefix.file(kPlace));
  CHECK(find_worker_program(prefix.file("bin/foldtune")) == worker);
  CHECK(find_worker_program(prefix.file("lib/x86_64-linux-gnu/libfoldtune.so.0.1")) == worker);
  const std::filesystem::path nearer = make_program_file(prefix.file(std::string("lib/") + kPlace));
  CHECK(find_worker_program(prefix.file("lib/libfoldtune.so.0.1")) == nearer);
  CHECK(find_worker_program(prefix.file("bin/foldtune")) == worker);
}

TEST_CASE("Without a worker the error says what was looked for, where, and what to do") {
  const test::TemporaryFolder prefix;
  const std::string library = prefix.file("lib/libfoldtune.so");
  CHECK_THROWS_AS(find_worker_program(library), Unavailable);
  CHECK_THROWS_WITH(find_worker_program(library),
                    Catch::Matchers::ContainsSubstring(kPlace) &&
                        Catch::Matchers::ContainsSubstring(library) &&
                        Catch::Matchers::ContainsSubstring("FOLDTUNE_WORKER"));
  const test::ScopedVariable named("FOLDTUNE_WORKER", prefix.file("missing"));
  CHECK_THROWS_WITH(worker_program({}), Catch::Matchers::ContainsSubstring(prefix.file("missing") +
                                                                           ", which is not there"));
}

TEST_CASE("A worker that another user has put there is not started") {
  if (::geteuid() != 0) return;  // who may not give files away
  const test::TemporaryFolder prefix;
  const std::filesystem::path worker = make_program_file(prefix.file(kPlace));
  constexpr uid_t kNobody = 65534;
  REQUIRE(::chown(worker.c_str(), kNobody, kNobody) == 0);
  CHECK_THROWS_AS(find_worker_program(prefix.file("program")), Unavailable);
  make_program_file(prefix.file("program"));
  REQUIRE(::chown(prefix.file("program").c_str(), kNobody, kNobody) == 0);
  CHECK(find_worker_program(prefix.file("program")) == worker);
}

TEST_CASE("FOLDTUNE_WORKER names the worker") {
  const test::TemporaryFolder folder;
  const std::string named = make_program_file(folder.file("mine")).string();
  const test::ScopedVariable variable("FOLDTUNE_WORKER", named);
  CHECK(worker_program({"tune"}) == std::vector<std::string>{named, build_name(), "tune"});
}

TEST_CASE("A context tunes what it misses in processes of its own, and the next one finds it") {
  const test::TemporaryFolder folder;
  const ContextOptions options{.device = "cpu",
                               .database = folder.file("tuning.db"),
                               .on_miss = {.action = OnMiss::tune, .budget_s = 1}};
  const Reduction sum{.op = Operator::sum, .type = ElementType::f32};
  const std::vector<float> input(1000, 0.5f);
  {
    Context context(options);
    const Reducer reducer = context.reducer(sum);
    CHECK(reducer.value<float>(input.data(), input.size()) == 500);
    CHECK(reducer.explain(input.size()).source == ConfigSource::exact);
  }
  Context later({.device = "cpu", .database = options.database});
  CHECK(later.reducer(sum).explain(input.size()).source == ConfigSource::exact);
}

TEST_CASE("C API: a miss is tuned, where it is asked for") {
  const test::TemporaryFolder folder;
  const test::ScopedVariable none("FOLDTUNE_WORKER", folder.file("missing"));
  const std::string database = folder.file("tuning.db");
  foldtune_context_options options{};
  options.device = "cpu";
  options.database = database.c_str();
  options.tune_untuned_s = 1;
  foldtune_context* context = nullptr;
  REQUIRE(foldtune_context_create(&options, &context) == FOLDTUNE_OK);
  foldtune_problem problem{};
  problem.op = "sum";
  problem.type = "f32";
  foldtune_reducer* sum = nullptr;
  REQUIRE(foldtune_reducer_create(context, &problem, &sum) == FOLDTUNE_OK);
  const float value = 1;
  const void* const inputs[] = {&value};
  float result = -1;
  CHECK(foldtune_reduce(sum, inputs, 1, 1, &result, nullptr) == FOLDTUNE_UNAVAILABLE);
  CHECK_THAT(foldtune_last_error(), Catch::Matchers::ContainsSubstring("FOLDTUNE_WORKER"));
  foldtune_reducer_destroy(sum);
  foldtune_context_destroy(context);
}

TEST_CASE("A miss that cannot be tuned is an error that says why, and the next call asks again") {
  const test::TemporaryFolder folder;
  ContextOptions options{
      .device = "cpu", .database = folder.file("tuning.db"), .on_miss = {.action = OnMiss::tune}};
  const std::vector<float> input(1000);
  const auto call = [&] {
    Context context(options);
    const Reducer reducer = context.reducer({.op = Operator::sum, .type = ElementType::f32});
    reducer.value<float>(input.data(), input.size());
  };
  {
    const test::ScopedVariable none("FOLDTUNE_WORKER", folder.file("missing"));
    CHECK_THROWS_AS(call(), Unavailable);
  }
  {
    const test::ScopedVariable silent("FOLDTUNE_WORKER", "/bin/false");
    CHECK_THROWS_AS(call(), Unavailable);
    CHECK_THROWS_WITH(call(), Catch::Matchers::StartsWith("tuning sum") &&
                                  Catch::Matchers::ContainsSubstring("exit status 1"));
  }
  {
    const test::ScopedVariable babbling("FOLDTUNE_WORKER", "/usr/bin/yes");
    const auto begin = std::chrono::steady_clock::now();
    CHECK_THROWS_WITH(call(), Catch::Matchers::ContainsSubstring("did not end in time"));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
  }
  write_file(options.database, "no database, but a text");
  CHECK_THROWS_AS(call(), DatabaseError);
}

}  // namespace foldtune
