#include "tests/fakes/fake_device.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <vector>

#include "foldtune/error.h"
#include "runtime/device/cuda/graph_memory.h"
#include "runtime/device/throttle.h"
#include "templates/family.h"
#include "templates/fold/operators.h"
#include "templates/reduce/scratch.cuh"
#include "templates/reduce/space.h"
#include "templates/space.h"

namespace foldtune::test {
namespace {

constexpr std::align_val_t kAllocationAlignment{256};
constexpr int kThreadsPerMultiprocessor = 2048;

ReduceParams parse_params(const std::string& expression) {
  Config params = ReduceParams{};
  for (const Tunable& tunable : reduce_tunables()) {
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
    params.set(tunable, *value);
  }
  return reduce_params(params);
}

bool is_reduction(const std::string& expression) {
  return expression.starts_with("foldtune::reduce<") ||
         expression.starts_with("foldtune::reduce_in_order<");
}

/// What "foldtune::reduce<foldtune::Sum<float, double>, double, foldtune::uint32, true,
/// foldtune::ReduceParams{...}>" reduces, or the same of `reduce_in_order`.
FakeLaunch parse_expression(const std::string& expression) {
  const bool in_order = expression.starts_with("foldtune::reduce_in_order<");
  const auto has = [&](const char* text) { return expression.find(text) != std::string::npos; };
  FakeLaunch launch{.alignment = has(", false, ") ? Alignment::element : Alignment::vector,
                    .in_order = in_order,
                    .counts_in_64_bits = has(", foldtune::uint64, "),
                    .params = parse_params(expression)};
  const auto reduces = [&](const Reduction& reduction) {
    const std::string kernel = in_order ? "foldtune::reduce_in_order<" : "foldtune::reduce<";
    launch.op = reduction.op;
    launch.type = reduction.type;
    launch.accumulator = reduction.accumulator_type();
    return expression.starts_with(kernel + device_operator(reduction, false) + ", ");
  };
  if (reduces({.op = Operator::custom, .type = ElementType::f32})) return launch;
  for (const Operator op : {Operator::sum, Operator::min, Operator::max}) {
    for (const ElementType type : element_types()) {
      for (const ElementType accumulator : accumulators(op, type)) {
        if (reduces({.op = op, .type = type, .accumulator = accumulator})) return launch;
      }
    }
  }
  throw std::logic_error("fake: not an instance of reduce: " + expression);
}

/// Exact for integers, and as close to the exact result of floating-point numbers as any order of
/// additions.
using Wide = long double;

Wide combine(Operator op, Wide a, Wide b) {
  if (a != a) return a;  // NaN
  if (b != b) return b;
  if (op == Operator::min) return std::min(a, b);
  if (op == Operator::max) return std::max(a, b);
  return a + b;
}

/// Calls `function` with a value of the C++ type.
template <class Function>
auto with_type(ElementType type, const Function& function) {
  switch (type) {
    case ElementType::i8:
      return function(std::int8_t{});
    case ElementType::u8:
      return function(std::uint8_t{});
    case ElementType::i16:
      return function(std::int16_t{});
    case ElementType::u16:
      return function(std::uint16_t{});
    case ElementType::i32:
      return function(std::int32_t{});
    case ElementType::u32:
      return function(std::uint32_t{});
    case ElementType::i64:
      return function(std::int64_t{});
    case ElementType::u64:
      return function(std::uint64_t{});
    case ElementType::f32:
      return function(float{});
    case ElementType::f64:
      return function(double{});
    case ElementType::f16:
    case ElementType::bf16:
      break;
  }
  throw std::logic_error("fake: it folds no 16-bit floating-point numbers");
}

Wide read_number(ElementType type, const void* memory) {
  return with_type(type, [&](auto number) {
    std::memcpy(&number, memory, sizeof(number));
    return static_cast<Wide>(number);
  });
}

/// Integers wrap.
void write_number(ElementType type, void* memory, Wide value) {
  with_type(type, [&](auto number) {
    using T = decltype(number);
    if constexpr (std::is_floating_point_v<T>) {
      number = static_cast<T>(value);
    } else if (value < 0) {
      number = static_cast<T>(static_cast<std::int64_t>(value));
    } else {
      number = static_cast<T>(static_cast<std::uint64_t>(value));
    }
    std::memcpy(memory, &number, sizeof(number));
  });
}

Wide identity(Operator op, ElementType accumulator) {
  if (op != Operator::min && op != Operator::max) return 0;
  return with_type(accumulator, [&](auto number) -> Wide {
    using Limits = std::numeric_limits<decltype(number)>;
    if constexpr (Limits::has_infinity) {
      return op == Operator::min ? Limits::infinity() : -Limits::infinity();
    } else {
      return op == Operator::min ? Limits::max() : Limits::lowest();
    }
  });
}

Wide fold(const FakeLaunch& launch, const void* input) {
  return with_type(launch.type, [&](auto number) {
    const auto* const elements = static_cast<const decltype(number)*>(input);
    Wide total = identity(launch.op, launch.accumulator);
    for (std::uint64_t i = 0; i < launch.count; ++i) {
      total = combine(launch.op, total, elements[i]);
    }
    return total;
  });
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
  std::set<Stream> capturing;
  int graph = 0;
  std::map<int, std::vector<GraphMemory::Lease>> graphs;  ///< what they keep, by their numbers
  FakeLaunch last_launch;
  Stream destroyed = nullptr;
  const void* foreign = nullptr;
  bool run_error = false;
  bool lost = false;
  GraphMemory graph_memory;
  ThrottleGuard throttle_guard{std::chrono::milliseconds(0)};

  void throw_if_lost() {
    const std::lock_guard lock(mutex);
    if (lost) throw DeviceError("fake: the device is lost");
  }

  void throw_if_destroyed(Stream stream) {
    const std::lock_guard lock(mutex);
    if (stream != nullptr && stream == destroyed) throw DeviceError("fake: invalid stream");
  }

  void throw_run_error() {
    throw_if_lost();
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

/// The image of a compilation is its name expressions.
class FakeDevice::State::FakeCompiler final : public Compiler {
 public:
  explicit FakeCompiler(State& state) : state_(state) {}

  const std::string& version() const override {
    static const std::string version = "fake 1.0";
    return version;
  }

  CompiledKernel compile(const Program& program) const override {
    ++state_.counts.compilations;
    {
      const std::lock_guard lock(state_.mutex);
      state_.programs.push_back(program);
    }
    std::string image;
    for (const std::string& expression : program.name_expressions) {
      image += expression + "\n";
      if (is_reduction(expression) &&
          state_.script.fault_of(parse_params(expression)) == Fault::compile_error) {
        throw CompileError("fake: " + expression + " does not compile");
      }
    }
    return {.image = image, .lowered_names = program.name_expressions, .compile_ms = 1};
  }

 private:
  State& state_;
};

/// The kernel that tries a custom operator in every order: all results are 0, as they were before,
/// so that every order gives the same.
class FakeLawKernel final : public Kernel {
 public:
  static bool is_one(const CompiledKernel& compiled) {
    return compiled.lowered_names.front().starts_with("foldtune::combine_in_every_order<");
  }
  void launch(const Launch&, Stream) const override {}
  KernelResources resources(std::size_t, std::uint32_t) const override { return {}; }
};

class FakeDevice::State::FakeKernel final : public Kernel {
 public:
  FakeKernel(State& state, const CompiledKernel& compiled)
      : state_(state), kernels_(compiled.lowered_names.size()) {
    reduce_ = parse_expression(compiled.lowered_names.front());
  }

  void launch(const Launch& asked, Stream stream) const override {
    void* const* const arguments = asked.arguments.data();
    state_.throw_if_destroyed(stream);
    if (asked.kernel >= kernels_) throw std::logic_error("fake: the program has no such kernel");
    const Fault fault = state_.script.fault_of(reduce_.params);
    if (fault == Fault::launch_error) throw DeviceError("fake: the launch failed");
    if (fault == Fault::lost) {
      const std::lock_guard lock(state_.mutex);
      state_.lost = true;
      throw DeviceError("fake: the launch broke the device");
    }
    const bool is_reduce = asked.kernel == 0;
    FakeLaunch launch = reduce_;
    launch.grid_size = asked.grid.x;
    launch.is_cluster = asked.is_cluster;
    launch.stream = stream;
    if (is_reduce) {
      void* const* const others = after_count(launch, arguments);
      launch.input = *static_cast<const void* const*>(arguments[0]);
      launch.output = *static_cast<const void* const*>(others[0]);
      launch.scratch = *static_cast<const void* const*>(others[1]);
      launch.inputs_ready = *static_cast<const bool*>(others[2]);
    }
    if (is_reduce && launch.counts_in_64_bits) {
      launch.count = *static_cast<const std::uint64_t*>(arguments[1]);
    } else if (is_reduce) {
      launch.count = *static_cast<const std::uint32_t*>(arguments[1]);
    }

    const std::lock_guard lock(state_.mutex);
    if (state_.mode == Mode::ignore) {
      state_.counts.untimed_launches += is_reduce ? 1 : 0;
      return;
    }
    if (state_.mode == Mode::record) {
      if (is_reduce) state_.recorded.push_back(launch);
      state_.run_error |= fault == Fault::run_error;
      return;
    }
    ++(is_reduce ? state_.counts.reduce_launches : state_.counts.helper_launches);
    if (is_reduce) state_.last_launch = launch;
    state_.run_error |= fault == Fault::run_error;
    if (is_reduce) return run_reduce(launch, arguments, fault == Fault::wrong_result);
    run_helper(launch, arguments);
  }

  KernelResources resources(std::size_t, std::uint32_t block_size) const override {
    ++state_.counts.resource_queries;
    return {.registers = 32,
            .blocks_per_multiprocessor = kThreadsPerMultiprocessor / static_cast<int>(block_size),
            .occupancy = 1};
  }

 private:
  /// The output, the scratch and the promise of `reduce(inputs, count, output, scratch,
  /// inputs_ready)`, or of `reduce_in_order(inputs, count, chunk, output, scratch, inputs_ready)`.
  static void* const* after_count(const FakeLaunch& launch, void* const* arguments) {
    return arguments + (launch.in_order ? 3 : 2);
  }

  static void run_reduce(const FakeLaunch& launch, void* const* arguments, bool wrong) {
    void* const* const others = after_count(launch, arguments);
    const void* const input = *static_cast<const void**>(arguments[0]);
    void* const output = *static_cast<void**>(others[0]);
    char* const scratch = *static_cast<char**>(others[1]);
    Wide total = fold(launch, input);
    if (wrong) total = total == 7 ? 8 : 7;
    const FinalStage stage = launch.params.final_stage;
    const bool has_partials = launch.in_order
                                  ? launch.count > *static_cast<const std::uint32_t*>(arguments[2])
                                  : launch.grid_size > 1;
    if (has_partials && stage == FinalStage::atomic) {
      total = combine(launch.op, read_number(launch.accumulator, output), total);
    }
    const bool to_scratch = has_partials && stage == FinalStage::two_pass;
    write_number(launch.accumulator, to_scratch ? scratch + kScratchHeaderBytes : output, total);
  }

  /// `store_identity(output)`; `fold_blocks(scratch, blocks, count, output)`, or `fold_in_order` of
  /// the same parameters.
  static void run_helper(const FakeLaunch& launch, void* const* arguments) {
    if (launch.params.final_stage == FinalStage::atomic) {
      write_number(launch.accumulator, *static_cast<void**>(arguments[0]),
                   identity(launch.op, launch.accumulator));
    } else {
      const char* const scratch = *static_cast<char**>(arguments[0]);
      write_number(launch.accumulator, *static_cast<void**>(arguments[3]),
                   read_number(launch.accumulator, scratch + kScratchHeaderBytes));
    }
  }

  State& state_;
  std::size_t kernels_;
  FakeLaunch reduce_;
};

Stream fake_stream(int number) {
  constexpr std::uintptr_t kApart = 256;  // and beyond the driver's own small handles
  return reinterpret_cast<Stream>(number * kApart);
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

FakeDevice::~FakeDevice() {
  for (void* const memory : state_->graph_memory.all()) deallocate(memory);
}

const FakeCounts& FakeDevice::counts() const { return state_->counts; }

std::vector<Program> FakeDevice::compiled_programs() const {
  const std::lock_guard lock(state_->mutex);
  return state_->programs;
}

void FakeDevice::set_capturing(Stream stream) {
  const std::lock_guard lock(state_->mutex);
  state_->capturing.clear();
  if (stream == nullptr) return;
  state_->capturing.insert(stream);
  ++state_->graph;
}

void FakeDevice::join_capture(Stream stream) {
  const std::lock_guard lock(state_->mutex);
  state_->capturing.insert(stream);
}

int FakeDevice::captured_graph() const {
  const std::lock_guard lock(state_->mutex);
  return state_->graph;
}

void FakeDevice::destroy_graph(int number) {
  const std::lock_guard lock(state_->mutex);
  state_->graphs.erase(number);
}

FakeLaunch FakeDevice::last_launch() const {
  const std::lock_guard lock(state_->mutex);
  return state_->last_launch;
}

void FakeDevice::set_destroyed(Stream stream) {
  const std::lock_guard lock(state_->mutex);
  state_->destroyed = stream;
}

void FakeDevice::set_foreign(const void* memory) {
  const std::lock_guard lock(state_->mutex);
  state_->foreign = memory;
}

const Compiler& FakeDevice::compiler() {
  if (!state_->script.has_compiler) throw Unavailable("fake: there is no compiler");
  return *state_->compiler;
}

std::unique_ptr<Kernel> FakeDevice::load(const CompiledKernel& compiled) {
  ++state_->counts.loads;
  state_->throw_run_error();
  if (FakeLawKernel::is_one(compiled)) return std::make_unique<FakeLawKernel>();
  const Fault fault = state_->script.fault_of(parse_params(compiled.lowered_names.front()));
  if (fault == Fault::load_error) throw DeviceError("fake: the image cannot be loaded");
  if (fault == Fault::out_of_memory) throw OutOfMemory("fake: no memory is left");
  return std::make_unique<State::FakeKernel>(*state_, compiled);
}

void* FakeDevice::allocate(std::size_t bytes) {
  state_->throw_if_lost();
  if (bytes > state_->script.largest_allocation) throw OutOfMemory("fake: no memory is left");
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

void FakeDevice::copy_to_host(Stream stream, void* to, const void* from, std::size_t bytes) {
  ++state_->counts.copies_to_host;
  Device::copy_to_host(stream, to, from, bytes);
}

void FakeDevice::synchronize(Stream stream) {
  state_->throw_if_destroyed(stream);
  state_->throw_run_error();
}

std::string FakeDevice::find_pointer_fault(const void* memory) const {
  const std::lock_guard lock(state_->mutex);
  return memory != nullptr && memory == state_->foreign ? "is memory of another fake" : "";
}

void FakeDevice::await(Stream stream, const std::function<bool()>& is_there) {
  if (!is_there()) return synchronize(stream);
  ++state_->counts.seen_results;
}

bool FakeDevice::is_capturing(Stream stream) const {
  ++state_->counts.capture_queries;
  state_->throw_if_destroyed(stream);
  const std::lock_guard lock(state_->mutex);
  return state_->capturing.contains(stream);
}

void* FakeDevice::allocate_in_capture(Stream stream, std::size_t bytes) {
  if (!is_capturing(stream)) throw DeviceError("fake: the stream is not being captured");
  GraphMemory::Lease lease =
      state_->graph_memory.take(bytes, [&](std::size_t size) { return allocate(size); });
  std::memset(lease.get(), 0, bytes);
  const std::lock_guard lock(state_->mutex);
  return state_->graphs[state_->graph].emplace_back(std::move(lease)).get();
}

class FakeDevice::FakeStopwatch final : public Stopwatch {
 public:
  FakeStopwatch(State& state, TimingRequest request) : state_(state), request_(std::move(request)) {
    ++state_.counts.timings;
    state_.throw_run_error();
    state_.recorded.clear();
    {
      const ModeScope scope(state_, Mode::record);
      for (int call = 0; call < request_.calls; ++call) request_.enqueue(call, nullptr);
    }
    launches_ = std::exchange(state_.recorded, {});
    state_.throw_run_error();
  }

  Samples take(int samples) override {
    return state_.throttle_guard.take([&] {
      ++state_.counts.takings;
      state_.throw_run_error();
      const ModeScope scope(state_, Mode::ignore);
      ThrottleGuard::Reading reading{.us = {}, .state = {.clocks = kFakeClocks}};
      for (int sample = 0; sample < samples; ++sample) reading.us.push_back(take_one());
      if (state_.script.clock_reasons) reading.state.clock_reasons = state_.script.clock_reasons();
      return reading;
    });
  }

 private:
  double take_one() {
    if (request_.before_sample) request_.before_sample(nullptr);
    double total_us = 0;
    for (const FakeLaunch& launch : launches_) {
      if (state_.script.fault_of(launch.params) == Fault::timing_error) {
        throw DeviceError("fake: the samples cannot be taken");
      }
      total_us += state_.script.cost_us ? state_.script.cost_us(launch) : 1;
    }
    return total_us / request_.calls + host_us();
  }

  double host_us() const {
    switch (request_.launching) {
      case Launching::graph:
        return 0;
      case Launching::stream:
        return kFakeStreamUs;
      case Launching::latency:
        break;
    }
    return kFakeLatencyUs;
  }

  State& state_;
  TimingRequest request_;
  std::vector<FakeLaunch> launches_;
};

std::unique_ptr<Stopwatch> FakeDevice::prepare_timing(TimingRequest request) {
  return std::make_unique<FakeStopwatch>(*state_, std::move(request));
}

}  // namespace foldtune::test
