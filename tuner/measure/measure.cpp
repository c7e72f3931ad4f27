#include "tuner/measure/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "foldtune/error.h"
#include "runtime/lookup/lookup.h"
#include "templates/space.h"
#include "tuner/measure/statistics.h"

namespace foldtune {
namespace {

/// A sample is as long as this at least, so that the microsecond or two between the start event and
/// the first call are about a percent.
constexpr double kSampleUs = 200;

/// The most calls in a sample of the screening, which builds a graph for two samples: one of more
/// takes longer to build than it saves.
constexpr int kMaxCalls = 128;

/// The most calls in a sample of latencies: each takes ten microseconds of the host.
constexpr int kLatencyCalls = 32;

/// Calls in a row with the same scratch and the same place for their result: so it is in the L2 as
/// it is for a caller, who has no other.
constexpr int kCallsPerArea = 8;

/// A launch in a graph, in microseconds; measured on an H200.
constexpr double kLaunchUs = 1.2;

/// What the output holds before a call: no result of these inputs, of any type.
constexpr std::byte kPoison{0xa5};
constexpr std::byte kOtherPoison{0x5a};

/// A call of `reading_workload` on memory.
Call reading_call(const Workload& reading, void* memory, void* output) {
  Call call{.shape = reading.shape, .arguments = {}};
  const std::vector<Argument> arguments = reading.problem.family().arguments(reading.problem);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    call.arguments.at(i) = arguments[i].access == Access::output ? output : memory;
  }
  return call;
}

std::uint64_t l2_bytes(const Device& device) {
  return static_cast<std::uint64_t>(device.info().record.l2_bytes);
}

/// Of a comparison: so that the microsecond that events are read to is a part of it that does not
/// count.
int least_compared_calls(const Device& device) { return l2_bytes(device) == 0 ? 1 : 4; }

int usual_calls(const DeviceRecord& device, std::uint64_t bytes) {
  if (device.l2_bytes == 0) return 1;  // not a GPU: nothing to average over
  const double peak = peak_gbps(device);
  const double call_us = kLaunchUs + (peak == 0 ? 0 : static_cast<double>(bytes) / peak / 1e3);
  return std::clamp(static_cast<int>(kSampleUs / call_us), 1, kMaxCalls);
}

Manner manner_of(Conditions conditions, Timing timing) {
  switch (conditions) {
    case Conditions::warm_graph:
      return Manner::hot;
    case Conditions::cold_stream:
      return Manner::stream;
    case Conditions::warm_stream:
      return Manner::hot_stream;
    case Conditions::cold_graph:
      break;
  }
  return timing == Timing::screening ? Manner::flushed : Manner::rotating;
}

}  // namespace

Enqueues enqueues_of(const Plan& plan, const BufferRotation& scratch) {
  Enqueues enqueues;
  for (int area = 0; area < scratch.count(); ++area) {
    enqueues.push_back([&plan, memory = scratch.at(area)](const Call& call, Stream stream) {
      plan.enqueue(call, memory, stream);
    });
  }
  return enqueues;
}

MeasurementRecord merge(MeasurementRecord total, const MeasurementRecord& more) {
  total.samples_us.insert(total.samples_us.end(), more.samples_us.begin(), more.samples_us.end());
  total.median_us = median(total.samples_us);
  total.mad_us = median_absolute_deviation(total.samples_us);
  total.discarded_samples += more.discarded_samples;
  const auto update = [](auto& value, auto newer) {
    if (newer > 0) value = newer;
  };
  update(total.hot_us, more.hot_us);
  update(total.stream_us, more.stream_us);
  update(total.latency_us, more.latency_us);
  update(total.sm_clock_mhz, more.sm_clock_mhz);
  update(total.memory_clock_mhz, more.memory_clock_mhz);
  if (total.outcome == Outcome::ok) {
    total.outcome = more.outcome;
    total.failure = more.failure;
  }
  return total;
}

