#include "tests/fakes/fake_device.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <stdexcept>

#include "foldtune/error.h"
#include "runtime/variant.h"
#include "templates/catalog.h"
#include "templates/reduce/scratch.cuh"
#include "templates/space.h"

namespace foldtune::test {
namespace {

constexpr std::align_val_t kAllocationAlignment{256};
constexpr int kThreadsPerMultiprocessor = 2048;

ReduceParams parse_params(const std::string& expression) {
  Params params = ReduceParams{};
  for (const Tunable& tunable : rules(Family::reduce).tunables) {
    const std::string key = "." + std::string(tunable.name) + "=";
    const std::size_t begin = expression.find(key) + key.size();
    const std::string text =
        expression.substr(begin, expression.find_first_of(",}", begin) - begin);
    const auto matches = [&](int value) {
      if (tunable.labels.empty()) return text == std::to_string(value);
      return text == std::string(tunable.device_type) + "::" + std::string(tunable.labels[value]);
    };
    const auto value = std::ranges::find_if(tunable.values, matches);
    if (value == tunable.values.end()) throw std::logic_error("fake: " + expression);
    tunable.set(params, *value);
  }
  return std::get<ReduceParams>(params);
}

/// What "foldtune::reduce<foldtune::Sum<float, double>, double, foldtune::uint32, true,
/// foldtune::ReduceParams{...}>" reduces.
FakeLaunch parse_expression(const std::string& expression) {
  constexpr ElementType kTypes[] = {ElementType::i32, ElementType::i64, ElementType::f32,
                                    ElementType::f64};
  for (const Operator op : {Operator::sum, Operator::min, Operator::max}) {
    for (const ElementType type : kTypes) {
      for (const ElementType accumulator : kTypes) {
        const Problem problem{.op = op, .type = type, .accumulator = accumulator};
        const std::string begin = "foldtune::reduce<" + device_operator(problem, false) + ", ";
        if (!expression.starts_with(begin)) continue;
        const auto has = [&](const char* text) {
          return expression.find(text) != std::string::npos;
        };
        return {.op = op,
                .type = type,
                .accumulator = accumulator,
                .alignment = has(", true, ") ? Alignment::vector : Alignment::element,
                .counts_in_64_bits = has(", foldtune::uint64, "),
                .params = parse_params(expression)};
      }
    }
  }
  throw std::logic_error("fake: not an instance of reduce: " + expression);
}

template <class Wide>
Wide combine(Operator op, Wide a, Wide b) {
  if (a != a) return a;  // NaN
  if (b != b) return b;
  if (op == Operator::min) return std::min(a, b);
  if (op == Operator::max) return std::max(a, b);
  if constexpr (std::is_integral_v<Wide>) {
    return static_cast<Wide>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return a + b;
  }
}

/// Folds elements of T in accumulators of A, in Wide precision: as close to the exact result as any
/// order of additions.
template <class T, class A, class Wide>
struct HostFold {
  static Wide identity(Operator op) {
    using Limits = std::numeric_limits<A>;
    if (op == Operator::sum) return 0;
    if constexpr (Limits::has_infinity) {
      return op == Operator::min ? Limits::infinity() : -Limits::infinity();
    } else {
      return op == Operator::min ? Limits::max() : Limits::lowest();
    }
  }
  static Wide fold(Operator op, const void* input, std::uint64_t count) {
    const T* const elements = static_cast<const T*>(input);
    Wide total = identity(op);
    for (std::uint64_t i = 0; i < count; ++i) total = combine<Wide>(op, total, elements[i]);
    return total;
  }
  static Wide read(const void* memory) { return *static_cast<const A*>(memory); }
  static void write(void* memory, Wide value) { *static_cast<A*>(memory) = static_cast<A>(value); }
};

/// Calls `function` with the HostFold of the types.
template <class Function>
void with_fold(ElementType type, ElementType accumulator, const Function& function) {
  using Integer = std::int64_t;
  using Floating = long double;
  if (type == ElementType::f64) return function(HostFold<double, double, Floating>{});
  if (type == ElementType::f32) {
    if (accumulator == ElementType::f64) return function(HostFold<float, double, Floating>{});
    return function(HostFold<float, float, Floating>{});
  }
  if (accumulator == ElementType::i64) return function(HostFold<std::int32_t, Integer, Integer>{});
  function(HostFold<std::int32_t, std::int32_t, Integer>{});
}

/// What launches do.
enum class Mode { run, record, ignore };

}  // namespace

/// What the device shares with its compiler and its kernels.
struct FakeDevice::State {
  class FakeCompiler;
  class FakeKernel;

