// The built program as the worker, on the CPU device.
#include "runtime/variant.h"
#include "tests/catch.h"
#include "tuner/worker/worker_evaluator.h"

namespace foldtune {

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

}  // namespace foldtune
