// A worker over the scripted device, with configurations that do it harm; after `compiler` one over
// a scripted compiler, with programs that do. Its argument says what is wrong with it from the
// start:
//
//   right       nothing
//   absent      it has no device, or compiler
//   silent      it never says hello
//   short       it ends at once, with the status 7
//   once FILE   right if there is no such file, which it makes; short otherwise
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "foldtune/error.h"
#include "templates/reduce/space.h"
#include "tests/fakes/fake_device.h"
#include "tests/tuner/worker_misdeeds.h"
#include "tuner/measure/device_evaluator.h"
#include "tuner/worker/serve.h"

namespace foldtune::test {
namespace {

constexpr int kShortStatus = 7;
constexpr int kMisdeedStatus = 3;

[[noreturn]] void hang() {
  for (;;) ::pause();
}

/// Sanitizers catch signals, and end the process another way.
[[noreturn]] void die_of(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::abort();
}

Fault fault_of(const ReduceParams& params) {
  const auto misdeed = misdeed_of(params);
  if (!misdeed) return Fault::none;
  switch (*misdeed) {
    case Misdeed::load_error:
      return Fault::load_error;
    case Misdeed::launch_error:
      return Fault::launch_error;
    case Misdeed::run_error:
      return Fault::run_error;
    case Misdeed::lost:
      return Fault::lost;
    case Misdeed::device_memory:
      return Fault::out_of_memory;
    case Misdeed::wrong_result:
      return Fault::wrong_result;
    default:
      return Fault::none;
  }
}

void answer(int replies, std::string_view text) {
  if (::write(replies, text.data(), text.size()) < 0) std::abort();
}

void act(Misdeed misdeed, int replies) {
  switch (misdeed) {
    case Misdeed::aborts:
      die_of(SIGABRT);
    case Misdeed::segfaults:
      die_of(SIGSEGV);
    case Misdeed::exits:
      std::fputs("my last word\n", stderr);
      ::_exit(kMisdeedStatus);
    case Misdeed::is_killed:
      die_of(SIGKILL);
    case Misdeed::sleeps_for_30_s:
      return std::this_thread::sleep_for(std::chrono::seconds(30));
    case Misdeed::hangs:
      hang();
    case Misdeed::throws:
      throw std::logic_error("this cannot be");
    case Misdeed::runs_out_of_memory:
      throw std::bad_alloc();
    case Misdeed::answers_garbage:
      return answer(replies, "garbage\n");
    case Misdeed::answers_by_half:
      answer(replies, R"({"kind":"record","body":{"count":)");
      hang();
    case Misdeed::prints:
      std::fputs("to stdout\n", stdout);
      std::fputs("to stderr\n", stderr);
      std::fflush(stdout);
      return;
    default:
      return;
  }
}

class FaultyEvaluator final : public Evaluator {
 public:
  FaultyEvaluator(Evaluator& right, int replies) : right_(right), replies_(replies) {}

  const DeviceInfo& info() const override { return right_.info(); }
  const Compiler* compiler() override { return right_.compiler(); }
  const std::string& compiler_version() override { return right_.compiler_version(); }
  double read_bandwidth_gbps() const override { return right_.read_bandwidth_gbps(); }

  void set_workload(const Workload& workload, const Workload& largest) override {
    const std::uint64_t count = workload.shape[0];
    if (count == kCountThatAborts) die_of(SIGABRT);
    if (count == kCountThatDoesNotCompile) throw CompileError("there is an error");
    if (count == kCountWithoutMemory) throw OutOfMemory("there is no memory");
    if (count == kCountThatHangs) hang();
    if (count == kCountWhoseCodeHangs) {
      tell_of_run_();
      tell_of_run_();
      hang();
    }
    right_.set_workload(workload, largest);
  }

  void tell_of_runs(const std::function<void()>& tell) override { tell_of_run_ = tell; }

  MeasurementRecord evaluate(const Trial& trial) override {
    const auto misdeed = misdeed_of(reduce_params(trial.params));
    if (misdeed) act(*misdeed, replies_);
    return right_.evaluate(trial);
  }

 private:
  Evaluator& right_;
  int replies_;
  std::function<void()> tell_of_run_;
};

/// Its images are the number of its process.
class FaultyCompiler final : public Compiler {
 public:
  explicit FaultyCompiler(int replies) : replies_(replies) {}

  const std::string& version() const override { return version_; }

  CompiledKernel compile(const Program& program) const override {
    if (const auto misdeed = misdeed_of(program)) act(*misdeed, replies_);
    if (program.source == kNoCode) throw CompileError("there is an error");
    if (program.needs_toolkit) throw MissingToolkit("there is no toolkit");
    return {.image = std::to_string(::getpid()), .lowered_names = program.name_expressions};
  }

 private:
  int replies_;
  std::string version_ = "faulty 1.0";
};

void serve_faulty_compiler(const WorkerLine& line) { serve(FaultyCompiler(line.replies), line); }

void serve_faulty_evaluator(const WorkerLine& line) {
  FakeDevice device({.fault = fault_of});
  DeviceEvaluator right(device, 1);
  FaultyEvaluator faulty(right, line.replies);
  serve(faulty, line);
}

int run(std::vector<std::string> arguments) {
  const bool compiles = !arguments.empty() && arguments.front() == "compiler";
  if (compiles) arguments.erase(arguments.begin());
  std::string how = arguments.empty() ? "right" : arguments.front();
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (how == "once") {
    const std::string& file = arguments.at(1);
    if (std::ifstream(file)) how = "short";
    std::ofstream(file) << "started\n";
  }
  if (how == "short") {
    std::fputs("I am not well\n", stderr);
    return kShortStatus;
  }
  return run_worker([&](const WorkerLine& line) {
    if (how == "absent") throw Unavailable("there is no device");
    if (how == "silent") hang();
    compiles ? serve_faulty_compiler(line) : serve_faulty_evaluator(line);
  });
}

}  // namespace
}  // namespace foldtune::test

int main(int argc, char** argv) { return foldtune::test::run({argv + 1, argv + argc}); }
