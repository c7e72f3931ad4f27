#include "tuner/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "foldtune/error.h"
#include "runtime/lookup.h"
#include "templates/reduce/space.h"

namespace foldtune {
namespace {

/// A sample is as long as this at least, so that the few microseconds between the start event and
/// the first call are below a percent.
constexpr double kSampleUs = 400;

/// The most calls in a sample: a graph of more takes longer to build than it saves.
constexpr int kMaxCalls = 384;

/// A launch in a graph, in microseconds; measured on an H200.
constexpr double kLaunchUs = 1.2;

/// A value that no accumulator type can take for a result of these inputs, byte by byte.
constexpr unsigned char kPoison = 0xa5;

constexpr std::size_t kMaxResultBytes = 16;

/// Microseconds in which the device's memory could deliver the bytes; 0 if its speed is unknown.
double shortest_read_us(const DeviceRecord& device, std::uint64_t bytes) {
  // Two transfers per clock.
  const double bytes_per_us =
      2e-3 * static_cast<double>(device.memory_clock_khz) * device.memory_bus_bits / 8;
  return bytes_per_us == 0 ? 0 : static_cast<double>(bytes) / bytes_per_us;
}

int calls_per_sample(const DeviceRecord& device, std::uint64_t bytes) {
  if (device.l2_bytes == 0) return 1;  // not a GPU: nothing to average over
  const double call_us = kLaunchUs + shortest_read_us(device, bytes);
  return std::clamp(static_cast<int>(kSampleUs / call_us), 1, kMaxCalls);
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

Measurer::Measurer(Device& device, CompilePool& compilations, const InputPool& pool,
                   const Problem& problem)
    : device_(device),
      compilations_(compilations),
      pool_(pool),
      problem_(problem),
      reference_(compute_reference(problem, pool.host_slice(problem))),
      output_(device, kMaxResultBytes),
      flush_output_(device, kMaxResultBytes),
      calls_per_sample_(calls_per_sample(device.info().record, problem.input_bytes())) {
  if (pool_.flush_count() == 0) return;
  Problem flush = problem_;
  flush.count = pool_.flush_count();
  flush.alignment = Alignment::vector;
  const ReduceParams params =
      ReduceSpace(flush).default_params(device.info().record.multiprocessor_count);
  flush_.emplace();
  const Variant variant{.problem = flush, .params = params};
  flush_->plan =
      std::make_unique<Plan>(device_, variant, *compilations_.request(make_program(variant)).get());
  flush_->scratch = DeviceBuffer(device_, flush_->plan->scratch_bytes(flush.count));
}

Candidate Measurer::prepare(const ReduceParams& params) {
  Candidate candidate;
  MeasurementRecord& record = candidate.record;
  record.problem = make_problem_key(problem_);
  record.count = problem_.count;
  record.bytes = problem_.input_bytes();
  record.params = to_json(params);
  const Variant variant{.problem = problem_, .params = params};

  const auto fail = [&](Outcome outcome, std::string reason) {
    candidate.plan.reset();
    record.outcome = outcome;
    record.failure = std::move(reason);
  };
  std::shared_ptr<const CompiledKernel> compiled;
  try {
    compiled = compilations_.request(make_program(variant)).get();
    record.compile_ms = compiled->compile_ms;
  } catch (const CompileError& error) {
    fail(Outcome::compile_error, error.what());
    return candidate;
  }
  try {
    candidate.plan = std::make_unique<Plan>(device_, variant, *compiled);
    candidate.scratch = DeviceBuffer(device_, candidate.plan->scratch_bytes(problem_.count));
  } catch (const DeviceError& error) {
    fail(Outcome::load_error, error.what());
    return candidate;
  }
  const KernelResources& resources = candidate.plan->resources();
  record.registers = resources.registers;
  record.shared_bytes = resources.shared_bytes;
  record.local_bytes = resources.local_bytes;
  record.occupancy = resources.occupancy;
  try {
    std::string fault = find_fault_in_result(*candidate.plan, candidate.scratch.data());
    if (!fault.empty()) fail(Outcome::wrong_result, std::move(fault));
  } catch (const DeviceError& error) {
    fail(Outcome::launch_error, error.what());
  }
  return candidate;
}

/// Two calls on the same scratch: the second shows whether the first left it fit for use.
std::string Measurer::find_fault_in_result(const Plan& plan, void* scratch) {
  std::array<unsigned char, kMaxResultBytes> poison;
  poison.fill(kPoison);
  std::array<std::array<unsigned char, kMaxResultBytes>, 2> results;
  for (auto& result : results) {
    device_.copy(output_.data(), poison.data(), poison.size());
    plan.enqueue(pool_.slice(problem_, 0), problem_.count, output_.data(), scratch, nullptr);
    device_.synchronize(nullptr);
    device_.copy(result.data(), output_.data(), result.size());
  }
  const long double bound =
      error_bound(problem_, plan.variant().params, plan.grid_size(problem_.count), reference_);
  for (const auto& result : results) {
    if (std::string fault = find_difference(problem_, result.data(), reference_, bound);
        !fault.empty()) {
      return fault;
    }
  }
  if (problem_.determinism != Determinism::any && results[0] != results[1]) {
    return "two calls on the same input gave different bits";
  }
  return {};
}

void Measurer::time(Candidate& candidate, int samples) {
  MeasurementRecord& record = candidate.record;
  TimingRequest request;
  request.calls = calls_per_sample_;
  request.samples = samples;
  request.enqueue = [&](int call, Stream stream) {
    candidate.plan->enqueue(pool_.slice(problem_, call), problem_.count, output_.data(),
                            candidate.scratch.data(), stream);
  };
  if (flush_) {
    request.before_sample = [this](Stream stream) {
      flush_->plan->enqueue(pool_.flush_region(), pool_.flush_count(), flush_output_.data(),
                            flush_->scratch.data(), stream);
    };
  }
  try {
    for (const double sample : device_.time(request)) record.samples_us.push_back(sample);
    record.median_us = median(record.samples_us);
    const Clocks clocks = device_.clocks();
    record.sm_clock_mhz = clocks.sm_mhz;
    record.memory_clock_mhz = clocks.memory_mhz;
  } catch (const DeviceError& error) {
    record.outcome = Outcome::timing_error;
    record.failure = error.what();
  }
}

double Measurer::measure_read_bandwidth() {
  if (pool_.flush_count() == 0) return 0;
  Problem whole = problem_;
  whole.count = pool_.capacity();
  whole.alignment = Alignment::vector;
  Measurer measurer(device_, compilations_, pool_, whole);
  const int width = 16 / static_cast<int>(size_of(whole.type));
  double best = 0;
  for (const int block_size : {256, 512, 1024}) {
    const ReduceParams params{.block_size = block_size,
                              .vector_width = width,
                              .unroll = 4,
                              .final_stage = FinalStage::polling,
                              .waves = 1};
    Candidate candidate = measurer.prepare(params);
    if (candidate.plan == nullptr) continue;
    measurer.time(candidate, 5);
    if (candidate.record.outcome != Outcome::ok) continue;
    const double bytes = static_cast<double>(whole.input_bytes());
    best = std::max(best, bytes / candidate.record.median_us / 1e3);
  }
  return best;
}

}  // namespace foldtune
