#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "foldtune/error.h"
#include "tests/catch.h"
#include "tests/runtime/cpu_program.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kSource = R"(
#include <new>

#include "templates/device/words.cuh"

namespace platform = foldtune::platform;

struct Slots { int values[32]; };

void block_sum(const int* input, int* output) {
  FOLDTUNE_SHARED(Slots, slots);
  const unsigned thread = platform::thread_index();
  int value = input[platform::block_index() * platform::current->block_size + thread];
  for (unsigned delta = 16; delta > 0; delta /= 2) value += platform::shuffle_down(value, delta);
  if (thread % 32 == 0) slots.values[thread / 32] = value;
  platform::sync_block();
  if (thread != 0) return;
  int total = 0;
  for (unsigned warp = 0; warp < platform::current->block_size / 32; ++warp) {
    total += slots.values[warp];
  }
  output[platform::block_index()] = total;
}

struct Wide { long long low, high; };

void shift_lanes(Wide* values) {
  Wide& mine = values[platform::thread_index()];
  for (int i = 0; i < 3; ++i) mine = foldtune::shuffle_down(mine, 1);
}

// Every block takes what the one before it wrote.
void relay(unsigned* cells) {
  if (platform::thread_index() != 0) return;
  const unsigned block = platform::block_index();
  unsigned value = 0;
  if (block > 0) {
    while ((value = platform::load_relaxed(cells + block - 1)) == 0) platform::pause();
  }
  platform::store_relaxed(cells + block, value + 1);
}

void wait_for_nobody(unsigned* cell) {
  while (platform::load_relaxed(cell) == 0) platform::pause();
}

void diverge() {
  const unsigned thread = platform::thread_index();
  if (thread < 32) {
    platform::sync_block();
  } else if (thread < 60) {
    platform::shuffle_down(1, 1);
  }
}

void fail_in_one_block(unsigned* cells) {
  const unsigned block = platform::block_index();
  if (block == 1 && platform::thread_index() == 0) platform::shuffle_down(1, 1);
  if (block == 3) wait_for_nobody(cells);
}

void leave_early(int* output) {
  const unsigned thread = platform::thread_index();
  if (thread >= 5) return;
  platform::sync_block();
  output[thread] = 1;
  platform::sync_block();
  if (thread == 0) output[0] += output[4];
}

struct Unset { float number; int word; };

void read_unset(float* number, int* word) {
  FOLDTUNE_SHARED(Unset, unset);
  if (platform::thread_index() != 0) return;
  number[platform::block_index()] = unset.number;
  word[platform::block_index()] = unset.word;
  unset = {1.0f, 2};
}

// The place of every thread in a grid of three dimensions, by way of memory of its block.
void write_places(unsigned* places) {
  const auto& self = *platform::current;
  const unsigned size = self.block_size;
  auto* const shared = static_cast<unsigned*>(self.dynamic_shared);
  const unsigned* const block = self.block_extents;
  const unsigned thread = self.thread_index;
  const unsigned x = thread % block[0], y = thread / block[0] % block[1];
  const unsigned z = thread / block[0] / block[1];
  shared[thread] = x + 10 * y + 100 * z;
  platform::sync_block();
  places[self.block_index * size + thread] = shared[size - 1 - thread];
}

void lack_memory() { throw std::bad_alloc(); }

void read_unset_dynamic(unsigned* words) {
  words[platform::block_index()] = *static_cast<unsigned*>(platform::current->dynamic_shared);
  *static_cast<unsigned*>(platform::current->dynamic_shared) = 1;
}
)";

enum KernelIndex {
  kBlockSum,
  kShiftLanes,
  kRelay,
  kWaitForNobody,
  kDiverge,
  kFailInOneBlock,
  kLeaveEarly,
  kReadUnset,
  kWritePlaces,
  kReadUnsetDynamic,
  kLackMemory,
};
const std::vector<std::string> kNames = {"block_sum",          "shift_lanes", "relay",
                                         "wait_for_nobody",    "diverge",     "fail_in_one_block",
                                         "leave_early",        "read_unset",  "write_places",
                                         "read_unset_dynamic", "lack_memory"};

// One device for all tests: compiling takes longer than they do.
const CpuProgram& the_program() {
  static const CpuProgram program(kSource, kNames);
  return program;
}

std::string message_of_launch(const CpuProgram& program, std::size_t index, Dim3 grid, Dim3 block,
                              unsigned* cells = nullptr) {
  try {
    program.launch(index, grid, block, cells);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "no DeviceError was thrown";
}

}  // namespace