Measurer::Measurer(Device& device, CompilePool& compilations, const InputPool& pool,
                   const Workload& workload, std::shared_ptr<const Expectation> expected,
                   const std::function<void()>& tell_of_run)
    : device_(device),
      compilations_(compilations),
      pool_(pool),
      workload_(workload),
      judge_(judge_of(workload.problem)),
      slices_(pool.slices(workload)),
      output_place_(output_place(workload.problem)),
      output_(device, output_bytes(workload)),
      flush_output_(device, output_bytes(reading_workload(pool.flush_bytes()))),
      calls_per_sample_(usual_calls(device.info().record, input_bytes(workload))),
      rotation_(plan_rotation(input_bytes(workload), l2_bytes(device), slices_.count(),
                              std::max(calls_per_sample_, least_compared_calls(device)))) {
  expected_ = expected != nullptr ? std::move(expected) : compute_expected(tell_of_run);
  if (pool_.flush_bytes() > 0) make_flush();
}

std::shared_ptr<const Expectation> Measurer::compute_expected(
    const std::function<void()>& tell_of_run) {
  const InputPool::Arguments on_host = pool_.host_slice(workload_);
  if (auto expected = judge_.expect(workload_, on_host)) return expected;
  // All is compiled before anything runs, so that what takes long then is the user's code.
  const Variant plainest{.workload = workload_, .params = judge_.plainest(workload_)};
  const auto compiled = compilations_.request(make_program(plainest)).get();
  const auto begin_run = [&] {
    if (tell_of_run) tell_of_run();
  };
  const CompileProgram compile = [&](const Program& program) {
    auto image = compilations_.request(program).get();
    begin_run();
    return image;
  };
  const std::string fault = judge_.find_promise_fault(device_, compile, workload_, slices_.at(0));
  if (!fault.empty()) throw CompileError(fault);
  const Plan plan(device_, plainest, *compiled);
  const BufferRotation scratch(device_, plan.scratch_bytes(workload_.shape));
  begin_run();
  const Enqueue enqueue = enqueues_of(plan, scratch).front();
  auto expected = judge_.expect_same(workload_, call_once(enqueue, kPoison));
  // All others are compared with it, so it must not be what was there before.
  begin_run();
  const std::string difference = expected->find_difference(call_once(enqueue, kOtherPoison), {});
  if (difference.empty()) return expected;
  throw DeviceError(
      fmt::format("running {} for the first time: two calls differ: {}. Does its untuned "
                  "configuration write every element of the output, and depend on nothing else?",
                  to_string(workload_), difference));
}

void Measurer::make_flush() {
  const Workload flush = reading_workload(pool_.flush_bytes());
  const Config params = Space(flush).default_params(device_.info().record.multiprocessor_count);
  const Variant variant{.workload = flush, .params = params};
  flush_.emplace();
  flush_->plan =
      std::make_unique<Plan>(device_, variant, *compilations_.request(make_program(variant)).get());
  flush_->scratch = BufferRotation(device_, flush_->plan->scratch_bytes(flush.shape));
}

Candidate Measurer::prepare(const Config& params, const CompiledKernel& compiled) {
  Candidate candidate;
  MeasurementRecord& record = candidate.record;
  record.problem = make_problem_key(workload_);
  record.shape = to_text(workload_.problem.family(), workload_.shape);
  record.bytes = input_bytes(workload_);
  record.params = to_json(params);
  const Variant variant{.workload = workload_, .params = params};

  const auto fail = [&](Outcome outcome, std::string reason) {
    candidate.plan.reset();
    record.outcome = outcome;
    record.failure = std::move(reason);
  };
  record.compile_ms = compiled.compile_ms;
  try {
    candidate.plan = std::make_unique<Plan>(device_, variant, compiled);
    candidate.scratch = BufferRotation(device_, candidate.plan->scratch_bytes(workload_.shape));
    const KernelResources resources = candidate.plan->resources();
    record.registers = resources.registers;
    record.shared_bytes = resources.shared_bytes;
    record.local_bytes = resources.local_bytes;
    record.occupancy = resources.occupancy;
  } catch (const OutOfMemory& error) {
    fail(Outcome::out_of_memory, error.what());
    return candidate;
  } catch (const DeviceError& error) {
    fail(Outcome::load_error, error.what());
    return candidate;
  } catch (const std::logic_error& error) {  // of the family: a launch that cannot be
    fail(Outcome::load_error, error.what());
    return candidate;
  }
  try {
    const Plan& plan = *candidate.plan;
    std::string fault =
        find_fault_in_result(enqueues_of(plan, candidate.scratch).front(),
                             {.config = &params, .grid_size = plan.grid_size(workload_.shape)});
    if (!fault.empty()) fail(Outcome::wrong_result, std::move(fault));
  } catch (const OutOfMemory& error) {
    fail(Outcome::out_of_memory, error.what());
  } catch (const DeviceError& error) {
    fail(Outcome::launch_error, error.what());
  } catch (const std::logic_error& error) {
    fail(Outcome::launch_error, error.what());
  }
  return candidate;
}