  FakeScript script;
  FakeCounts counts;
  std::unique_ptr<Compiler> compiler;
  mutable std::mutex mutex;  // guards what follows
  std::vector<Program> programs;
  Mode mode = Mode::run;
  std::vector<FakeLaunch> recorded;
  Stream capturing = nullptr;
  bool run_error = false;

  void throw_run_error() {
    const std::lock_guard lock(mutex);
    if (std::exchange(run_error, false)) throw DeviceError("fake: an earlier launch failed");
  }
};

class FakeDevice::ModeScope {
 public:
  ModeScope(State& state, Mode mode) : state_(state) { set(mode); }
  ModeScope(const ModeScope&) = delete;
  ModeScope& operator=(const ModeScope&) = delete;
  ~ModeScope() { set(Mode::run); }

 private:
  void set(Mode mode) {
    const std::lock_guard lock(state_.mutex);
    state_.mode = mode;
  }
  State& state_;
};

/// The image of a compilation is its first name expression.
class FakeDevice::State::FakeCompiler final : public Compiler {
 public:
  explicit FakeCompiler(State& state) : state_(state) {}

  const std::string& version() const override {
    static const std::string version = "fake 1.0";
    return version;
  }

  CompiledKernel compile(const Program& program) const override {
    ++state_.counts.compilations;
    const std::string& expression = program.name_expressions.at(0);
    {
      const std::lock_guard lock(state_.mutex);
      state_.programs.push_back(program);
    }
    if (state_.script.fault_of(parse_params(expression)) == Fault::compile_error) {
      throw CompileError("fake: " + expression + " does not compile");
    }
    return {.image = expression, .lowered_names = program.name_expressions, .compile_ms = 1};
  }

 private:
  State& state_;
};

class FakeDevice::State::FakeKernel final : public Kernel {
 public:
  FakeKernel(State& state, const CompiledKernel& compiled)
      : state_(state), kernels_(compiled.lowered_names.size()) {
    reduce_ = parse_expression(compiled.image);
  }

  void launch(std::size_t index, LaunchShape shape, void** arguments, Stream) const override {
    if (index >= kernels_) throw std::logic_error("fake: the program has no such kernel");
    const Fault fault = state_.script.fault_of(reduce_.params);
    if (fault == Fault::launch_error) throw DeviceError("fake: the launch failed");
    const bool is_reduce = index == static_cast<std::size_t>(KernelRole::main);
    FakeLaunch launch = reduce_;
    launch.grid_size = shape.grid_size;
    if (is_reduce && launch.counts_in_64_bits) {
      launch.count = *static_cast<const std::uint64_t*>(arguments[1]);
    } else if (is_reduce) {
      launch.count = *static_cast<const std::uint32_t*>(arguments[1]);
    }

    const std::lock_guard lock(state_.mutex);
    if (state_.mode == Mode::ignore) return;
    if (state_.mode == Mode::record) {
      if (is_reduce) state_.recorded.push_back(launch);
      state_.run_error |= fault == Fault::run_error;
      return;
    }
    ++(is_reduce ? state_.counts.reduce_launches : state_.counts.helper_launches);
    state_.run_error |= fault == Fault::run_error;
    with_fold(launch.type, launch.accumulator, [&](auto fold) {
      if (is_reduce) return run_reduce(fold, launch, arguments, fault == Fault::wrong_result);
      run_helper(fold, launch, arguments);
    });
  }

  KernelResources resources(std::size_t, std::uint32_t block_size) const override {
    return {.registers = 32,
            .blocks_per_multiprocessor = kThreadsPerMultiprocessor / static_cast<int>(block_size),
            .occupancy = 1};
  }

 private:
  /// Arguments: inputs, count, output, scratch.
  template <class Fold>
  static void run_reduce(Fold fold, const FakeLaunch& launch, void** arguments, bool wrong) {
    const void* const input = *static_cast<const void**>(arguments[0]);
    void* const output = *static_cast<void**>(arguments[2]);
    char* const scratch = *static_cast<char**>(arguments[3]);
    auto total = fold.fold(launch.op, input, launch.count);
    if (wrong) total = total == 7 ? 8 : 7;
    const FinalStage stage = launch.params.final_stage;
    if (launch.grid_size > 1 && stage == FinalStage::atomic) {
      fold.write(output, combine(launch.op, fold.read(output), total));
    } else if (launch.grid_size > 1 && stage == FinalStage::two_pass) {
      fold.write(scratch + kScratchHeaderBytes, total);
    } else {
      fold.write(output, total);
    }
  }

