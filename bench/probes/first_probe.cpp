// Where the time of the first call of a new process goes, and what the driver says of destroyed
// streams. Not part of the project.
//   first_probe [--db PATH] [--n N] [--runs R] [PART...]   every part in R fresh processes
//   first_probe streams
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cache/hash.h"
#include "cache/network_file_system.h"
#include "cache/private_file.h"
#include "cache/queries.h"
#include "cache/row_reader.h"
#include "cache/schema.h"
#include "foldtune/foldtune.hpp"
#include "runtime/cuda_context.h"
#include "runtime/cuda_driver.h"
#include "runtime/cuda_stopwatch.h"
#include "runtime/device.h"
#include "runtime/driver_version.h"
#include "runtime/kernel_cache.h"
#include "runtime/lookup.h"
#include "runtime/reducer_state.h"
#include "runtime/resolved_plan.h"
#include "runtime/tuned_configs.h"
#include "templates/embedded.h"
#include "templates/reduce/space.h"

using namespace foldtune;
using Clock = std::chrono::steady_clock;

struct Step {
  std::string name;
  double us;
};
static std::vector<Step> steps;
static Clock::time_point begun;

template <class F>
auto timed(const std::string& name, F&& work) {
  const auto start = Clock::now();
  struct End {
    const std::string& name;
    Clock::time_point start;
    ~End() {
      const auto end = Clock::now();
      steps.push_back({name, std::chrono::duration<double, std::micro>(end - start).count()});
    }
  } end{name, start};
  return work();
}

struct Caller {
  CUcontext context = nullptr;
  float* input = nullptr;
  float* output = nullptr;
};

static std::uint64_t n = 1 << 20;
static std::string db;
static int runs = 5;

/// As bench/first_result.cpp has it before the time begins.
static Caller caller() {
  const CudaDriver& driver = CudaDriver::get();
  CUdevice cuda = 0;
  Caller c;
  driver.check(driver.cuDeviceGet(&cuda, 0), "get");
  driver.check(driver.cuDevicePrimaryCtxRetain(&c.context, cuda), "retain");
  driver.check(driver.cuCtxPushCurrent(c.context), "push");
  const auto allocate = [&](std::size_t bytes) {
    CUdeviceptr memory = 0;
    driver.check(driver.cuMemAlloc(&memory, bytes), "alloc");
    driver.check(driver.cuMemsetD8(memory, 0, bytes), "clear");
    return reinterpret_cast<float*>(memory);
  };
  c.input = allocate(n * sizeof(float));
  c.output = allocate(sizeof(float));
  driver.check(driver.cuStreamSynchronize(nullptr), "sync");
  return c;
}

static const Problem kProblem{.op = Operator::sum, .type = ElementType::f32};

// ---- whole: what foldtune_first_result measures
static void part_whole() {
  const Caller c = caller();
  const CudaDriver& driver = CudaDriver::get();
  Context context = timed("Context", [] { return Context({.device = "cuda:0", .database = db}); });
  const Reducer reducer = timed("context.reducer", [&] { return context.reducer(kProblem); });
  timed("reducer() enqueued", [&] { reducer(c.input, n, c.output); });
  timed("synchronize", [&] { driver.cuStreamSynchronize(nullptr); });
  timed("second call, enqueued", [&] { reducer(c.input, n, c.output); });
  timed("second synchronize", [&] { driver.cuStreamSynchronize(nullptr); });
}
static void part_whole_no_database() {
  db = "/nonexistent/folder/none.db";
  caller();
  timed("Context", [] { return Context({.device = "cuda:0", .database = db}); });
}