TEST_CASE("CPU device: threads of a block meet in shuffles and barriers") {
  const CpuProgram& program = the_program();
  for (const std::size_t block_size : {32, 64, 256, 1024}) {
    constexpr std::uint32_t kBlocks = 7;
    std::vector<int> input(kBlocks * block_size);
    std::iota(input.begin(), input.end(), 1);
    std::vector<int> output(kBlocks);
    program.launch(kBlockSum, {kBlocks}, {static_cast<std::uint32_t>(block_size)}, input.data(),
                   output.data());
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
      const int* const first = input.data() + block * block_size;
      CHECK(output[block] == std::accumulate(first, first + block_size, 0));
    }
  }
}

TEST_CASE("CPU device: a shuffle moves 16 bytes, and its top lanes keep their own") {
  const CpuProgram& program = the_program();
  struct Wide {
    long long low, high;
  };
  std::vector<Wide> values(64);
  for (int i = 0; i < 64; ++i) values[i] = {i, -i};
  program.launch(kShiftLanes, {1}, {64}, values.data());
  for (int i = 0; i < 64; ++i) {
    const int expected = std::min(i + 3, i / 32 * 32 + 31);
    CHECK(values[i].low == expected);
    CHECK(values[i].high == -expected);
  }
}

TEST_CASE("CPU device: a block may wait for earlier blocks") {
  const CpuProgram& program = the_program();
  std::vector<unsigned> cells(100);
  program.launch(kRelay, {100}, {32}, cells.data());
  CHECK(cells.back() == 100);
}

TEST_CASE("CPU device: threads that have exited are not waited for in a barrier") {
  const CpuProgram& program = the_program();
  std::vector<int> output(5);
  program.launch(kLeaveEarly, {1}, {64}, output.data());
  CHECK(output == std::vector<int>{2, 1, 1, 1, 1});
}

TEST_CASE("CPU device: shared memory is NaN and -1 at the start of every block") {
  const CpuProgram& program = the_program();
  std::vector<float> numbers(6);
  std::vector<int> words(6);
  program.launch(kReadUnset, {6}, {32}, numbers.data(), words.data());
  for (const float number : numbers) CHECK(std::isnan(number));
  CHECK(words == std::vector<int>(6, -1));
}

TEST_CASE("CPU device: a deadlock within a block is an error that says who waits where") {
  const CpuProgram& program = the_program();
  const std::string message = message_of_launch(program, kDiverge, {3}, {96});
  CHECK_THAT(message, ContainsSubstring("threads 0-31 in sync_block"));
  CHECK_THAT(message, ContainsSubstring("threads 32-59 in a shuffle"));
  CHECK_THAT(message, ContainsSubstring("threads 60-95 exited"));
}

TEST_CASE("CPU device: waiting for a block that never writes is an error") {
  const CpuProgram& program = the_program();
  unsigned cell = 0;
  CHECK_THAT(message_of_launch(program, kWaitForNobody, {1}, {32}, &cell),
             ContainsSubstring("waits for another block, but all others have finished"));
}

TEST_CASE("CPU device: when one block fails, blocks that wait give up, and the device goes on") {
  const CpuProgram& program = the_program();
  std::vector<unsigned> cells(8);
  CHECK_THAT(message_of_launch(program, kFailInOneBlock, {5}, {64}, cells.data()),
             ContainsSubstring("block 1 of 5"));
  program.launch(kRelay, {8}, {64}, cells.data());
  CHECK(cells.back() == 8);
}

TEST_CASE("CPU device: a launch for which memory lacks is OutOfMemory") {
  CHECK_THROWS_AS(the_program().launch(kLackMemory, {2}, {32}), OutOfMemory);
}

TEST_CASE("CPU device: a launch that no GPU would take is refused") {
  const CpuProgram& program = the_program();
  const std::string advice = "1 to 1024 threads";
  CHECK_THAT(message_of_launch(program, kDiverge, {1}, {2048}), ContainsSubstring(advice));
  CHECK_THAT(message_of_launch(program, kDiverge, {0}, {32}), ContainsSubstring(advice));
  CHECK_THAT(message_of_launch(program, 99, {1}, {32}), ContainsSubstring("it has 11"));
}