  /// `store_identity(output)` or `fold_blocks(scratch, blocks, count, output)`.
  template <class Fold>
  static void run_helper(Fold fold, const FakeLaunch& launch, void** arguments) {
    if (launch.params.final_stage == FinalStage::atomic) {
      fold.write(*static_cast<void**>(arguments[0]), fold.identity(launch.op));
    } else {
      const char* const scratch = *static_cast<char**>(arguments[0]);
      fold.write(*static_cast<void**>(arguments[3]), fold.read(scratch + kScratchHeaderBytes));
    }
  }

  State& state_;
  std::size_t kernels_;
  FakeLaunch reduce_;
};

Stream fake_stream(int number) {
  return reinterpret_cast<Stream>(static_cast<std::uintptr_t>(number));
}

FakeDevice::FakeDevice(FakeScript script) : state_(std::make_unique<State>()) {
  state_->script = std::move(script);
  state_->compiler = std::make_unique<State::FakeCompiler>(*state_);
  info_.id = "fake";
  info_.memory_bytes = std::uint64_t{4} << 20;  // small, so that tests fill a part of it quickly
  info_.record = {.kind = "fake",
                  .name = "Fake GPU",
                  .architecture = "fake_1",
                  .multiprocessor_count = 4,
                  .memory_clock_khz = 0,
                  .memory_bus_bits = 0,
                  .l2_bytes = 1 << 16,
                  .driver = "1"};
}

FakeDevice::~FakeDevice() = default;

const FakeCounts& FakeDevice::counts() const { return state_->counts; }

std::vector<Program> FakeDevice::compiled_programs() const {
  const std::lock_guard lock(state_->mutex);
  return state_->programs;
}

void FakeDevice::set_capturing(Stream stream) {
  const std::lock_guard lock(state_->mutex);
  state_->capturing = stream;
}

const Compiler& FakeDevice::compiler() { return *state_->compiler; }

std::unique_ptr<Kernel> FakeDevice::load(const CompiledKernel& compiled) {
  ++state_->counts.loads;
  if (state_->script.fault_of(parse_params(compiled.image)) == Fault::load_error) {
    throw DeviceError("fake: the image cannot be loaded");
  }
  return std::make_unique<State::FakeKernel>(*state_, compiled);
}

void* FakeDevice::allocate(std::size_t bytes) {
  void* const memory = ::operator new(std::max<std::size_t>(bytes, 1), kAllocationAlignment);
  ++state_->counts.allocations;
  ++state_->counts.live_allocations;
  return std::memset(memory, 0, bytes);
}

void FakeDevice::deallocate(void* memory) noexcept {
  --state_->counts.live_allocations;
  ::operator delete(memory, kAllocationAlignment);
}

void FakeDevice::copy(void* to, const void* from, std::size_t bytes) {
  state_->throw_run_error();
  std::memcpy(to, from, bytes);
}

void FakeDevice::synchronize(Stream) { state_->throw_run_error(); }

std::uint64_t FakeDevice::stream_id(Stream stream) const {
  return reinterpret_cast<std::uintptr_t>(stream);
}

bool FakeDevice::is_capturing(Stream stream) const {
  const std::lock_guard lock(state_->mutex);
  return stream != nullptr && stream == state_->capturing;
}

std::vector<double> FakeDevice::time(const TimingRequest& request) {
  ++state_->counts.timings;
  state_->recorded.clear();
  {
    const ModeScope scope(*state_, Mode::record);
    for (int call = 0; call < request.calls; ++call) request.enqueue(call, nullptr);
  }
  state_->throw_run_error();

  const ModeScope scope(*state_, Mode::ignore);
  std::vector<double> samples;
  for (int sample = 0; sample < request.samples; ++sample) {
    if (request.before_sample) request.before_sample(nullptr);
    double total_us = 0;
    for (const FakeLaunch& launch : state_->recorded) {
      total_us += state_->script.cost_us ? state_->script.cost_us(launch) : 1;
    }
    samples.push_back(total_us / request.calls);
  }
  return samples;
}

}  // namespace foldtune::test