// ---- layers: the same by the library's own parts
static void part_layers() {
  const Caller c = caller();
  const CudaDriver& driver = CudaDriver::get();
  std::unique_ptr<Device> device = timed("open_device", [] { return open_device("cuda:0"); });
  TunedConfigs configs = timed("TunedConfigs::open", [] { return TunedConfigs::open(db); });
  KernelSources sources = timed("configs.kernels()", [&] { return configs.kernels(); });
  KernelCache kernels(std::move(sources));
  Problem problem = kProblem;
  problem.count = n;
  problem.alignment = Alignment::vector;
  timed("template_fingerprint", [&] { return template_fingerprint(); });
  timed("DeviceRecord::fingerprint", [&] { return device->info().record.fingerprint(); });
  std::vector<Choice> choices = timed(
      "configs.choices (look-up)", [&] { return configs.choices(device->info().record, "", problem); });
  timed("configs.choices again", [&] { return configs.choices(device->info().record, "", problem); });
  const Choice& choice = choices.front();
  const Variant variant{.problem = problem, .params = choice.params};
  const Program program = timed("make_program", [&] { return make_program(variant); });
  timed("kernel_key (hash of program)",
        [&] { return kernel_key(device->info().record, program, compiler_of(choice)); });
  auto kernel = timed("kernels.find (row, hash)", [&] {
    return kernels.find(device->info().record, program, compiler_of(choice));
  });
  if (kernel == nullptr) {
    kernel = timed("kernels.get (compiles!)",
                   [&] { return kernels.get(*device, program, compiler_of(choice)); });
  }
  auto plan = timed("ResolvedPlan", [&] {
    return std::make_unique<ResolvedPlan>(*device, variant, *kernel);
  });
  Call call{.inputs = {c.input}, .count = n, .output = c.output};
  timed("plan.enqueue (scratch, launch)", [&] { plan->enqueue(call, nullptr); });
  timed("synchronize", [&] { driver.cuStreamSynchronize(nullptr); });
  timed("second plan.enqueue", [&] { plan->enqueue(call, nullptr); });
  timed("second synchronize", [&] { driver.cuStreamSynchronize(nullptr); });
  auto second = timed("second ResolvedPlan", [&] {
    return std::make_unique<ResolvedPlan>(*device, variant, *kernel);
  });
  timed("its enqueue", [&] { second->enqueue(call, nullptr); });
  timed("its synchronize", [&] { driver.cuStreamSynchronize(nullptr); });
  fmt::print(stderr, "# {} {} ({} bytes of cubin, scratch {})\n", to_string(choice.source()),
             to_json(choice.params), kernel->image.size(), plan->scratch_bytes());
  second.reset();
  plan.reset();
}

