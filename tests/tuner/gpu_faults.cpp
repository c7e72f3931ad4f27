// Kernels that crash, hang and lie, on a GPU, in the place of one that is right: whatever they do,
// their trial says so, and the right ones beside them are measured as if nothing had been. Without
// a GPU it says so and ends with the status 77.
//
//     gpu_faults [DEVICE]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "foldtune/error.h"
#include "runtime/device/compiler.h"
#include "templates/family.h"
#include "templates/reduce/space.h"
#include "tuner/worker/worker_evaluator.h"

namespace foldtune {
namespace {

constexpr int kSkipped = 77;

/// Less than the kernel that spins, and far more than what is right.
constexpr double kTrialSeconds = 5;

/// Enough for the slowest of the good configurations to be slower by a factor.
const Reduction kProblem{.count = std::uint64_t{1} << 24};

/// The first is by far the fastest.
const std::vector<ReduceParams> kGood{
    {.block_size = 256,
     .vector_width = 4,
     .unroll = 4,
     .final_stage = FinalStage::polling,
     .waves = 1},
    {.block_size = 32, .vector_width = 1, .unroll = 1, .waves = 1},
    {.block_size = 32,
     .vector_width = 1,
     .unroll = 1,
     .block_stage = BlockStage::tree,
     .final_stage = FinalStage::two_pass,
     .waves = 1},
};

/// What takes the place of the kernel of kGood[0], with its parameters.
constexpr const char* kBrokenKernels = R"(
__global__ void illegal_address(const float*, unsigned, float*, void*) {
  *reinterpret_cast<volatile float*>(16) = 1;
}
__global__ void misaligned_address(const float* input, unsigned, float* output, void*) {
  *output = *reinterpret_cast<const volatile float*>(reinterpret_cast<const char*>(input) + 1);
}
__global__ void traps(const float*, unsigned, float*, void*) { __trap(); }
__global__ void spins_for_30_s(const float*, unsigned, float* output, void*) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < 30000000000ull);
  *output = 42;
}
__global__ void wrong_result(const float*, unsigned, float* output, void*) { *output = 42; }
__global__ void leaves_the_output(const float*, unsigned, float*, void*) {}
__global__ void __launch_bounds__(32) few_threads(const float*, unsigned, float* output, void*) {
  *output = 42;
}
)";

struct Row {
  std::string what;
  std::vector<Outcome> expected;  ///< any of them
  std::string expected_reason{};  ///< a part of it
};

