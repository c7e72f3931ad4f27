// Tuning of histograms on the CPU device: their bins, and what is said of wrong counts.
#include <cmath>
#include <cstring>

#include "cache/config_store.h"
#include "foldtune/reduction.h"
#include "templates/fold/judge/reference.h"
#include "templates/histogram/judge/histogram_input.h"
#include "templates/histogram/judge/histogram_reference.h"
#include "templates/histogram/range.h"
#include "templates/histogram/space.h"
#include "templates/histogram/workload.h"
#include "tests/catch.h"
#include "tests/tuner/tune_on.h"
#include "tuner/verify/elements.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;

HistogramWorkload workload_of(ElementType type, std::uint32_t bins, Binning binning,
                              Distribution distribution = Distribution::uniform) {
  return {.type = type,
          .bins = bins,
          .binning = binning,
          .distribution = distribution,
          .count = 10'000};
}

constexpr std::uint32_t kRightBlockSize = 256;

/// A kernel that counts one element too many if its blocks are of another size.
class WrongKernel final : public Kernel {
 public:
  explicit WrongKernel(std::unique_ptr<Kernel> kernel) : kernel_(std::move(kernel)) {}

  void launch(const Launch& launch, Stream stream) const override {
    constexpr std::size_t kOutput = 3;
    kernel_->launch(launch, stream);
    if (launch.kernel != 0 || launch.block.x == kRightBlockSize) return;
    std::uint64_t* counts = nullptr;
    std::memcpy(&counts, launch.arguments[kOutput], sizeof(counts));
    ++counts[5];
  }
  KernelResources resources(std::size_t index, std::uint32_t block_size) const override {
    return kernel_->resources(index, block_size);
  }

 private:
  std::unique_ptr<Kernel> kernel_;
};

/// The CPU device with such kernels.
class WrongDevice final : public Device {
 public:
  const DeviceInfo& info() const override { return device_->info(); }
  const Compiler& compiler() override { return device_->compiler(); }
  std::unique_ptr<Kernel> load(const CompiledKernel& compiled) override {
    return std::make_unique<WrongKernel>(device_->load(compiled));
  }
  void* allocate(std::size_t bytes) override { return device_->allocate(bytes); }
  void deallocate(void* memory) noexcept override { device_->deallocate(memory); }
  void copy(void* to, const void* from, std::size_t bytes) override {
    device_->copy(to, from, bytes);
  }
  void synchronize(Stream stream) override { device_->synchronize(stream); }
  bool is_capturing(Stream stream) const override { return device_->is_capturing(stream); }
  std::unique_ptr<Stopwatch> prepare_timing(TimingRequest request) override {
    return device_->prepare_timing(std::move(request));
  }

 private:
  std::unique_ptr<Device> device_ = open_device("cpu");
};

TEST_CASE("Bins for tuning hold every element that inputs are made of") {
  for (const ElementType type : element_types()) {
    for (const Binning binning : {Binning::even, Binning::custom}) {
      const HistogramWorkload problem = workload_of(type, 16, binning);
      CAPTURE(to_string(problem));
      const BinBounds bounds = tuning_bounds(type);
      CHECK(find_range_fault(problem, bounds).empty());
      const std::vector<std::byte> edges = tuning_edges(problem);
      CHECK(edges.size() == 17 * size_of(type));
      CHECK(find_edges_fault(type, edges).empty());

      std::vector<std::byte> elements(problem.input_bytes());
      fill_histogram_input(problem, elements, 1);
      const std::vector<const void*> inputs{elements.data(), edges.data()};
      std::uint64_t counted = 0;
      for (const std::uint64_t count : compute_histogram(problem, inputs, bounds)) {
        CHECK(count > problem.count / 32);  // as they are uniform
        counted += count;
      }
      CHECK(counted == problem.count);
    }
  }
}

TEST_CASE("Edges for tuning ascend, however many there are") {
  for (const ElementType type : element_types()) {
    for (const std::uint32_t bins : {2U, 100U, 4096U, kMaxBins}) {
      CAPTURE(name(type), bins);
      CHECK(find_edges_fault(type, tuning_edges(workload_of(type, bins, Binning::custom))).empty());
    }
  }
}

TEST_CASE("Edges that do not ascend are a fault") {
  const auto fault_of = [](const std::vector<double>& edges) {
    std::vector<std::byte> bytes(edges.size() * sizeof(double));
    std::memcpy(bytes.data(), edges.data(), bytes.size());
    return find_edges_fault(ElementType::f64, bytes);
  };
  CHECK(fault_of({0, 1, 1, 2}).empty());
  CHECK(fault_of({0, 2, 1.5, 3}) == "edge 2 is 1.5, after 2");
  CHECK_THAT(fault_of({0, std::nan(""), 1}), ContainsSubstring("edge 1 is nan, after 0"));
  CHECK(find_edges_fault(ElementType::u64, std::vector<std::byte>(8)).empty());
}

// ThreadSanitizer's CPU device takes minutes for what follows.
#if !defined(FOLDTUNE_SANITIZE)
TEST_CASE("A histogram with wrong counts is never timed nor chosen, and the reason is kept") {
  WrongDevice device;
  const HistogramWorkload problem =
      workload_of(ElementType::u8, 256, Binning::key, Distribution::zipf);
  const auto block_size = [](const Config& params) {
    return static_cast<std::uint32_t>(histogram_params(params).block_size);
  };
  // The default is tried first, and must be right for the test to find a result.
  REQUIRE(block_size(Space(problem).default_params(device.info().record.multiprocessor_count)) ==
          kRightBlockSize);
  const auto store = open_memory_store();
  test::SilentObserver observer;
  const auto results =
      test::tune_on(device, *store,
                    {.workloads = {problem}, .effort = Effort::quick, .command = "test"}, observer);
  REQUIRE(results.size() == 1);
  CHECK(block_size(results[0].best) == kRightBlockSize);
  CHECK(results[0].failed > 0);
  for (const StoredResult& result : store->measurements()) {
    const MeasurementRecord& record = result.measurement;
    const Config params = config_from_json(histogram_family(), record.params);
    const bool is_wrong = block_size(params) != kRightBlockSize;
    CHECK(record.outcome == (is_wrong ? Outcome::wrong_result : Outcome::ok));
    if (is_wrong) {
      CHECK_THAT(record.failure, ContainsSubstring("1 of 256 bins are wrong: bin 5 holds "));
    }
    CHECK(record.problem.problem ==
          "op=histogram type=u8 counter=u64 bins=256 binning=key distribution=zipf");
  }
}

TEST_CASE("Histograms of every binning and counter are tuned") {
  const std::unique_ptr<Device> device = open_device("cpu");
  const auto store = open_memory_store();
  test::SilentObserver observer;
  HistogramWorkload unaligned = workload_of(ElementType::i16, 20, Binning::custom);
  unaligned.alignment = Alignment::element;
  HistogramWorkload short_counters = workload_of(ElementType::i8, 256, Binning::key);
  short_counters.counter = ElementType::u32;
  const auto results = test::tune_on(
      *device, *store,
      {.workloads = {workload_of(ElementType::f32, 100, Binning::even), unaligned, short_counters},
       .effort = Effort::quick,
       .max_evaluations = 1,
       .command = "test"},
      observer);
  CHECK(results.size() == 3);
  for (const ProblemResult& result : results) CHECK(result.failed == 0);
}
#endif

}  // namespace
}  // namespace foldtune
