// A worker over the scripted device, with configurations that do it harm. Its argument says what is
// wrong with it from the start:
//
//   right       nothing
//   absent      it has no device
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
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "foldtune/error.h"
#include "tests/fakes/fake_device.h"
#include "tests/tuner/worker_misdeeds.h"
#include "tuner/device_evaluator.h"
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

class FaultyEvaluator final : public Evaluator {
 public:
  FaultyEvaluator(Evaluator& right, int replies) : right_(right), replies_(replies) {}

  const DeviceInfo& info() const override { return right_.info(); }
  const Compiler* compiler() override { return right_.compiler(); }
  const std::string& compiler_version() override { return right_.compiler_version(); }
  double read_bandwidth_gbps() const override { return right_.read_bandwidth_gbps(); }

  void set_problem(const Problem& problem, std::uint64_t largest_count) override {
    if (problem.count == kCountThatAborts) die_of(SIGABRT);
    if (problem.count == kCountThatDoesNotCompile) throw CompileError("there is an error");
    if (problem.count == kCountWithoutMemory) throw OutOfMemory("there is no memory");
    right_.set_problem(problem, largest_count);
  }

  MeasurementRecord evaluate(const Trial& trial) override {
    if (const auto misdeed = misdeed_of(std::get<ReduceParams>(trial.params))) act(*misdeed);
    return right_.evaluate(trial);
  }

 private:
  void answer(std::string_view text) const {
    if (::write(replies_, text.data(), text.size()) < 0) std::abort();
  }

  void act(Misdeed misdeed) const {
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
        return answer("garbage\n");
      case Misdeed::answers_by_half:
        answer(R"({"kind":"record","body":{"count":)");
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

  Evaluator& right_;
  int replies_;
};

void serve_faults(const WorkerLine& line) {
  FakeDevice device({.fault = fault_of});
  DeviceEvaluator right(device, 1);
  FaultyEvaluator faulty(right, line.replies);
  serve(faulty, line);
}

int run(std::string_view how, const std::string& file) {
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (how == "once") {
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
    serve_faults(line);
  });
}

}  // namespace
}  // namespace foldtune::test

int main(int argc, char** argv) {
  return foldtune::test::run(argc > 1 ? argv[1] : "right", argc > 2 ? argv[2] : "");
}