// ---- device: each step of CudaDevice's constructor
static void part_device() {
  caller();
  const CudaDriver& driver = CudaDriver::get();
  int value = 0;
  CUdevice device = 0;
  timed("cuDeviceGetCount", [&] { driver.cuDeviceGetCount(&value); });
  timed("cuDeviceGet", [&] { driver.cuDeviceGet(&device, 0); });
  char text[256];
  timed("cuDeviceGetName", [&] { driver.cuDeviceGetName(text, 256, device); });
  std::size_t memory = 0;
  timed("cuDeviceTotalMem", [&] { driver.cuDeviceTotalMem(&memory, device); });
  const auto attribute = [&](const char* name, CUdevice_attribute what) {
    timed(name, [&] { driver.cuDeviceGetAttribute(&value, what, device); });
  };
  attribute("attribute CC_MAJOR", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  attribute("attribute CC_MINOR", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  attribute("attribute MULTIPROCESSOR_COUNT", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  attribute("attribute MEMORY_CLOCK_RATE", CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  attribute("attribute GLOBAL_MEMORY_BUS_WIDTH", CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  attribute("attribute L2_CACHE_SIZE", CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  timed("kernel_module_version (/proc)", [] { return kernel_module_version(); });
  timed("the same again", [] { return kernel_module_version(); });
  timed("cuDriverGetVersion", [&] { driver.cuDriverGetVersion(&value); });
  attribute("attribute CC_MAJOR again", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  attribute("attribute MAX_THREADS_PER_MP", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  attribute("attribute PAGEABLE_MEMORY_ACCESS", CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS);
  timed("cuDeviceGetPCIBusId", [&] { driver.cuDeviceGetPCIBusId(text, 32, device); });
  CUcontext context = nullptr;
  timed("cuDevicePrimaryCtxRetain", [&] { driver.cuDevicePrimaryCtxRetain(&context, device); });
  auto timer = timed("CudaTimer", [&] { return std::make_unique<CudaTimer>(context, text); });
  timed("~CudaTimer", [&] { timer.reset(); });
  attribute("attribute MEMORY_CLOCK_RATE again", CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  timed("cuDeviceTotalMem again", [&] { driver.cuDeviceTotalMem(&memory, device); });
  timed("cuDeviceGetName again", [&] { driver.cuDeviceGetName(text, 256, device); });
  timed("cuDevicePrimaryCtxRelease", [&] { driver.cuDevicePrimaryCtxRelease(device); });
}
/// All of it at once, first (cold), then a second device (warm).
static void part_device_whole() {
  caller();
  auto first = timed("open_device", [] { return open_device("cuda:0"); });
  auto second = timed("open_device again", [] { return open_device("cuda:0"); });
}

// ---- database
static constexpr const char* kFindKernelText = R"sql(
SELECT * FROM kernel WHERE program = :program AND architecture = :architecture
ORDER BY compiler = :compiler DESC, id DESC LIMIT 1
)sql";

static void part_database() {
  caller();
  auto device = open_device("cuda:0");
  const DeviceRecord& record = device->info().record;
  Problem problem = kProblem;
  problem.count = n;
  problem.alignment = Alignment::vector;
  const std::string path = timed(
      "path: default, absolute", [] {
        return std::filesystem::absolute(db.empty() ? default_database_path() : db).lexically_normal().string();
      });
  timed("filesystem::exists", [&] { return std::filesystem::exists(path); });
  timed("require_file", [&] { require_file(path); });
  timed("exposures_of", [&] { return exposures_of(path); });
  timed("file_size (one byte?)", [&] { return std::filesystem::file_size(path); });
  timed("file_size (log without file?)", [&] { return std::filesystem::file_size(path); });
  timed("sqlite3_initialize", [] { sqlite3_initialize(); });
  auto database = timed("sqlite3_open_v2", [&] {
    return std::make_unique<SQLite::Database>(path, SQLite::OPEN_READONLY);
  });
  timed("busy handler, header's byte 19", [&] {
    sqlite3_busy_handler(database->getHandle(), nullptr, nullptr);
    sqlite3_file* file = nullptr;
    unsigned char version = 0;
    sqlite3_file_control(database->getHandle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file->pMethods->xRead(file, &version, 1, 19);
  });
  timed("network_file_system", [&] { return network_file_system(path); });
  const auto run = [&](const char* name, const char* query) {
    timed(name, [&] {
      SQLite::Statement statement(*database, query);
      statement.executeStep();
    });
  };
  run("SAVEPOINT", "SAVEPOINT identify");
  run("PRAGMA application_id (first page, WAL)", "PRAGMA application_id");
  run("PRAGMA user_version", "PRAGMA user_version");
  run("RELEASE", "RELEASE identify");
  run("BEGIN", "BEGIN");
  timed("schema parse (prepare of SELECT 1 FROM config)",
        [&] { SQLite::Statement statement(*database, "SELECT 1 FROM config"); });
  const TuningKey key =
      timed("make_tuning_key (fingerprints)", [&] { return make_tuning_key(record, "", problem); });
  std::int64_t found = 0;
  {
    auto rows = timed("kCandidates: prepare",
                      [&] { return std::make_unique<SQLite::Statement>(*database, kCandidates); });
    timed("kCandidates: bind", [&] {
      const std::map<std::string, std::string> texts{
          {":device_fingerprint", key.device_fingerprint},
          {":template_fingerprint", key.template_fingerprint},
          {":compiler", key.compiler},
          {":family", key.problem.family},
          {":op", key.problem.op},
          {":element_type", key.problem.element_type},
          {":accumulator_type", key.problem.accumulator_type},
          {":alignment", key.problem.alignment},
          {":determinism", key.problem.determinism},
          {":options", key.problem.options},
          {":kind", record.kind},
          {":name", record.name},
          {":architecture", record.architecture}};
      for (const auto& [name, text] : texts) rows->bind(name, text);
      rows->bind(":size_class", key.problem.size_class);
      rows->bind(":multiprocessor_count", record.multiprocessor_count);
      rows->bind(":memory_clock_khz", record.memory_clock_khz);
      rows->bind(":memory_bus_bits", record.memory_bus_bits);
      rows->bind(":l2_bytes", record.l2_bytes);
      rows->bind(":near_size_classes", kNearSizeClasses);
    });
    timed("kCandidates: steps", [&] {
      while (rows->executeStep()) found = rows->getColumn(0).getInt64();
    });
    timed("kCandidates: finalize", [&] { rows.reset(); });
  }
  {
    auto row = timed("kResult: prepare",
                     [&] { return std::make_unique<SQLite::Statement>(*database, kResult); });
    timed("kResult: bind, step, read", [&] {
      row->bind(":measurement_id", found);
      return fetch_results(*row);
    });
    timed("kResult: finalize", [&] { row.reset(); });
  }
  run("END", "END");
  const Choice choice = choose_config(nullptr, record, "", problem);
  const auto chosen = TunedConfigs::open(db).choices(record, "", problem).front();
  const Program program = make_program({.problem = problem, .params = chosen.params});
  const auto kernel_of = timed("kernel_key (hash of program)",
                               [&] { return kernel_key(record, program, compiler_of(chosen)); });
  {
    auto row = timed("kernel: prepare", [&] {
      return std::make_unique<SQLite::Statement>(*database, kFindKernelText);
    });
    bool is_there = false;
    timed("kernel: bind, step", [&] {
      row->bind(":program", kernel_of->program);
      row->bind(":architecture", kernel_of->architecture);
      row->bind(":compiler", kernel_of->compiler);
      is_there = row->executeStep();
    });
    std::string image;
    if (is_there) {
      timed("kernel: copy of the image", [&] { image = row->getColumn("image").getString(); });
      timed("kernel: hash as long as the image", [&] { return hash_hex(image); });
    }
    timed("kernel: finalize", [&] { row.reset(); });
    fmt::print(stderr, "# candidate {}, kernel {} bytes\n", found, image.size());
  }
  timed("close", [&] { database.reset(); });
}

// ---- driver: of the call
struct Loaded {
  std::shared_ptr<const CompiledKernel> kernel;
  Variant variant;
  std::uint32_t blocks = 1;
  std::size_t scratch = 0;
};
/// The database says which; then everything of it is closed again. No device: nothing is loaded.
static Loaded find_kernel() {
  auto device = open_device("cuda:0");
  const TunedConfigs configs = TunedConfigs::open(db);
  KernelCache kernels(configs.kernels());
  Loaded loaded;
  loaded.variant.problem = kProblem;
  loaded.variant.problem.count = n;
  loaded.variant.problem.alignment = Alignment::vector;
  const Choice choice = configs.choices(device->info().record, "", loaded.variant.problem).front();
  loaded.variant.params = choice.params;
  loaded.kernel = kernels.get(*device, make_program(loaded.variant), compiler_of(choice));
  return loaded;
}

static CUfunction load_and_find(const Loaded& loaded, CUmodule* module_ = nullptr) {
  const CudaDriver& driver = CudaDriver::get();
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  driver.check(timed("cuModuleLoadData", [&] {
    return driver.cuModuleLoadData(&module, loaded.kernel->image.data());
  }), "load");
  for (std::size_t i = 0; i < loaded.kernel->lowered_names.size(); ++i) {
    CUfunction found = nullptr;
    driver.check(timed(fmt::format("cuModuleGetFunction {}", i), [&] {
      return driver.cuModuleGetFunction(&found, module, loaded.kernel->lowered_names[i].c_str());
    }), "find");
    if (i == 0) function = found;
  }
  if (module_ != nullptr) *module_ = module;
  return function;
}

static void resources(const Loaded& loaded, CUfunction function, bool occupancy_alone = false) {
  const CudaDriver& driver = CudaDriver::get();
  int value = 0;
  if (!occupancy_alone) {
    timed("cuFuncGetAttribute NUM_REGS", [&] {
      driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    });
    timed("cuFuncGetAttribute SHARED", [&] {
      driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    });
    timed("cuFuncGetAttribute LOCAL", [&] {
      driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function);
    });
  }
  const int threads = std::get<ReduceParams>(loaded.variant.params).block_size;
  timed("cuOccupancyMaxActiveBlocks", [&] {
    driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, threads, 0);
  });
  if (!occupancy_alone) {
    timed("cuOccupancyMaxActiveBlocks again", [&] {
      driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, threads, 0);
    });
  }
}

static CUdeviceptr scratch(std::size_t bytes, bool is_timed = true) {
  const CudaDriver& driver = CudaDriver::get();
  CUdeviceptr memory = 0;
  if (is_timed) {
    timed("capture mode exchanged", [] { const UncapturedScope scope; });
    timed(fmt::format("cuMemAlloc {}", bytes), [&] { driver.cuMemAlloc(&memory, bytes); });
    timed("cuMemsetD8Async", [&] { driver.cuMemsetD8Async(memory, 0, bytes, nullptr); });
  } else {
    driver.cuMemAlloc(&memory, bytes);
    driver.cuMemsetD8Async(memory, 0, bytes, nullptr);
    driver.cuStreamSynchronize(nullptr);
  }
  return memory;
}

static void launch(const char* name, const Loaded& loaded, CUfunction function, const Caller& c,
                   CUdeviceptr scratch, std::uint32_t blocks, bool overlaps = true) {
  const CudaDriver& driver = CudaDriver::get();
  const auto& params = std::get<ReduceParams>(loaded.variant.params);
  const bool cluster = params.final_stage == FinalStage::cluster && blocks > 1;
  CUlaunchAttribute attributes[2]{};
  unsigned count = 0;
  if (overlaps) {
    attributes[count].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attributes[count++].value.programmaticStreamSerializationAllowed = 1;
  }
  if (cluster) {
    attributes[count].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attributes[count++].value.clusterDim = {.x = blocks, .y = 1, .z = 1};
  }
  const CUlaunchConfig config{.gridDimX = blocks,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = static_cast<unsigned>(params.block_size),
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .sharedMemBytes = 0,
                              .hStream = nullptr,
                              .attrs = attributes,
                              .numAttrs = count};
  std::array<const void*, kMaxInputs> inputs{c.input};
  auto narrow = static_cast<std::uint32_t>(n);
  std::uint64_t wide = n;
  void* count_at = counts_in_64_bits(loaded.variant) ? static_cast<void*>(&wide) : &narrow;
  void* output = c.output;
  bool ready = false;
  void* arguments[] = {inputs.data(), count_at, &output, &scratch, &ready};
  driver.check(timed(name, [&] {
    return driver.cuLaunchKernelEx(&config, function, arguments, nullptr);
  }), "launch");
  driver.check(timed("  synchronize", [&] { return driver.cuStreamSynchronize(nullptr); }), "sync");
}

/// Grid as Plan has it, by a plan of the CPU's knowledge alone.
static std::uint32_t blocks_of(const Loaded& loaded, CUfunction function) {
  const CudaDriver& driver = CudaDriver::get();
  const auto& params = std::get<ReduceParams>(loaded.variant.params);
  int resident = 1;
  driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&resident, function, params.block_size, 0);
  int multiprocessors = 0;
  driver.cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
  return grid_blocks(loaded.variant.problem, params, n, resident * multiprocessors);
}

static constexpr std::size_t kScratchBytes = 16 << 10;

/// In the order of the library.
static void part_driver() {
  const Caller c = caller();
  const Loaded loaded = find_kernel();
  timed("clock alone", [] {});
  timed("ContextScope", [&] { const ContextScope scope(c.context); });
  CUmodule module = nullptr;
  const CUfunction function = load_and_find(loaded, &module);
  resources(loaded, function);
  const std::uint32_t blocks = blocks_of(loaded, function);
  const CUdeviceptr memory = scratch(kScratchBytes);
  launch("first cuLaunchKernelEx", loaded, function, c, memory, blocks);
  launch("second cuLaunchKernelEx", loaded, function, c, memory, blocks);
  const CudaDriver& driver = CudaDriver::get();
  CUmodule again = nullptr;
  timed("cuModuleLoadData again", [&] { driver.cuModuleLoadData(&again, loaded.kernel->image.data()); });
  scratch(kScratchBytes);
  scratch(64 << 10);
  timed("cuModuleUnload", [&] { driver.cuModuleUnload(again); });
}
/// As above, but nothing asked of the function before the launch: does the launch pay what is saved?
static void part_driver_no_resources() {
  const Caller c = caller();
  const Loaded loaded = find_kernel();
  const CUfunction function = load_and_find(loaded);
  const CUdeviceptr memory = scratch(kScratchBytes);
  launch("first cuLaunchKernelEx", loaded, function, c, memory, 132);
}
static void part_driver_occupancy_alone() {
  const Caller c = caller();
  const Loaded loaded = find_kernel();
  const CUfunction function = load_and_find(loaded);
  resources(loaded, function, true);
  const CUdeviceptr memory = scratch(kScratchBytes);
  launch("first cuLaunchKernelEx", loaded, function, c, memory, blocks_of(loaded, function));
}
/// Scratch is there already: what the load and the launch take without it.
static void part_driver_scratch_before() {
  const Caller c = caller();
  const Loaded loaded = find_kernel();
  const CUdeviceptr memory = scratch(kScratchBytes, false);
  const CUfunction function = load_and_find(loaded);
  resources(loaded, function);
  launch("first cuLaunchKernelEx", loaded, function, c, memory, blocks_of(loaded, function));
}
/// Scratch first, then the module.
static void part_driver_scratch_first() {
  const Caller c = caller();
  const Loaded loaded = find_kernel();
  const CUdeviceptr memory = scratch(kScratchBytes);
  const CUfunction function = load_and_find(loaded);
  resources(loaded, function);
  launch("first cuLaunchKernelEx", loaded, function, c, memory, blocks_of(loaded, function));
}
static void part_driver_no_overlap() {
  const Caller c = caller();
  const Loaded loaded = find_kernel();
  const CUfunction function = load_and_find(loaded);
  const CUdeviceptr memory = scratch(kScratchBytes);
  launch("first launch, no attributes", loaded, function, c, memory, blocks_of(loaded, function),
         false);
}
/// A slab of 64 KiB, 1 MiB; stream-ordered allocation; zeros by a copy.
static void part_scratch_64k() { caller(); scratch(64 << 10); scratch(64 << 10); }
static void part_scratch_1m() { caller(); scratch(1 << 20); scratch(1 << 20); }
static void part_scratch_async() {
  caller();
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  const auto allocate = reinterpret_cast<CUresult (*)(CUdeviceptr*, std::size_t, CUstream)>(
      library == nullptr ? nullptr : dlsym(library, "cuMemAllocAsync"));
  if (allocate == nullptr) return fmt::print(stderr, "# no cuMemAllocAsync\n");
  const CudaDriver& driver = CudaDriver::get();
  for (int i = 0; i < 2; ++i) {
    CUdeviceptr memory = 0;
    timed(fmt::format("cuMemAllocAsync 16 KiB, call {}", i),
          [&] { allocate(&memory, kScratchBytes, nullptr); });
    timed("cuMemsetD8Async", [&] { driver.cuMemsetD8Async(memory, 0, kScratchBytes, nullptr); });
    timed("synchronize", [&] { driver.cuStreamSynchronize(nullptr); });
  }
}
static void part_scratch_copy() {
  caller();
  const CudaDriver& driver = CudaDriver::get();
  static const std::vector<char> zeros(kScratchBytes);
  CUdeviceptr memory = 0;
  timed("cuMemAlloc 16 KiB", [&] { driver.cuMemAlloc(&memory, kScratchBytes); });
  timed("cuMemcpy of zeros", [&] {
    driver.cuMemcpy(memory, reinterpret_cast<CUdeviceptr>(zeros.data()), kScratchBytes);
  });
}
static void part_host() {
  caller();
  const CudaDriver& driver = CudaDriver::get();
  void* memory = nullptr;
  timed("cuMemHostAlloc 4 (only for results by value)",
        [&] { driver.cuMemHostAlloc(&memory, 4, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP); });
  timed("cuMemHostAlloc again",
        [&] { driver.cuMemHostAlloc(&memory, 4, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP); });
}

using Part = void (*)();
static const std::vector<std::pair<std::string, Part>> kParts{
    {"whole", part_whole},
    {"whole_no_database", part_whole_no_database},
    {"layers", part_layers},
    {"device", part_device},
    {"device_whole", part_device_whole},
    {"database", part_database},
    {"driver", part_driver},
    {"driver_no_resources", part_driver_no_resources},
    {"driver_occupancy_alone", part_driver_occupancy_alone},
    {"driver_scratch_before", part_driver_scratch_before},
    {"driver_scratch_first", part_driver_scratch_first},
    {"driver_no_overlap", part_driver_no_overlap},
    {"scratch_64k", part_scratch_64k},
    {"scratch_1m", part_scratch_1m},
    {"scratch_async", part_scratch_async},
    {"scratch_copy", part_scratch_copy},
    {"host", part_host}};

// ---- streams
static void* library() {
  void* lib = dlopen("libcuda.so.1", RTLD_NOW);
  return lib != nullptr ? lib : dlopen("libcuda.so", RTLD_NOW);
}
template <class F>
static F* symbol(const char* name) {
  return reinterpret_cast<F*>(dlsym(library(), name));
}
constexpr const char* kPtx =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";
static const std::vector<std::string> kStreamFunctions{
    "cuStreamQuery",     "cuStreamGetCtx",       "cuStreamGetFlags",
    "cuStreamGetPriority", "cuStreamGetId",      "cuStreamIsCapturing",
    "cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v2", "cuStreamSynchronize",
    "cuMemsetD8Async",   "cuLaunchKernelEx",     "cuLaunchKernel"};

static std::string name_of(CUresult result) {
  const char* text = nullptr;
  CudaDriver::get().cuGetErrorName(result, &text);
  return text == nullptr ? fmt::format("result {}", static_cast<int>(result)) : text;
}

static std::string call_on(const std::string& name, CUstream stream, CUfunction function,
                           CUdeviceptr memory) {
  const CudaDriver& driver = CudaDriver::get();
  if (dlsym(library(), name.c_str()) == nullptr) return "missing";
  const char* const s = name.c_str();
  unsigned long long id = 0;
  int number = 0;
  unsigned flags = 0;
  CUcontext context = nullptr;
  CUstreamCaptureStatus status{};
  CUresult result{};
  if (name == "cuStreamQuery" || name == "cuStreamSynchronize") {
    result = symbol<CUresult(CUstream)>(s)(stream);
  } else if (name == "cuStreamGetCtx") {
    result = symbol<CUresult(CUstream, CUcontext*)>(s)(stream, &context);
    return fmt::format("{} {}", name_of(result), static_cast<void*>(context));
  } else if (name == "cuStreamGetFlags") {
    result = symbol<CUresult(CUstream, unsigned*)>(s)(stream, &flags);
    return fmt::format("{} {}", name_of(result), flags);
  } else if (name == "cuStreamGetPriority") {
    result = symbol<CUresult(CUstream, int*)>(s)(stream, &number);
    return fmt::format("{} {}", name_of(result), number);
  } else if (name == "cuStreamGetId") {
    result = symbol<CUresult(CUstream, unsigned long long*)>(s)(stream, &id);
    return fmt::format("{} {}", name_of(result), id);
  } else if (name == "cuStreamIsCapturing") {
    result = symbol<CUresult(CUstream, CUstreamCaptureStatus*)>(s)(stream, &status);
  } else if (name == "cuStreamGetCaptureInfo") {
    result = symbol<CUresult(CUstream, CUstreamCaptureStatus*, unsigned long long*)>(s)(
        stream, &status, &id);
  } else if (name == "cuStreamGetCaptureInfo_v2") {
    result = symbol<CUresult(CUstream, CUstreamCaptureStatus*, unsigned long long*, void*, void*,
                             void*)>(s)(stream, &status, &id, nullptr, nullptr, nullptr);
  } else if (name == "cuMemsetD8Async") {
    result = driver.cuMemsetD8Async(memory, 0, 64, stream);
  } else if (name == "cuLaunchKernel") {
    result = symbol<CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, CUstream, void**, void**)>(s)(
        function, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr);
  } else {
    const CUlaunchConfig config{.gridDimX = 1,
                                .gridDimY = 1,
                                .gridDimZ = 1,
                                .blockDimX = 32,
                                .blockDimY = 1,
                                .blockDimZ = 1,
                                .sharedMemBytes = 0,
                                .hStream = stream,
                                .attrs = nullptr,
                                .numAttrs = 0};
    result = driver.cuLaunchKernelEx(&config, function, nullptr, nullptr);
  }
  return name_of(result);
}

static int stream_child(const std::string& name, char variant) {
  setvbuf(stdout, nullptr, _IONBF, 0);
  const Caller c = caller();
  (void)c;
  const CudaDriver& driver = CudaDriver::get();
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  driver.check(driver.cuModuleLoadData(&module, kPtx), "PTX");
  driver.check(driver.cuModuleGetFunction(&function, module, "k"), "k");
  CUdeviceptr memory = 0;
  driver.cuMemAlloc(&memory, 4096);
  CUstream first = nullptr;
  CUstream second = nullptr;
  driver.check(driver.cuStreamCreate(&first, CU_STREAM_NON_BLOCKING), "stream");
  driver.check(driver.cuStreamCreate(&second, CU_STREAM_NON_BLOCKING), "stream");
  driver.check(driver.cuMemsetD8Async(memory, 0, 4096, first), "memset");
  driver.check(driver.cuStreamSynchronize(first), "sync");
  fmt::print("alive: {}; ", call_on(name, first, function, memory));
  driver.check(driver.cuStreamSynchronize(first), "sync");
  driver.check(driver.cuStreamDestroy(first), "destroy");
  if (variant == 'b') {
    CUstream third = nullptr;
    driver.cuStreamCreate(&third, CU_STREAM_NON_BLOCKING);
    fmt::print("{}; ", third == first ? "the new stream has the SAME handle" : "new handle differs");
  } else if (variant == 'c') {
    std::vector<void*> blocks;
    for (int i = 0; i < 1000; ++i) {
      const std::size_t bytes = 16 + static_cast<std::size_t>(i) * 37 % 4080;
      blocks.push_back(std::memset(std::malloc(bytes), 0xA5, bytes));
    }
    for (void* block : blocks) std::free(block);
    for (int i = 0; i < 1000; ++i) {
      const std::size_t bytes = 16 + static_cast<std::size_t>(i) * 53 % 4080;
      std::memset(std::malloc(bytes), 0x5A, bytes);  // kept
    }
  }
  fmt::print("destroyed: {}", call_on(name, first, function, memory));
  fmt::print("; then the other stream: {}", name_of(driver.cuStreamSynchronize(second)));
  return 0;
}

// ---- parent
static std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, got);
  return text;
}

/// A fresh process image: nothing of this one is warm in it.
static std::string run_child(const std::vector<std::string>& arguments, int& status) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    close(ends[0]);
    close(ends[1]);
    alarm(60);
    std::vector<char*> argv;
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv("/proc/self/exe", argv.data());
    _exit(127);
  }
  close(ends[1]);
  const std::string text = read_all(ends[0]);
  close(ends[0]);
  waitpid(child, &status, 0);
  return text;
}

