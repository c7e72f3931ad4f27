#include "tuner/worker/worker_evaluator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "cache/printable.h"
#include "foldtune/error.h"
#include "runtime/support/worker_program.h"
#include "tuner/measure/trial_record.h"
#include "tuner/worker/process_compiler.h"

namespace foldtune {
namespace {

using Seconds = WorkerSession::Seconds;

/// Starts in a row that may fail: the memory of a worker that was stopped may not be free at once.
constexpr int kStarts = 3;

/// A complete timing takes the samples hot, in a stream and from launch to result, too.
constexpr int kCompleteTimings = 4;

// What follows of a time that is over, before anything was measured.
constexpr const char* kNothingStored = ". Nothing was stored; see whether it ends at all";
constexpr const char* kBudgetIsOver =
    ", since the budget leaves no more. Nothing was stored; if it ends at all, a larger budget "
    "helps";

bool is_begun(const WorkerSession::Answer& answer) {
  const auto* const reply = std::get_if<Reply>(&answer);
  return reply != nullptr && std::holds_alternative<Begun>(*reply);
}

/// Whether the worker itself said so, and would say it again.
bool is_final(const Failure& failure) {
  using Kind = Failure::Kind;
  return failure.kind == Kind::invalid_argument || failure.kind == Kind::unavailable ||
         failure.kind == Kind::missing_toolkit || failure.kind == Kind::compile;
}

std::unique_ptr<Compiler> make_compiler(const DeviceRecord& device) {
  if (device.kind == "cuda") {
    return std::make_unique<ProcessCompiler>(
        ProcessCompilerOptions{.command = compiler_command(device.architecture)});
  }
  if (device.kind == "cpu") return make_host_compiler();
  return nullptr;
}

}  // namespace

std::vector<std::string> worker_command(const std::string& device_id, std::uint64_t seed) {
  std::vector<std::string> work{"try", device_id, std::to_string(seed)};
  for (const Family* const family : families()) {
    if (!family->path().empty()) work.emplace_back(family->path());
  }
  return worker_program(std::move(work));
}

WorkerEvaluator::WorkerEvaluator(WorkerOptions options) : options_(std::move(options)) { start(); }

WorkerEvaluator::~WorkerEvaluator() {
  try {
    if (session_ != nullptr) session_->quit(Seconds(options_.quit_s));
  } catch (const std::exception&) {  // then it is killed
  }
}

std::optional<pid_t> WorkerEvaluator::worker_process() const {
  if (session_ == nullptr) return std::nullopt;
  return session_->process();
}

const Compiler* WorkerEvaluator::compiler() {
  if (compiler_ == nullptr) compiler_ = make_compiler(hello_.info.record);
  return compiler_.get();
}

void WorkerEvaluator::start() {
  Failure failure;
  double pause_s = options_.restart_pause_s;
  for (int i = 0; i < kStarts; ++i, pause_s *= 2) {
    if (i > 0) std::this_thread::sleep_for(Seconds(pause_s));
    const bool is_first = starts_ == 0;
    auto found = start_once();
    if (!found) return;
    failure = std::move(*found);
    // A device that is not there now may be when the driver is done with the last worker.
    if (is_first && is_final(failure)) throw_failure(failure);
    if (is_stopped()) throw Unavailable(failure.text);
  }
  throw Unavailable(fmt::format(
      "starting the process that tries configurations: {} starts failed in a row, the last one "
      "because of this: {}; see whether `{}` works, and whether the device does",
      kStarts, failure.text, program()));
}

std::string WorkerEvaluator::program() const {
  return printable(fmt::format("{}", fmt::join(options_.command, " ")));
}

bool WorkerEvaluator::is_stopped() const {
  return options_.stop_requested && options_.stop_requested();
}

std::optional<Failure> WorkerEvaluator::start_once() {
  session_.reset();  // before the next one takes the device
  ++starts_;
  try {
    auto session = std::make_unique<WorkerSession>(options_.command);
    auto failure = greet(*session);
    if (!failure && workload_) failure = send_workload(*session);
    if (!failure) session_ = std::move(session);
    return failure;
  } catch (const std::system_error& error) {
    return Failure{Failure::Kind::other, error.what()};
  }
}

std::optional<Failure> WorkerEvaluator::greet(WorkerSession& session) {
  WorkerSession::Answer said = session.receive(Seconds(options_.start_s), options_.stop_requested);
  const auto* const fault = std::get_if<WorkerFault>(&said);
  if (fault != nullptr && fault->kind == WorkerFault::Kind::timeout) {
    // Final for the first one: there is no last worker whose end it may wait for.
    return Failure{starts_ == 1 ? Failure::Kind::unavailable : Failure::Kind::other,
                   fmt::format("starting the process that tries configurations: it {}; see whether "
                               "`{}` works, and whether the device does",
                               fault->text, program())};
  }
  auto answer = expect<Hello>(std::move(said), "starting");
  if (auto* const failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  auto& hello = std::get<Hello>(answer);
  if (hello_.compiler_version.empty()) {
    hello_ = std::move(hello);
  } else if (hello.info.record != hello_.info.record) {
    return Failure{Failure::Kind::unavailable, "the device is another one now"};
  }
  return std::nullopt;
}

std::optional<Failure> WorkerEvaluator::send_workload(WorkerSession& session) {
  const double gigabytes = static_cast<double>(input_bytes(workload_->largest)) / 1e9;
  const double usual_s = options_.set_problem_s + options_.set_problem_s_per_gb * gigabytes;
  const auto begin = std::chrono::steady_clock::now();
  const auto left_s = [&] {
    return preparation_left_s_ - Seconds(std::chrono::steady_clock::now() - begin).count();
  };
  double limit_s = std::max(left_s(), options_.least_preparation_s);
  std::string doing = fmt::format("preparing {}", to_string(workload_->workload));
  WorkerSession::Answer said =
      session.ask(*workload_, Seconds(std::min(usual_s, limit_s)), options_.stop_requested);
  while (is_begun(said)) {
    doing = fmt::format("running {} for the first time", to_string(workload_->workload));
    limit_s = std::max(left_s(), options_.least_run_s);
    said = session.receive(Seconds(std::min(usual_s, limit_s)), options_.stop_requested);
  }
  if (const auto* const fault = std::get_if<WorkerFault>(&said);
      fault != nullptr && fault->kind == WorkerFault::Kind::timeout) {
    // It would take as long again.
    return Failure{Failure::Kind::device,
                   fmt::format("{}: {}{}", doing, fault->text,
                               limit_s < usual_s ? kBudgetIsOver : kNothingStored)};
  }
  auto answer = expect<WorkloadReady>(std::move(said), doing);
  if (auto* const failure = std::get_if<Failure>(&answer)) return std::move(*failure);
  // What it was at first, so that one figure belongs to a run.
  if (read_bandwidth_gbps_ == 0) {
    read_bandwidth_gbps_ = std::get<WorkloadReady>(answer).read_bandwidth_gbps;
  }
  return std::nullopt;
}

void WorkerEvaluator::set_workload(const Workload& workload, const Workload& largest) {
  workload_.reset();
  ensure_worker();
  workload_ = SetWorkload{.workload = workload, .largest = largest};
  std::unique_ptr<WorkerSession> session = std::move(session_);
  auto failure = send_workload(*session);
  if (!failure || is_final(*failure)) session_ = std::move(session);
  if (failure && failure->kind == Failure::Kind::other && !is_stopped()) {
    // It may have been killed by someone. A second end is due to the problem.
    session.reset();
    failure = start_once();
  }
  if (!failure) return;
  workload_.reset();
  throw_failure(*failure);
}

void WorkerEvaluator::announce(const Workload& next) {
  if (session_ != nullptr) session_->tell(Announce{next});
}

void WorkerEvaluator::ensure_worker() {
  if (session_ == nullptr || session_->has_ended()) start();
}

MeasurementRecord WorkerEvaluator::evaluate(const Trial& trial) {
  ensure_worker();
  Attempt first = attempt(trial);
  if (first.has_begun) return std::move(first.record);
  // The worker ended, or hung, before it knew of the trial.
  start();
  return attempt(trial).record;
}

WorkerEvaluator::Attempt WorkerEvaluator::attempt(const Trial& trial) {
  const int timings = trial.timing == Timing::complete ? kCompleteTimings : 1;
  const Seconds timeout(std::min(options_.evaluate_s + options_.sample_s * trial.samples * timings,
                                 std::max(trial.left_s, options_.least_evaluate_s)));
  Attempt attempt;
  const auto failed = [&](Outcome outcome, std::string reason) {
    attempt.record = failed_trial(workload_->workload, trial, outcome, std::move(reason));
    return std::move(attempt);
  };

  std::unique_ptr<WorkerSession> session = std::move(session_);
  WorkerSession::Answer answer = session->ask(trial, timeout);
  if (is_begun(answer)) {
    attempt.has_begun = true;
    answer = session->receive(timeout);
  }
  if (const auto* const fault = std::get_if<WorkerFault>(&answer)) {
    if (fault->kind == WorkerFault::Kind::timeout) return failed(Outcome::timeout, fault->text);
    return failed(Outcome::crashed, as_failure(*fault, "trying it").text);
  }
  auto& reply = std::get<Reply>(answer);
  if (auto* const record = std::get_if<MeasurementRecord>(&reply)) {
    attempt.record = std::move(*record);
    // After a crash the worker can try nothing more.
    if (attempt.record.outcome != Outcome::crashed) session_ = std::move(session);
    return attempt;
  }
  attempt.has_begun = true;  // it has answered, and would do so again
  if (auto* const failure = std::get_if<Failure>(&reply)) {
    const Outcome outcome =
        failure->kind == Failure::Kind::out_of_memory ? Outcome::out_of_memory : Outcome::crashed;
    return failed(outcome, std::move(failure->text));
  }
  return failed(Outcome::crashed, as_failure(reply, "trying it").text);
}

}  // namespace foldtune
