#include "tuner/worker/worker_evaluator.h"

#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "foldtune/error.h"
#include "templates/family.h"
#include "templates/reduce/space.h"
#include "tests/cache/child_process.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tests/tuner/processes.h"
#include "tests/tuner/worker_misdeeds.h"
#include "tuner/measure/device_evaluator.h"

namespace foldtune {
namespace {

using test::has_children;
using test::is_running;
using test::Misdeed;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kCount = 4096;

WorkerOptions options_of(std::vector<std::string> arguments) {
  WorkerOptions options;
  options.command = std::move(arguments);
  options.command.insert(options.command.begin(), FOLDTUNE_FAULTY_WORKER);
  // Far more than a right trial takes, on a busy machine, too.
  options.evaluate_s = 1.5;
  options.sample_s = 0;
  options.restart_pause_s = 0.01;
  options.quit_s = 1.5;
  return options;
}

Reduction problem() { return {.count = kCount}; }

Trial trial_of(const ReduceParams& params) {
  test::FakeDevice device;
  const Program program = make_program({.workload = problem(), .params = params});
  return {.params = params,
          .compiled = std::make_shared<CompiledKernel>(device.compiler().compile(program))};
}

Trial good_trial() { return trial_of({.block_size = 128}); }
Trial bad_trial(Misdeed misdeed) { return trial_of(test::misdeed_params(misdeed)); }

/// What a device of this process says of the good trial.
MeasurementRecord good_record() {
  test::FakeDevice device;
  DeviceEvaluator evaluator(device, 1);
  evaluator.set_workload(problem(), problem());
  return evaluator.evaluate(good_trial());
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

TEST_CASE("A worker is asked for what a device of this process is asked for") {
  test::FakeDevice device;
  WorkerEvaluator worker(options_of({"right"}));
  CHECK(worker.info().record == device.info().record);
  CHECK(worker.info().id == "fake");
  CHECK(worker.info().memory_bytes == device.info().memory_bytes);
  CHECK(worker.compiler_version() == device.compiler().version());
  CHECK(worker.compiler() == nullptr);
  worker.set_workload(problem(), problem());
  CHECK(worker.read_bandwidth_gbps() > 0);

  const MeasurementRecord good = good_record();
  REQUIRE(good.outcome == Outcome::ok);
  CHECK(worker.evaluate(good_trial()) == good);
  CHECK(worker.evaluate(bad_trial(Misdeed::prints)).outcome == Outcome::ok);
  CHECK(worker.starts() == 1);
}

TEST_CASE("Whatever a configuration does to the worker, it is in its record, and nowhere else") {
  struct Reaction {
    Misdeed misdeed;
    Outcome outcome;
    const char* reason;
    bool ends_worker;
  };
  constexpr bool kEnds = true;
  constexpr bool kStays = false;
  const Reaction expectations[] = {
      {Misdeed::aborts, Outcome::crashed, "signal 6", kEnds},
      {Misdeed::segfaults, Outcome::crashed, "signal 11", kEnds},
      {Misdeed::exits, Outcome::crashed, "exit status 3; it wrote: my last word", kEnds},
      {Misdeed::is_killed, Outcome::crashed, "signal 9", kEnds},
      {Misdeed::sleeps_for_30_s, Outcome::timeout, "did not end within 1.5 s", kEnds},
      {Misdeed::hangs, Outcome::timeout, "did not end within 1.5 s", kEnds},
      {Misdeed::throws, Outcome::crashed, "this cannot be", kEnds},
      {Misdeed::runs_out_of_memory, Outcome::out_of_memory, "memory is not enough", kEnds},
      {Misdeed::answers_garbage, Outcome::crashed, "cannot be understood", kEnds},
      {Misdeed::answers_by_half, Outcome::timeout, "did not end within 1.5 s", kEnds},
      {Misdeed::load_error, Outcome::load_error, "cannot be loaded", kStays},
      {Misdeed::launch_error, Outcome::launch_error, "the launch failed", kStays},
      {Misdeed::run_error, Outcome::launch_error, "an earlier launch failed", kStays},
      {Misdeed::lost, Outcome::crashed, "the launch broke the device", kEnds},
      {Misdeed::device_memory, Outcome::out_of_memory, "no memory is left", kStays},
      {Misdeed::wrong_result, Outcome::wrong_result, "", kStays},
  };
  const MeasurementRecord good = good_record();
  {
    WorkerEvaluator worker(options_of({"right"}));
    worker.set_workload(problem(), problem());
    CHECK(worker.evaluate(good_trial()) == good);
    int starts = 1;
    for (const Reaction& expected : expectations) {
      INFO("misdeed " << static_cast<int>(expected.misdeed));
      const Trial trial = bad_trial(expected.misdeed);
      const MeasurementRecord record = worker.evaluate(trial);
      INFO(record.failure);
      CHECK(std::string(to_string(record.outcome)) == to_string(expected.outcome));
      CHECK(contains(record.failure, expected.reason));
      CHECK_FALSE(record.failure.empty());
      CHECK(record.problem == good.problem);
      CHECK(record.shape == good.shape);
      CHECK(record.bytes == good.bytes);
      CHECK(record.params == to_json(trial.params));
      CHECK(record.compile_ms == good.compile_ms);
      CHECK(record.samples_us.empty());

      CHECK(worker.evaluate(good_trial()) == good);
      starts += expected.ends_worker ? 1 : 0;
      CHECK(worker.starts() == starts);
    }
  }
  CHECK_FALSE(has_children());
}

TEST_CASE("A worker that is killed between two trials is replaced, and nobody is blamed") {
  WorkerEvaluator worker(options_of({"right"}));
  worker.set_workload(problem(), problem());
  ::kill(worker.worker_process().value(), SIGKILL);
  CHECK(worker.evaluate(good_trial()) == good_record());
  ::kill(worker.worker_process().value(), SIGKILL);
  worker.set_workload(problem(), problem());
  CHECK(worker.evaluate(good_trial()) == good_record());
  CHECK(worker.starts() == 3);
}

TEST_CASE("An image that is larger than any pipe arrives, and stops nobody who sends it") {
  Trial large = good_trial();
  auto image = *large.compiled;
  image.image.append(std::size_t{8} << 20, ' ');
  large.compiled = std::make_shared<CompiledKernel>(image);

  WorkerEvaluator worker(options_of({"right"}));
  worker.set_workload(problem(), problem());
  CHECK(worker.evaluate(large) == good_record());
  ::kill(worker.worker_process().value(), SIGKILL);
  CHECK(worker.evaluate(large) == good_record());
  CHECK(worker.starts() == 2);
  // It takes nothing any more, and does not end.
  ::kill(worker.worker_process().value(), SIGSTOP);
  CHECK(worker.evaluate(large) == good_record());
  CHECK(worker.starts() == 3);
}

TEST_CASE("A problem that the worker refuses is an error, and the next one is served") {
  WorkerEvaluator worker(options_of({"right"}));
  const auto set = [&](std::uint64_t count) {
    worker.set_workload(Reduction{.count = count}, problem());
  };
  CHECK_THROWS_AS(set(test::kCountThatDoesNotCompile), CompileError);
  CHECK_THROWS_AS(set(test::kCountWithoutMemory), OutOfMemory);
  CHECK_THROWS_AS(set(test::kCountThatAborts), DeviceError);
  worker.set_workload(problem(), problem());
  CHECK(worker.evaluate(good_trial()) == good_record());
}

TEST_CASE("A worker that cannot be started is an error that says why") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THROWS_WITH(WorkerEvaluator(options_of({"absent"})),
                    ContainsSubstring("there is no device"));
  CHECK_THROWS_AS(WorkerEvaluator(options_of({"absent"})), Unavailable);
  CHECK_THROWS_AS(WorkerEvaluator(options_of({"short"})), Unavailable);
  CHECK_THROWS_WITH(WorkerEvaluator(options_of({"short"})),
                    ContainsSubstring("3 starts failed") && ContainsSubstring("exit status 7") &&
                        ContainsSubstring("I am not well"));
  WorkerOptions silent = options_of({"silent"});
  silent.start_s = 0.2;
  CHECK_THROWS_WITH(WorkerEvaluator(silent), ContainsSubstring("did not end within 0.2 s") &&
                                                 !ContainsSubstring("3 starts"));
  CHECK_THROWS_AS(WorkerEvaluator({.command = {"/nonexistent/worker"}, .restart_pause_s = 0}),
                  Unavailable);
  CHECK_FALSE(has_children());
}

TEST_CASE("A worker that cannot be started again is an error, after the crash was recorded") {
  const test::TemporaryFolder folder;
  WorkerEvaluator worker(options_of({"once", folder.file("started")}));
  worker.set_workload(problem(), problem());
  CHECK(worker.evaluate(bad_trial(Misdeed::aborts)).outcome == Outcome::crashed);
  CHECK_THROWS_AS(worker.evaluate(good_trial()), Unavailable);
  CHECK_THROWS_AS(worker.set_workload(problem(), problem()), Unavailable);
  CHECK(worker.starts() == 7);
}

TEST_CASE("What a worker may take follows what the budget leaves") {
  WorkerOptions options = options_of({"right"});
  options.evaluate_s = 60;
  options.least_evaluate_s = 0.3;
  options.least_preparation_s = 0.3;
  WorkerEvaluator worker(options);
  worker.limit_preparation(0);
  Reduction hanging = problem();
  hanging.count = test::kCountThatHangs;
  const auto begin = Clock::now();
  CHECK_THROWS_WITH(worker.set_workload(hanging, hanging),
                    Catch::Matchers::ContainsSubstring("did not end within 0.3 s") &&
                        Catch::Matchers::ContainsSubstring("the budget leaves no more"));
  worker.limit_preparation(60);
  worker.set_workload(problem(), problem());
  Trial trial = bad_trial(Misdeed::hangs);
  trial.left_s = 0;
  const MeasurementRecord record = worker.evaluate(trial);
  CHECK(record.outcome == Outcome::timeout);
  CHECK(contains(record.failure, "did not end within 0.3 s"));
  CHECK(seconds_since(begin) < 30);
  CHECK(worker.evaluate(good_trial()).outcome == Outcome::ok);
}

TEST_CASE("A request to stop ends a start and a preparation, and no trial") {
  std::atomic<bool> is_asked = true;
  WorkerOptions silent = options_of({"silent"});
  silent.stop_requested = [&] { return is_asked.load(); };
  const auto begin = Clock::now();
  CHECK_THROWS_AS(WorkerEvaluator(silent), Unavailable);
  WorkerOptions options = options_of({"right"});
  options.stop_requested = silent.stop_requested;
  is_asked = false;
  WorkerEvaluator worker(options);
  is_asked = true;
  Reduction hanging = problem();
  hanging.count = test::kCountThatHangs;
  CHECK_THROWS_WITH(worker.set_workload(hanging, hanging),
                    Catch::Matchers::ContainsSubstring("was stopped"));
  CHECK(seconds_since(begin) < 30);
  is_asked = false;
  worker.set_workload(problem(), problem());
  is_asked = true;
  CHECK(worker.evaluate(good_trial()) == good_record());
}

TEST_CASE("Preparing may take longer than the budget leaves, but not the code that it runs") {
  WorkerOptions options = options_of({"right"});
  options.least_preparation_s = 60;
  options.least_run_s = 0.3;
  WorkerEvaluator worker(options);
  worker.limit_preparation(0);
  Reduction hanging = problem();
  hanging.count = test::kCountWhoseCodeHangs;
  const auto begin = Clock::now();
  CHECK_THROWS_WITH(worker.set_workload(hanging, hanging),
                    Catch::Matchers::ContainsSubstring("for the first time: did not end") &&
                        Catch::Matchers::ContainsSubstring("the budget leaves no more") &&
                        Catch::Matchers::ContainsSubstring("Nothing was stored"));
  CHECK(seconds_since(begin) < 30);
  worker.set_workload(problem(), problem());
  CHECK(worker.evaluate(good_trial()).outcome == Outcome::ok);
}

TEST_CASE("A worker that hangs does not hold up its evaluator's end") {
  auto worker = std::make_unique<WorkerEvaluator>(options_of({"right"}));
  const pid_t process = worker->worker_process().value();
  ::kill(process, SIGSTOP);
  const auto begin = Clock::now();
  worker.reset();
  CHECK(seconds_since(begin) < 8);
  CHECK_FALSE(has_children());
  CHECK_FALSE(is_running(process));
}

TEST_CASE("A worker that hangs ends with the process that started it") {
  pid_t worker_process = -1;
  {
    test::ChildProcess tuner([](test::Line& line) {
      WorkerOptions options = options_of({"right"});
      options.evaluate_s = 60;
      WorkerEvaluator worker(options);
      worker.set_workload(problem(), problem());
      line.send(std::to_string(worker.worker_process().value()));
      // By default it ends the process.
      const itimerval soon{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 300'000}};
      ::setitimer(ITIMER_REAL, &soon, nullptr);
      worker.evaluate(bad_trial(Misdeed::hangs));
    });
    worker_process = static_cast<pid_t>(std::stoi(tuner.receive()));
  }
  const auto begin = Clock::now();
  while (is_running(worker_process) && seconds_since(begin) < 10) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK_FALSE(is_running(worker_process));
}

}  // namespace foldtune