static std::string ending(int status) {
  if (WIFSIGNALED(status)) return fmt::format("KILLED by {}", strsignal(WTERMSIG(status)));
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("exit status {}", WEXITSTATUS(status));
}

static int streams() {
  for (const auto& name : kStreamFunctions) {
    for (const char* variant : {"a", "b", "c"}) {
      int status = 0;
      const std::string text = run_child({"first_probe", "stream_child", name, variant}, status);
      fmt::print("{:26} ({}) {} {}\n", name, variant, text, ending(status));
      std::fflush(stdout);
    }
  }
  return 0;
}

static void show(const std::string& part) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<double>> values;
  std::string problems;
  for (int run = 0; run < runs; ++run) {
    int status = 0;
    const std::string text = run_child(
        {"first_probe", "child", part, std::to_string(n), db.empty() ? "-" : db}, status);
    if (!ending(status).empty()) problems = ending(status);
    std::map<std::string, int> seen;
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      const std::size_t tab = line.find('\t');
      if (tab == std::string::npos) continue;
      std::string name = line.substr(0, tab);
      if (const int count = seen[name]++; count > 0) name += fmt::format(" ({})", count + 1);
      if (!values.contains(name)) order.push_back(name);
      values[name].push_back(std::atof(line.c_str() + tab + 1));
    }
  }
  fmt::print("\n== {} {}\n", part, problems);
  double sum = 0;
  for (const auto& name : order) {
    std::string all;
    for (const double us : values[name]) all += fmt::format(" {:8.1f}", us);
    std::ranges::sort(values[name]);
    const double median = values[name][values[name].size() / 2];
    sum += median;
    fmt::print("{:48} median {:8.1f}   all{}\n", name, median, all);
  }
  fmt::print("{:48} median {:8.1f}\n", "(sum of medians)", sum);
  std::fflush(stdout);
}