Call Measurer::call(int slice, int area) const {
  Call call{.shape = workload_.shape, .arguments = slices_.at(slice)};
  call.arguments[output_place_] = output_.at(area);
  return call;
}

std::vector<std::byte> Measurer::call_once(const Enqueue& enqueue, std::byte poison,
                                           const Translate& translate) {
  std::vector<std::byte> result(output_bytes(workload_), poison);
  const Call only = call(/*slice=*/0, /*area=*/0);
  void* const output = only.arguments.at(output_place_);
  device_.copy(output, result.data(), result.size());
  enqueue(only, nullptr);
  device_.synchronize(nullptr);
  device_.copy(result.data(), output, result.size());
  if (translate) translate(result);
  return result;
}

/// Two calls on the same scratch: the second shows whether the first left it fit for use. What they
/// do not write is different in each.
std::string Measurer::find_fault_in_result(const Enqueue& enqueue,
                                           const Expectation::Origin& origin,
                                           const Translate& translate) {
  const std::vector<std::byte> first = call_once(enqueue, kPoison, translate);
  const std::vector<std::byte> second = call_once(enqueue, kOtherPoison, translate);
  for (const auto* const result : {&first, &second}) {
    std::string fault = expected_->find_difference(*result, origin);
    if (!fault.empty()) return fault;
  }
  if (first == second) return {};
  // What is right and was written by neither is padding.
  const auto is_same = [](std::byte a, std::byte b) {
    return a == b || (a == kPoison && b == kOtherPoison);
  };
  if (judge_.is_reproducible(workload_.problem) && !std::ranges::equal(first, second, is_same)) {
    return "two calls on the same input gave different bits";
  }
  return {};
}

std::string Measurer::find_fault_of_library(const Enqueue& enqueue, const Translate& translate) {
  return find_fault_in_result(enqueue, {}, translate);
}

void Measurer::enqueue_flush(Stream stream) {
  const Workload& reading = flush_->plan->variant().workload;
  flush_->plan->enqueue(reading_call(reading, pool_.flush_region(), flush_output_.data()),
                        flush_->scratch.at(0), stream);
}

TimingRequest Measurer::make_request(const Enqueues& enqueues, Manner manner,
                                     std::optional<int> calls) {
  TimingRequest request;
  request.calls = calls_per_sample_;
  int slices = rotation_.slices;
  bool flush = false;
  switch (manner) {
    case Manner::flushed:
      slices = slices_.count();
      flush = true;
      break;
    case Manner::rotating:
      request.calls = rotation_.calls;
      flush = rotation_.needs_flush;
      break;
    case Manner::hot:
      slices = 1;
      break;
    case Manner::hot_stream:
      slices = 1;
      [[fallthrough]];
    case Manner::stream:
      request.launching = Launching::stream;
      break;
    case Manner::latency:
      request.launching = Launching::latency;
      request.calls = std::min(calls_per_sample_, kLatencyCalls);
      break;
  }
  // Calls outside a graph are enqueued anew for every sample, which then goes on with the next
  // slice: a few calls are no lap.
  const bool goes_on = request.launching != Launching::graph;
  if (calls) request.calls = *calls;
  const int areas = std::clamp(request.calls / kCallsPerArea, 1, output_.count());
  request.enqueue = [=, this, all = request.calls, next = 0](int index, Stream stream) mutable {
    const int slice = (goes_on ? next : index) % slices;
    next = slice + 1;
    const int area = index * areas / all;
    enqueues[static_cast<std::size_t>(area) % enqueues.size()](call(slice, area), stream);
  };
  if (flush && flush_) request.before_sample = [this](Stream stream) { enqueue_flush(stream); };
  return request;
}

Enqueue Measurer::waited(Enqueue enqueue) const {
  return [this, enqueue = std::move(enqueue)](const Call& call, Stream stream) {
    enqueue(call, stream);
    device_.synchronize(stream);
  };
}

