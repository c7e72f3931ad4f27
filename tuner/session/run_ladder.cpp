#include "tuner/session/run_ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <thread>

#include "foldtune/error.h"
#include "tuner/measure/compile_pool.h"
#include "tuner/measure/input_pool.h"
#include "tuner/measure/measure.h"
#include "tuner/measure/statistics.h"

namespace foldtune {
namespace {

constexpr std::uint64_t kSeed = 1;

/// Of a kernel that streams. Slow ones, whose calls are longer than a sample need be, are called
/// once per sample, and the slowest take fewer samples.
constexpr int kSamples = 9;
constexpr int kSlowSamples = 3;
constexpr double kLongCallUs = 400;
constexpr double kSlowCallUs = 20'000;

/// Runs kernels; keeps the inputs and the references that the next ones may share.
class LadderRun {
 public:
  LadderRun(Device& device, std::span<const LibraryKernel> libraries)
      : device_(device),
        libraries_(libraries),
        compilations_(device.compiler(),
                      static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))) {}

  void compile_ahead(const LadderKernel& kernel) {
    if (const auto* const params = std::get_if<Config>(&kernel.how)) {
      compilations_.request(make_program({.workload = kernel.workload, .params = *params}));
    }
  }

  /// All later kernels have elements as `largest` has, and no more.
  void make_inputs(const Workload& largest) {
    measurers_.clear();
    pool_.reset();  // before there are others: they are large
    pool_ = std::make_unique<InputPool>(device_, largest, kSeed);
    if (read_gbps_ == 0) {
      read_gbps_ = measure_read_bandwidth(device_, compilations_, *pool_);
    }
  }

  KernelResult run(const LadderKernel& kernel) {
    KernelResult result{.kernel = kernel};
    try {
      if (const auto* const absent = std::get_if<NotLinked>(&kernel.how)) {
        throw Unavailable(absent->reason);
      }
      std::visit([&](const auto& how) { run(kernel.workload, how, result); }, kernel.how);
      result.status = KernelStatus::ran;
    } catch (const MissingToolkit& error) {
      result.status = KernelStatus::skipped;
      const bool is_cpu = device_.info().record.kind == "cpu";
      result.reason = is_cpu ? "parts of the CUDA Toolkit run on GPUs alone" : error.what();
    } catch (const Unavailable& error) {
      result.status = KernelStatus::skipped;
      result.reason = error.what();
    } catch (const Error& error) {
      result.reason = error.what();
    }
    return result;
  }

  double read_gbps() const { return read_gbps_; }

 private:
  void run(const Workload& workload, const Config& params, KernelResult& result) {
    const auto compiled =
        compilations_.request(make_program({.workload = workload, .params = params})).get();
    Measurer& measurer = measurer_of(workload);
    const Candidate candidate = measurer.prepare(params, *compiled);
    if (candidate.plan == nullptr) throw DeviceError(candidate.record.failure);
    time(measurer, workload, enqueues_of(*candidate.plan, candidate.scratch), result);
  }

  void run(const Workload& workload, const LibraryFunction& function, KernelResult& result) {
    const auto found = std::ranges::find(libraries_, function.name, &LibraryKernel::name);
    if (found == libraries_.end()) {
      throw Unavailable(fmt::format(
          "{} is not linked: configure with -DFOLDTUNE_BENCH=ON, which needs nvcc", function.name));
    }
    const Enqueue enqueue = found->prepare(device_, workload);
    Measurer& measurer = measurer_of(workload);
    const std::string fault = measurer.find_fault_of_library(enqueue);
    if (!fault.empty()) throw DeviceError(fault);
    time(measurer, workload, {enqueue}, result);
  }

  void run(const Workload&, const NotLinked&, KernelResult&) {}

  Measurer& measurer_of(const Workload& workload) {
    std::unique_ptr<Measurer>& measurer =
        measurers_[fmt::format("{} {}", field_text(workload.problem), workload.shape[0])];
    if (measurer == nullptr) {
      measurer = std::make_unique<Measurer>(device_, compilations_, *pool_, workload);
    }
    return *measurer;
  }

  static void time(Measurer& measurer, const Workload& workload, const Enqueues& enqueues,
                   KernelResult& result) {
    int calls = measurer.calls_per_sample();
    int samples = kSamples;
    const auto take = [&](int calls_each, int count) {
      return median(measurer.make_stopwatch(enqueues, Manner::flushed, calls_each)->take(count).us);
    };
    const double call_us = take(1, 1);
    if (call_us > kLongCallUs) calls = 1;
    if (call_us > kSlowCallUs) samples = kSlowSamples;
    result.median_us = take(calls, samples);
    result.gbps = static_cast<double>(input_bytes(workload)) / result.median_us / 1e3;
    result.gflops = result.kernel.flops / result.median_us / 1e3;
  }

  Device& device_;
  std::span<const LibraryKernel> libraries_;
  CompilePool compilations_;
  std::unique_ptr<InputPool> pool_;
  std::map<std::string, std::unique_ptr<Measurer>> measurers_;
  double read_gbps_ = 0;
};

}  // namespace

LadderReport run_ladder(Device& device, const std::vector<LadderKernel>& kernels,
                        std::span<const LibraryKernel> libraries,
                        const std::function<void(const KernelResult& result)>& on_result) {
  LadderRun run(device, libraries);
  for (const LadderKernel& kernel : kernels) run.compile_ahead(kernel);
  LadderReport report;
  for (const LadderKernel& kernel : kernels) report.results.push_back({.kernel = kernel});
  std::vector<Workload> workloads;
  workloads.reserve(kernels.size());
  for (const LadderKernel& kernel : kernels) workloads.push_back(kernel.workload);
  std::map<std::size_t, std::vector<std::size_t>> groups;
  std::size_t place = 0;
  for (const std::size_t group : InputPool::groups(workloads)) groups[group].push_back(place++);
  for (const auto& [number, group] : groups) {
    const std::size_t largest = *std::ranges::max_element(
        group, {}, [&](std::size_t i) { return input_bytes(workloads[i]); });
    run.make_inputs(workloads[largest]);
    for (const std::size_t i : group) {
      report.results[i] = run.run(kernels[i]);
      on_result(report.results[i]);
    }
  }
  report.ceilings = {.read_gbps = run.read_gbps(), .peak_gbps = peak_gbps(device.info().record)};
  return report;
}

}  // namespace foldtune