int main(int argc, char** argv) try {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (!args.empty() && args[0] == "streams") return streams();
  if (!args.empty() && args[0] == "stream_child") return stream_child(args[1], args[2][0]);
  if (!args.empty() && args[0] == "child") {
    n = std::strtoull(args[2].c_str(), nullptr, 10);
    db = args[3] == "-" ? "" : args[3];
    if (args[1] == "prepare") {
      const Caller c = caller();
      Context context({.device = "cuda:0", .database = db});
      context.reducer(kProblem)(c.input, n, c.output);
      return CudaDriver::get().cuStreamSynchronize(nullptr);
    }
    for (const auto& [name, part] : kParts) {
      if (name == args[1]) part();
    }
    for (const Step& step : steps) fmt::print("{}\t{:.3f}\n", step.name, step.us);
    std::fflush(stdout);
    return 0;
  }
  std::vector<std::string> wanted;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--db") db = std::filesystem::absolute(args.at(++i)).string();
    else if (args[i] == "--n") n = std::strtoull(args.at(++i).c_str(), nullptr, 10);
    else if (args[i] == "--runs") runs = std::atoi(args.at(++i).c_str());
    else wanted.push_back(args[i]);
  }
  int status = 0;
  run_child({"first_probe", "child", "prepare", std::to_string(n), db.empty() ? "-" : db}, status);
  fmt::print("prepared (a call that compiles and keeps the kernel if it is not kept): {}\n",
             status == 0 ? "ok" : ending(status));
  if (wanted.empty()) {
    for (const auto& [name, part] : kParts) wanted.push_back(name);
  }
  for (const auto& part : wanted) show(part);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "first_probe: error: {}\n", error.what());
  return 2;
}
