#include "tuner/measure/device_evaluator.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "foldtune/error.h"
#include "runtime/lookup/lookup.h"
#include "tuner/measure/background.h"

namespace foldtune {
namespace {

/// Twice as many as are compared in turns. A graph of thousands of calls takes megabytes.
constexpr std::size_t kMostKept = 24;

/// What is loaded and which kernels of it.
std::uint64_t hash(const CompiledKernel& compiled) {
  std::uint64_t hash = XXH3_64bits(compiled.image.data(), compiled.image.size());
  for (const std::string& name : compiled.lowered_names) {
    hash = XXH3_64bits_withSeed(name.data(), name.size(), hash);
  }
  return hash;
}

/// Errors of the kernel itself, such as an access beyond an array, end everything on the device:
/// every call gives that error from then on.
bool is_usable(Device& device) {
  try {
    device.synchronize(nullptr);
    const std::uint32_t written = 1;
    const DeviceBuffer buffer(device, sizeof(written));
    device.copy(buffer.data(), &written, sizeof(written));
    return true;
  } catch (const DeviceError&) {
    return false;
  }
}

/// Empty where it is so far that no trial meets it.
Measurer::Deadline deadline_of(const Trial& trial, std::chrono::steady_clock::time_point begin) {
  constexpr double kFarS = 60;
  if (trial.left_s > kFarS) return std::nullopt;
  return begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                     std::chrono::duration<double>(std::max(0.0, trial.left_s)));
}

}  // namespace

DeviceEvaluator::DeviceEvaluator(Device& device, std::uint64_t seed)
    : device_(device), seed_(seed), compilations_(device.compiler(), 1) {}

void DeviceEvaluator::set_workload(const Workload& workload, const Workload& largest) {
  require_device();
  kept_.clear();
  measurer_.reset();
  if (pool_ == nullptr || !pool_->serves(workload)) make_pool(workload, largest);
  if (!read_bandwidth_gbps_) {
    read_bandwidth_gbps_ = measure_read_bandwidth(device_, compilations_, *pool_);
  }
  measurer_ = std::make_unique<Measurer>(device_, compilations_, *pool_, workload,
                                         take_upcoming(workload), tell_of_run_);
}

/// It takes as long as the trials of a few configurations, which is time that the device has no use
/// for.
void DeviceEvaluator::announce(const Workload& next) {
  upcoming_.reset();
  if (pool_ == nullptr || !pool_->serves(next)) return;
  try {
    upcoming_ = Upcoming{.workload = next,
                         .expected = std::async(std::launch::async, [next, &pool = *pool_] {
                           run_in_background();
                           return judge_of(next.problem).expect(next, pool.host_slice(next));
                         })};
  } catch (const std::system_error&) {  // no thread to be had: then when it is needed
  }
}

/// Null if it is another one, which stays.
std::unique_ptr<Expectation> DeviceEvaluator::take_upcoming(const Workload& workload) {
  if (!upcoming_ || upcoming_->workload != workload) return nullptr;
  return std::exchange(upcoming_, std::nullopt)->expected.get();
}

void DeviceEvaluator::make_pool(const Workload& workload, const Workload& largest) {
  upcoming_.reset();
  pool_.reset();  // before the next one takes its memory
  try {
    pool_ = std::make_unique<InputPool>(device_, largest, seed_);
  } catch (const OutOfMemory&) {
    // That other problems do not fit is no reason for this one to fail.
    if (largest == workload) throw;
  }
  if (pool_ == nullptr || !pool_->serves(workload)) {
    pool_.reset();
    pool_ = std::make_unique<InputPool>(device_, workload, seed_);
  }
}

MeasurementRecord DeviceEvaluator::evaluate(const Trial& trial) {
  require_device();
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t code = hash(*trial.compiled);
  Candidate* candidate = find_kept(trial.params, code);
  if (candidate == nullptr) {
    Candidate fresh = prepare(trial);
    if (fresh.plan == nullptr) return explain(std::move(fresh.record));
    if (kept_.size() == kMostKept) kept_.pop_back();
    candidate = &kept_.emplace_front(Kept{.candidate = std::move(fresh), .code = code}).candidate;
  }
  MeasurementRecord record =
      measurer_->time(*candidate, trial.timing, trial.samples, deadline_of(trial, begin));
  if (record.outcome == Outcome::ok) return record;
  kept_.pop_front();
  return explain(std::move(record));
}

/// What is kept is no reason for a configuration to lack memory.
Candidate DeviceEvaluator::prepare(const Trial& trial) {
  Candidate candidate = measurer_->prepare(trial.params, *trial.compiled);
  if (candidate.record.outcome != Outcome::out_of_memory || kept_.empty()) return candidate;
  kept_.clear();
  return measurer_->prepare(trial.params, *trial.compiled);
}

/// It comes to the front. What is timed is what was checked: the same code, not only the same
/// configuration.
Candidate* DeviceEvaluator::find_kept(const Config& params, std::uint64_t code) {
  const auto found = std::ranges::find_if(kept_, [&](const Kept& kept) {
    return kept.code == code && kept.candidate.plan->variant().params == params;
  });
  if (found == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found);
  return &kept_.front().candidate;
}

void DeviceEvaluator::require_device() const {
  if (crash_.empty()) return;
  throw DeviceError(
      fmt::format("measuring on {}: a configuration left the device unusable ({}); start this "
                  "process anew",
                  info().id, crash_));
}

MeasurementRecord DeviceEvaluator::explain(MeasurementRecord failed) {
  const bool may_have_crashed =
      failed.outcome == Outcome::launch_error || failed.outcome == Outcome::timing_error;
  if (may_have_crashed && !is_usable(device_)) {
    failed.outcome = Outcome::crashed;
    crash_ = failed.failure;
  }
  return failed;
}

}  // namespace foldtune
