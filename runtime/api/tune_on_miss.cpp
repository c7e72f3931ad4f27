#include "runtime/api/tune_on_miss.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "foldtune/error.h"
#include "runtime/api/failure.h"
#include "runtime/support/child_process.h"
#include "runtime/support/log.h"
#include "runtime/support/worker_program.h"
#include "templates/family.h"
#include "templates/json_fields.h"
#include "templates/workload_json.h"

namespace foldtune {

template <FieldsOf<Tuned> T, class Visit>
void visit_fields(T& tuned, const Visit& visit) {
  visit("config", tuned.config);
  visit("reason", tuned.reason);
}

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

/// What a tuning may take beside its budget: what is being compiled and measured at its end, and
/// the ends of processes. Far more than it ever does.
constexpr std::chrono::seconds kBesideBudget{300};

/// In which a worker says that it has begun, which takes it some milliseconds, and in which one
/// ends that has closed its output.
constexpr std::chrono::seconds kStart{15};
constexpr std::chrono::seconds kEnd{2};

std::unique_ptr<ChildProcess> start_worker() {
  std::vector<std::string> work{"tune"};
  for (const Family* const family : families()) {
    if (!family->path().empty()) work.emplace_back(family->path());
  }
  const std::vector<std::string> command = worker_program(std::move(work));
  Log::write(LogLevel::info, fmt::format("tuning in a process of {}", command.front()));
  try {
    return std::make_unique<ChildProcess>(command);
  } catch (const std::system_error& error) {
    throw Unavailable(fmt::format("starting {}: {}", command.front(), error.what()));
  }
}

/// The worker's next line, which it takes from `incoming`; an incomplete one if it ends or takes
/// too long.
std::string next_line(ChildProcess& worker, std::string_view& outgoing, std::string& incoming,
                      Clock::time_point deadline) {
  while (incoming.find('\n') == std::string::npos && Clock::now() < deadline &&
         worker.transfer(outgoing, incoming, deadline) == ChildProcess::Transfer::moved) {
  }
  const std::size_t end = std::min(incoming.find('\n'), incoming.size());
  std::string line = incoming.substr(0, end);
  incoming.erase(0, end + 1);
  return line;
}

/// Throws what a failure says, and Json::exception for what is no message.
Json read_message(const std::string& line) {
  Json message = Json::parse(line);
  if (message.at("kind") == "failure") throw_failure(read_json<Failure>(message.at("body")));
  return message;
}

class WorkerTuner {
 public:
  WorkerTuner(std::string device, std::string database, double budget_s)
      : device_(std::move(device)), database_(std::move(database)), budget_s_(budget_s) {}

  Tuned tune(const Workload& workload) {
    const std::lock_guard lock(mutex_);  // two would disturb each other's timing
    const std::string doing = fmt::format("tuning {}", to_string(workload));
    Tuned tuned = tune_in(*start_worker(), workload, doing);
    if (tuned.config.empty()) {
      Log::write(LogLevel::warning,
                 fmt::format("{}: {}; it runs with the untuned default", doing, tuned.reason));
    }
    return tuned;
  }

 private:
  Tuned tune_in(ChildProcess& worker, const Workload& workload, std::string_view doing) const {
    const TuneRequest request{
        .workload = workload, .device = device_, .database = database_, .budget_s = budget_s_};
    const auto deadline =
        Clock::now() + kBesideBudget +
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(budget_s_));
    const Json message{{"kind", "tune"}, {"body", tune_request_to_json(request)}};
    const std::string bytes = message.dump() + '\n';
    std::string_view outgoing = bytes;
    std::string incoming;
    bool has_begun = false;  // as one of this build does
    const auto next = [&](Clock::time_point by) {
      return read_message(next_line(worker, outgoing, incoming, by));
    };
    try {
      has_begun = next(Clock::now() + kStart).at("kind") == "begun";
      if (has_begun) {
        return tuned_from_json(next(deadline).at("body"));
      }
    } catch (const Json::exception&) {  // told below, with how it ended
    }
    const std::optional<int> status = worker.wait(Clock::now() + kEnd);
    const std::string written = worker.error_tail();
    const std::string what = fmt::format(
        "{}: the worker gave no answer, and {}; {}. `foldtune doctor` says whether it is the right "
        "one",
        doing,
        status ? "ended with " + describe_end(*status) : "did not end in time, and was stopped",
        written.empty() ? "it wrote nothing" : "it wrote: " + written);
    if (!has_begun) throw Unavailable(what);
    throw DeviceError(what);
  }

  const std::string device_;
  const std::string database_;
  const double budget_s_;
  std::mutex mutex_;
};

}  // namespace

nlohmann::json tune_request_to_json(const TuneRequest& request) {
  return {{"workload", workload_to_json(request.workload)},
          {"device", write_json(request.device)},
          {"database", write_json(request.database)},
          {"budget_s", request.budget_s}};
}

TuneRequest tune_request_from_json(const nlohmann::json& json) {
  return {.workload = workload_from_json(json.at("workload")),
          .device = read_json<std::string>(json.at("device")),
          .database = read_json<std::string>(json.at("database")),
          .budget_s = read_json<double>(json.at("budget_s"))};
}

nlohmann::json tuned_to_json(const Tuned& tuned) { return write_json(tuned); }
Tuned tuned_from_json(const nlohmann::json& json) { return read_json<Tuned>(json); }

std::function<Tuned(const Workload& workload)> tune_in_worker(std::string device,
                                                              std::string database,
                                                              double budget_s) {
  const auto tuner =
      std::make_shared<WorkerTuner>(std::move(device), std::move(database), budget_s);
  return [tuner](const Workload& workload) { return tuner->tune(workload); };
}

}  // namespace foldtune
