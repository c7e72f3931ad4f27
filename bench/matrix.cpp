#include "bench/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "bench/cuda.h"
#include "bench/empty_kernel.h"
#include "bench/judge.h"
#include "bench/pooled_device.h"
#include "foldtune/error.h"
#include "runtime/lookup/lookup.h"
#include "templates/family.h"
#include "tuner/measure/statistics.h"

namespace foldtune::bench {
namespace {

/// More threads of one process hardly compile more with NVRTC.
constexpr int kCompileThreads = 2;

/// So many that the events around them do not count.
constexpr int kEmptyCalls = 256;
constexpr int kEmptySamples = 5;

/// Elsewhere there are no libraries, and times say nothing.
bool is_gpu(const Device& device) { return device.info().record.kind == "cuda"; }

/// Those of the arrays that are measured.
std::vector<std::string> input_types(const Problem& problem) {
  std::vector<std::string> types;
  for (const Argument& argument : problem.family().arguments(problem)) {
    const bool is_read = argument.access == Access::input && !argument.is_table;
    if (is_read) types.emplace_back(name(argument.type));
  }
  return types;
}

/// Of each array that is measured.
std::uint64_t input_elements(const Workload& workload) {
  constexpr std::size_t kFirstInput = 1;
  const Problem& problem = workload.problem;
  return problem.family().elements(problem, kFirstInput, workload.shape);
}

Cell cell_of(const std::string& case_name, const Workload& workload) {
  const Problem& problem = workload.problem;
  const Family& family = problem.family();
  Cell cell{.case_name = case_name,
            .family = std::string(family.name()),
            .problem = {},
            .inputs = input_types(problem),
            .layout = std::string(family.layouts()[static_cast<std::size_t>(workload.layout)]),
            .shape = to_text(family, workload.shape),
            .count = input_elements(workload),
            .bytes = input_bytes(workload),
            .manner = {}};
  for (const Field& field : family.fields()) {
    cell.problem.emplace(field.name, family.text(problem, field));
  }
  return cell;
}

/// With its own shapes, or with those of the sizes.
std::vector<Workload> workloads_of(const Case& one, std::span<const Size> sizes) {
  std::vector<Workload> workloads;
  const auto add = [&](const Shape& shape, int layout) {
    workloads.push_back(one.workload);
    workloads.back().shape = shape;
    workloads.back().layout = layout;
  };
  for (const Shape& shape : one.shapes) add(shape, usual_layout(one.workload.problem, shape));
  if (!one.shapes.empty()) return workloads;
  const Family& family = one.workload.problem.family();
  for (const Size& size : sizes) {
    add(shape_of_count(family, size.count), static_cast<int>(size.alignment));
  }
  return workloads;
}

Cell in_manner(Cell cell, Manner manner) {
  cell.manner = name(manner);
  return cell;
}

Launching launching_of(Manner manner) {
  switch (manner) {
    case Manner::stream:
      return Launching::stream;
    case Manner::latency:
      return Launching::latency;
    default:
      return Launching::graph;
  }
}

double time_empty_kernel(Device& device, Manner manner) {
  const auto launch = [&](int, Stream stream) {
    check(static_cast<cudaError_t>(launch_empty_kernel(stream)), "launching an empty kernel");
    if (manner == Manner::latency) device.synchronize(stream);
  };
  launch(0, nullptr);  // which loads it, as a capture could not
  TimingRequest request;
  request.enqueue = launch;
  request.calls = kEmptyCalls;
  request.launching = launching_of(manner);
  return median(device.time(std::move(request), kEmptySamples));
}

}  // namespace

Matrix::Matrix(const std::shared_ptr<Device>& device, const Options& options, Run run,
               Progress progress)
    : compilations_(device->compiler(), kCompileThreads),
      device_(make_pooled(device, compilations_)),
      options_(options),
      progress_(std::move(progress)),
      store_(open_sqlite_store(options.database, OpenMode::read_only)),
      yardstick_(options.yardstick.empty()
                     ? nullptr
                     : open_sqlite_store(options.yardstick, OpenMode::read_only)),
      random_(options.seed),
      report_{.runs = {std::move(run)}, .figures = {}, .faults = {}, .not_run = {}} {}

void Matrix::measure(const Case& one) {
  std::vector<Work> works;
  for (const Workload& workload : workloads_of(one, options_.sizes)) {
    works.push_back({.workload = workload, .cell = cell_of(one.name, workload)});
  }
  if (is_over_budget()) {
    for (const Work& work : works) add_not_run(work.cell);
    return;
  }
  const auto bytes_of = [](const Work& work) { return work.cell.bytes; };
  try {
    make_pool(std::ranges::max_element(works, {}, bytes_of)->workload);
  } catch (const OutOfMemory& error) {
    for (const Work& work : works) add_fault(work.cell, kTuned, /*is_wrong=*/true, error.what());
    return;
  }
  compile(works);
  for (const Work& work : works) {
    if (is_over_budget()) {
      add_not_run(work.cell);
      continue;
    }
    try {
      measure(work);
    } catch (const OutOfMemory& error) {
      add_fault(work.cell, kTuned, /*is_wrong=*/true, error.what());
    }
    progress_(report_);
  }
}

bool Matrix::is_over_budget() const {
  const std::chrono::duration<double> elapsed = Clock::now() - begin_;
  return options_.budget && elapsed.count() > *options_.budget;
}

void Matrix::make_pool(const Workload& largest) {
  if (pool_ != nullptr && pool_->serves(largest)) return;
  const bool is_first = pool_ == nullptr;
  pool_.reset();  // before the next one takes its memory
  pool_ = std::make_unique<InputPool>(*device_, largest, options_.seed);
  if (is_first) measure_limits();
}

void Matrix::measure_limits() {
  Run& run = report_.runs.front();
  if (!is_gpu(*device_)) return;
  run.read_bandwidth_gbps = measure_read_bandwidth(*device_, compilations_, *pool_);
  for (const Manner manner : options_.manners) {
    run.launch_us[std::string(name(manner))] = time_empty_kernel(*device_, manner);
  }
}

/// Nothing is compiled any more while times are taken.
void Matrix::compile(const std::vector<Work>& works) {
  std::vector<CompilePool::Compilation> compilations;
  for (const Work& work : works) {
    for (const ConfigStore* const store :
         {store_.get(), yardstick_.get(), static_cast<const ConfigStore*>(nullptr)}) {
      const Choice choice = choose_config(store, device_->info().record,
                                          device_->compiler().version(), work.workload);
      compilations.push_back(compilations_.request(
          make_program({.workload = work.workload, .params = choice.params})));
    }
  }
  for (const CompilePool::Compilation& compilation : compilations) compilation.wait();
}

void Matrix::measure(const Work& work) {
  Measurer measurer(*device_, compilations_, *pool_, work.workload);
  std::vector<Contender> right;
  for (Contender& contender : make_contenders(work)) {
    if (std::string fault = find_fault(*device_, measurer, contender); fault.empty()) {
      right.push_back(std::move(contender));
    } else {
      add_fault(work.cell, contender.name, /*is_wrong=*/true, std::move(fault));
    }
  }
  time_all(measurer, right, work);
}

bool Matrix::has_yardstick(const Workload& workload) const {
  if (yardstick_ == nullptr) return false;
  const Choice choice = choose_config(yardstick_.get(), device_->info().record,
                                      device_->compiler().version(), workload);
  const bool is_exact = choice.source() == ConfigSource::exact;
  return is_exact && choice.match->shape == to_text(workload.problem.family(), workload.shape);
}

std::vector<Contender> Matrix::make_contenders(const Work& work) {
  std::vector<Contender> contenders;
  const auto add_foldtune = [&](std::string_view name, std::shared_ptr<const ConfigStore> store) {
    try {
      contenders.push_back(
          make_foldtune(name, device_, store, work.workload, *pool_, options_.inputs_ready));
    } catch (const CompileError& error) {
      add_fault(work.cell, name, /*is_wrong=*/true, error.what());
    }
  };
  add_foldtune(kTuned, store_);
  add_foldtune(kUntuned, nullptr);
  if (has_yardstick(work.workload)) add_foldtune(kYardstick, yardstick_);
  const auto add = [&](std::optional<Contender> contender) {
    if (contender) contenders.push_back(std::move(*contender));
  };
  if (!is_gpu(*device_)) return contenders;
  add(make_cub(*device_, work.workload));
  try {
    add(make_cublas(*device_, work.workload, *pool_));
  } catch (const Unavailable& error) {
    add_fault(work.cell, kCublas, /*is_wrong=*/false, error.what());
  }
  return contenders;
}

void Matrix::time_all(Measurer& measurer, std::span<const Contender> contenders, const Work& work) {
  const auto l2_bytes = static_cast<std::uint64_t>(device_->info().record.l2_bytes);
  for (const Manner manner : options_.manners) {
    if (manner == Manner::hot && work.cell.bytes > l2_bytes) continue;  // they do not stay there
    const auto samples = time_in_rounds(measurer, contenders, manner, options_.rounds, random_);
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      report_.figures.push_back({.cell = in_manner(work.cell, manner),
                                 .contender = contenders[i].name,
                                 .samples_us = samples[i],
                                 .median_us = median(samples[i]),
                                 .mad_us = median_absolute_deviation(samples[i]),
                                 .config = contenders[i].config,
                                 .source = contenders[i].source});
    }
  }
}

void Matrix::add_not_run(const Cell& cell) {
  for (const Manner manner : options_.manners) {
    report_.not_run.push_back(in_manner(cell, manner));
  }
}

void Matrix::add_fault(const Cell& cell, std::string_view contender, bool is_wrong,
                       std::string reason) {
  Fault fault{.cell = cell,
              .contender = std::string(contender),
              .is_wrong = is_wrong,
              .reason = std::move(reason)};
  fault.cell.manner = "all";
  report_.faults.push_back(std::move(fault));
}

}  // namespace foldtune::bench