std::unique_ptr<Stopwatch> Measurer::make_stopwatch(const Enqueues& enqueues, Manner manner,
                                                    std::optional<int> calls) {
  return device_.prepare_timing(make_request(enqueues, manner, calls));
}

Samples Measurer::take(Candidate& candidate, Manner manner, int samples, Deadline deadline) {
  std::unique_ptr<Stopwatch>& stopwatch =
      candidate.stopwatches.at(static_cast<std::size_t>(manner));
  if (stopwatch == nullptr) {
    Enqueues enqueues = enqueues_of(*candidate.plan, candidate.scratch);
    if (manner == Manner::latency) {
      for (Enqueue& enqueue : enqueues) enqueue = waited(std::move(enqueue));
    }
    stopwatch = make_stopwatch(enqueues, manner);
  }
  const StopRule rule{.at_most = std::max(1, samples)};
  const auto is_over = [&] { return deadline && std::chrono::steady_clock::now() >= *deadline; };
  // What takes seconds is asked about after each sample.
  const int at_once = deadline ? 1 : rule.at_least;
  Samples all;
  while (!is_enough(all.us, rule) && (all.us.empty() || !is_over())) {
    const int left = rule.at_most - static_cast<int>(all.us.size());
    const Samples some = stopwatch->take(std::min(left, at_once));
    all.us.insert(all.us.end(), some.us.begin(), some.us.end());
    all.clocks = some.clocks;
    all.discarded += some.discarded;
  }
  return all;
}

MeasurementRecord Measurer::time(Candidate& candidate, Timing timing, int samples,
                                 Deadline deadline) {
  MeasurementRecord taken;
  try {
    const Manner manner = manner_of(workload_.conditions, timing);
    const Samples main = take(candidate, manner, samples, deadline);
    taken.samples_us = main.us;
    taken.sm_clock_mhz = main.clocks.sm_mhz;
    taken.memory_clock_mhz = main.clocks.memory_mhz;
    taken.discarded_samples = main.discarded;
    if (timing == Timing::complete) {
      const auto median_of = [&](Manner other) {
        if (other == manner) return median(main.us);
        const Samples others = take(candidate, other, samples, deadline);
        taken.discarded_samples += others.discarded;
        return median(others.us);
      };
      const bool fits_l2 = input_bytes(workload_) <= l2_bytes(device_);
      if (fits_l2) taken.hot_us = median_of(Manner::hot);
      taken.stream_us = median_of(Manner::stream);
      taken.latency_us = median_of(Manner::latency);
    }
  } catch (const OutOfMemory& error) {
    taken.outcome = Outcome::out_of_memory;
    taken.failure = error.what();
  } catch (const DeviceError& error) {
    taken.outcome = Outcome::timing_error;
    taken.failure = error.what();
  } catch (const std::logic_error& error) {
    taken.outcome = Outcome::timing_error;
    taken.failure = error.what();
  }
  return merge(candidate.record, taken);
}

double peak_gbps(const DeviceRecord& device) {
  return 2e-6 * static_cast<double>(device.memory_clock_khz) * device.memory_bus_bits / 8;
}

double measure_read_bandwidth(Device& device, CompilePool& compilations, const InputPool& pool) {
  if (pool.flush_bytes() == 0) return 0;
  const Workload reading = reading_workload(pool.body_bytes());
  const Space space(reading);
  std::vector<Config> tried{space.default_params(device.info().record.multiprocessor_count)};
  for (const Config& config : reading.problem.family().known_good(reading)) {
    if (space.contains(config)) tried.push_back(config);
  }
  const DeviceBuffer output(device, output_bytes(reading));
  const Call call = reading_call(reading, pool.body(), output.data());
  double best = 0;
  for (const Config& params : tried) {
    try {
      const Variant variant{.workload = reading, .params = params};
      const Plan plan(device, variant, *compilations.request(make_program(variant)).get());
      const DeviceBuffer scratch(device, plan.scratch_bytes(reading.shape));
      const std::vector<double> samples = device.time(
          {.enqueue = [&](int, Stream stream) { plan.enqueue(call, scratch.data(), stream); }},
          /*samples=*/5);
      best = std::max(best, static_cast<double>(input_bytes(reading)) / median(samples) / 1e3);
    } catch (const Error&) {  // another configuration will do
      continue;
    }
  }
  return best;
}

}  // namespace foldtune