const std::vector<Row> kBroken{
    {"illegal_address", {Outcome::crashed}, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {"misaligned_address", {Outcome::crashed}, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {"traps", {Outcome::crashed}, "CUDA_ERROR_"},
    {"spins_for_30_s", {Outcome::timeout}, "did not end within"},
    {"wrong_result", {Outcome::wrong_result}},
    {"leaves_the_output", {Outcome::wrong_result}},
    {"few_threads", {Outcome::launch_error, Outcome::load_error}, "CUDA_ERROR_"},
};

class Check {
 public:
  explicit Check(const std::string& device) : worker_(options_of(device)) {
    worker_.set_workload(kProblem, kProblem);
  }

  /// True if all is as it should be.
  bool run() {
    fmt::print("device: {} ({}), compiler: {}, read bandwidth: {:.0f} GB/s\n", worker_.info().id,
               worker_.info().record.name, worker_.compiler_version(),
               worker_.read_bandwidth_gbps());
    fmt::print("{:<20} {:<13} {:>6} {:>6} {:>9}  {}\n", "trial", "outcome", "good?", "s", "us",
               "reason");
    for (const ReduceParams& params : kGood) clean_us_.push_back(try_good(params));
    for (const Row& row : kBroken) {
      try_broken(row, compile({.source = kBrokenKernels, .name_expressions = {row.what}}));
      try_all_good();
    }
    try_broken({"no cubin", {Outcome::load_error}, "CUDA_ERROR_"},
               {.image = "this is no cubin", .lowered_names = {"kernel"}});
    CompiledKernel nameless = compile(program_of(kGood[0]));
    nameless.lowered_names = {"no_such_kernel"};
    try_broken({"no such kernel", {Outcome::load_error}, "CUDA_ERROR_NOT_FOUND"}, nameless);
    try_all_good();
    show_compile_error();
    fmt::print("{} workers were started; {}\n", worker_.starts(),
               is_good_ ? "all is as it should be" : "THERE ARE FAULTS");
    return is_good_;
  }

 private:
  static WorkerOptions options_of(const std::string& device) {
    WorkerOptions options;
    options.command = worker_command(device, 1);
    options.evaluate_s = kTrialSeconds;
    return options;
  }

  static Program program_of(const ReduceParams& params) {
    return make_program({.workload = kProblem, .params = params});
  }

  CompiledKernel compile(const Program& program) { return worker_.compiler()->compile(program); }

  void print_row(const std::string& what, const MeasurementRecord& record, bool is_right,
                 double seconds) {
    is_good_ &= is_right;
    fmt::print("{:<20} {:<13} {:>6} {:>6.2f} {:>9.2f}  {}\n", what, to_string(record.outcome),
               is_right ? "yes" : "NO", seconds, record.median_us, record.failure);
    std::fflush(stdout);
  }

  struct Timed {
    MeasurementRecord record;
    double seconds = 0;
  };
  Timed evaluate(const ReduceParams& params, const CompiledKernel& compiled) {
    const auto begin = std::chrono::steady_clock::now();
    Timed timed;
    timed.record = worker_.evaluate(
        {.params = params, .compiled = std::make_shared<const CompiledKernel>(compiled)});
    timed.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return timed;
  }

  void try_broken(const Row& row, const CompiledKernel& compiled) {
    const Timed timed = evaluate(kGood[0], compiled);
    const bool has_outcome =
        std::ranges::find(row.expected, timed.record.outcome) != row.expected.end();
    const bool has_reason = timed.record.failure.find(row.expected_reason) != std::string::npos;
    print_row(row.what, timed.record, has_outcome && has_reason, timed.seconds);
  }

  double try_good(const ReduceParams& params) {
    const Timed timed = evaluate(params, compile(program_of(params)));
    print_row("  right", timed.record, timed.record.outcome == Outcome::ok, timed.seconds);
    return timed.record.median_us;
  }

  /// Between two that are broken: the same figures, within what screening tells apart, and the same
  /// winner.
  void try_all_good() {
    constexpr double kFactor = 1.5;
    std::vector<double> us;
    for (std::size_t i = 0; i < kGood.size(); ++i) {
      us.push_back(try_good(kGood[i]));
      const bool is_close = us[i] < clean_us_[i] * kFactor && clean_us_[i] < us[i] * kFactor;
      if (!is_close) fmt::print("  it was {:.2f} us before\n", clean_us_[i]);
      is_good_ &= is_close;
    }
    if (std::ranges::min_element(us) != us.begin()) {
      fmt::print("  another configuration is the fastest now\n");
      is_good_ = false;
    }
  }

  void show_compile_error() {
    try {
      compile({.source = "__global__ void broken() { this is no code }\n",
               .name_expressions = {"broken"}});
      is_good_ = false;
      fmt::print("what is no code compiles\n");
    } catch (const CompileError& error) {
      fmt::print("what does not compile is never tried: {}\n", error.what());
    }
  }

  WorkerEvaluator worker_;
  std::vector<double> clean_us_;
  bool is_good_ = true;
};

int check(const std::string& device) {
  std::unique_ptr<Check> check;
  try {
    check = std::make_unique<Check>(device);
  } catch (const Unavailable& error) {
    fmt::print("skipped: {}\n", error.what());
    return kSkipped;
  }
  return check->run() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace foldtune

int main(int argc, char** argv) {
  try {
    return foldtune::check(argc > 1 ? argv[1] : "cuda:0");
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpu_faults: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