TEST_CASE("CPU device: launches from several threads at once do not meet") {
  const CpuProgram& program = the_program();
  std::vector<std::vector<unsigned>> cells(4, std::vector<unsigned>(20));
  std::vector<std::thread> threads;
  threads.reserve(cells.size());
  for (std::vector<unsigned>& mine : cells) {
    threads.emplace_back([&] { program.launch(kRelay, {20}, {32}, mine.data()); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<unsigned>& mine : cells) CHECK(mine.back() == 20);
}

TEST_CASE(
    "CPU device: grids and blocks have three dimensions, and blocks the memory that is asked for") {
  const CpuProgram& program = the_program();
  const Dim3 grid{.x = 2, .y = 3, .z = 2};
  const Dim3 block{.x = 4, .y = 4, .z = 3};
  std::vector<unsigned> places(grid.count() * block.count());
  program.launch(kWritePlaces,
                 {.grid = grid, .block = block, .shared_bytes = 48 * 4, .arguments = {}},
                 places.data());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t thread = block.count() - 1 - i % block.count();
    INFO(i);
    CHECK(places[i] == thread % 4 + 10 * (thread / 4 % 4) + 100 * (thread / 16));
  }
  std::vector<unsigned> words(5);
  program.launch(kReadUnsetDynamic, {.grid = {5}, .block = {1}, .shared_bytes = 4, .arguments = {}},
                 words.data());
  CHECK(words == std::vector<unsigned>(5, ~0U));
}

TEST_CASE("CPU device: an image that is loaded after another one is its own") {
  const std::unique_ptr<Device> device = open_cpu_device();
  for (int number = 1; number <= 3; ++number) {
    const std::string source =
        "#include \"templates/device/platform.cuh\"\nvoid store(int* output) { *output = " +
        std::to_string(number) + "; }";
    const std::unique_ptr<Kernel> kernel =
        device->load(device->compiler().compile({source, {"store"}}));
    int result = 0;
    int* output = &result;
    Launch launch{.block = {1}, .arguments = {}};
    launch.pass(&output);
    kernel->launch(launch, nullptr);
    CHECK(result == number);
  }
}

TEST_CASE("CPU device: memory is aligned and zero, and copies both ways") {
  const std::unique_ptr<Device> device = open_cpu_device();
  for (const std::size_t bytes : {1, 3, 257, 4096}) {
    const DeviceBuffer buffer(*device, bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256 == 0);
    std::string text(bytes, 'x');
    device->copy(text.data(), buffer.data(), bytes);
    CHECK(text == std::string(bytes, '\0'));
    const std::string sent(bytes, 'y');
    device->copy(buffer.data(), sent.data(), bytes);
    CHECK(std::memcmp(buffer.data(), sent.data(), bytes) == 0);
  }
}

TEST_CASE("CPU device: an image without the kernel is refused") {
  const std::unique_ptr<Device> device = open_cpu_device();
  CHECK_THROWS_AS(device->load({.image = "not a library", .lowered_names = {"kernel"}}),
                  DeviceError);
  CompiledKernel compiled = device->compiler().compile(
      {"#include \"templates/device/platform.cuh\"\nvoid none() {}", {"none"}});
  compiled.lowered_names.emplace_back("another");
  CHECK_THROWS_WITH(device->load(compiled), ContainsSubstring("no another"));
  // A function that is nowhere is an error of the program, or with a sanitizer of what it becomes.
  CHECK_THROWS_WITH(device->load(device->compiler().compile(
                        {"#include \"templates/device/platform.cuh\"\nvoid nowhere();\nvoid "
                         "one() { nowhere(); }",
                         {"one"}})),
                    ContainsSubstring("nowhere"));
}

TEST_CASE("CPU device: timing gives one positive figure per sample") {
  const CpuProgram& program = the_program();
  int calls = 0;
  unsigned cell = 0;
  TimingRequest request;
  request.enqueue = [&](int, Stream) {
    ++calls;
    program.launch(kRelay, {1}, {32}, &cell);
  };
  request.calls = 3;
  request.launching = GENERATE(Launching::graph, Launching::stream, Launching::latency);
  int flushes = 0;
  request.before_sample = [&](Stream) { ++flushes; };
  const std::unique_ptr<Stopwatch> stopwatch = program.device().prepare_timing(request);
  const Samples first = stopwatch->take(4);
  CHECK(first.us.size() == 4);
  for (const double sample : first.us) CHECK(sample > 0);
  CHECK(calls >= 12);
  CHECK(flushes == 4);
  CHECK(first.discarded == 0);
  CHECK(first.clocks.sm_mhz == 0);
  CHECK(stopwatch->take(1).us.size() == 1);
}

TEST_CASE("CPU device: it says who it is") {
  const DeviceInfo info = open_cpu_device()->info();
  CHECK(info.id == "cpu");
  CHECK(info.record.kind == "cpu");
  CHECK_FALSE(info.record.name.empty());
  CHECK(info.memory_bytes > 0);
  const KernelResources resources = the_program().kernel().resources(0, 256);
  CHECK(resources.blocks_per_multiprocessor == 8);
  CHECK(resources.occupancy == 1.0);
}

}  // namespace foldtune::test
