// Kernels of earlier processes: with them no compiler is asked for, and without them everything
// works all the same.
#include "runtime/compile/kernel_cache.h"

#include <SQLiteCpp/Database.h>

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "cache/compact.h"
#include "foldtune/foldtune.hpp"
#include "runtime/lookup/config_lookup.h"
#include "runtime/support/temporary_folder.h"
#include "templates/family.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tests/runtime/recorded_log.h"
#include "tests/runtime/scoped_variable.h"
#include "tests/runtime/tuned_store.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

const Reduction kSum{.op = Operator::sum, .type = ElementType::f32, .count = 4096};
const ReduceParams kTuned{.block_size = 512, .unroll = 8};
const ReduceParams kOther{.block_size = 128, .unroll = 2};

/// Programs that run one after another over the same files, with a fake device each.
class KernelCacheTest {
 protected:
  /// What a program does: one sum. The device tells what that took.
  std::shared_ptr<FakeDevice> run(FakeScript script = {}, std::uint64_t count = 4000) {
    auto device = std::make_shared<FakeDevice>(std::move(script));
    Context context(device, ConfigLookup::open(sources_));
    const Reducer sum = context.reducer(kSum);
    sum(input_, count, &output_);
    config_ = sum.explain(count).config;
    CHECK(output_ == 14);
    return device;
  }
  std::shared_ptr<FakeDevice> run_without_compiler() { return run({.has_compiler = false}); }

  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }

  static Program program(const ReduceParams& params) {
    return make_program({.workload = kSum, .params = params});
  }
  /// A result and its kernel, as another compiler made them.
  void put(const std::string& path, const ReduceParams& params, const std::string& compiler,
           std::uint64_t count = 4096) {
    FakeDevice device;
    const auto store = open_sqlite_store(path, OpenMode::read_write);
    Reduction problem = kSum;
    problem.count = count;
    RunRecord origin = run_on(device);
    origin.compiler = compiler;
    store->put(store->begin_run(origin), success(problem, to_json(params)));
    const auto key = kernel_key(device.info().record, program(params), compiler);
    store->kernels()->put(
        kernel_record(*key, program(params), device.compiler().compile(program(params))), kMuch);
  }
  void exec(const std::string& path, const std::string& statement) {
    SQLite::Database(path, SQLite::OPEN_READWRITE).exec(statement);
  }

  static constexpr std::uint64_t kMuch = 1 << 20;
  TemporaryFolder folder_;
  TunedSources sources_{.database = file("tuning.db"), .cache_bytes = kMuch};
  alignas(16) float input_[5000] = {3, 1, 4, 1, 5};
  float output_ = -1;
  std::string config_;
};

TEST_CASE_METHOD(KernelCacheTest, "Kernel cache: what a process compiled, the next one need not") {
  CHECK(run()->counts().compilations == 1);
  CHECK(run()->counts().compilations == 0);
  run_without_compiler();
}

TEST_CASE_METHOD(KernelCacheTest, "Kernel cache: without a kernel and a compiler it is an error") {
  CHECK_THROWS_AS(run_without_compiler(), Unavailable);
}

TEST_CASE_METHOD(KernelCacheTest, "Kernel cache: what was tuned is found without a compiler") {
  put(sources_.database, kTuned, "fake 0.9");
  CHECK(run_without_compiler()->counts().compilations == 0);
  CHECK(config_ == to_json(kTuned));
}

TEST_CASE_METHOD(KernelCacheTest,
                 "Kernel cache: the newest result whose kernel is kept needs no compiler") {
  put(sources_.database, kTuned, "fake 1.0");
  put(sources_.database, kOther, "fake 1.1");
  run_without_compiler();
  CHECK(config_ == to_json(kOther));
  // Without the kernel, the present compiler's result goes first, and its kernel is there.
  exec(sources_.database, "DELETE FROM kernel WHERE compiler = 'fake 1.1'");
  CHECK(run()->counts().compilations == 0);
  CHECK(config_ == to_json(kTuned));
}

TEST_CASE_METHOD(KernelCacheTest, "Kernel cache: a damaged kernel is dropped and compiled again") {
  run();
  exec(sources_.database, "UPDATE kernel SET image = CAST(replace(image, 'r', 'R') AS BLOB)");
  const RecordedLog recorded(LogLevel::warning);
  CHECK(run()->counts().compilations == 1);
  REQUIRE(recorded.lines().size() == 1);
  CHECK_THAT(recorded.lines().front(), ContainsSubstring("a kept kernel is damaged"));
  run_without_compiler();
}

TEST_CASE_METHOD(KernelCacheTest, "Kernel cache: a kernel that does not load is compiled again") {
  run();
  int loads = 0;
  const auto refuse_once = [&](const ReduceParams&) {
    return loads++ == 0 ? Fault::load_error : Fault::none;
  };
  const RecordedLog recorded(LogLevel::warning);
  CHECK(run({.fault = refuse_once})->counts().compilations == 1);
  REQUIRE(recorded.lines().size() == 1);
  CHECK_THAT(recorded.lines().front(), ContainsSubstring("does not load the kept kernel"));
  run_without_compiler();
}

TEST_CASE_METHOD(KernelCacheTest,
                 "Kernel cache: a kernel of this process that does not load is an error") {
  const auto refuse = [](const ReduceParams&) { return Fault::load_error; };
  CHECK_THROWS_AS(run({.fault = refuse}), DeviceError);
}

TEST_CASE_METHOD(KernelCacheTest, "Kernel cache: another architecture's kernels are not used") {
  run();
  const auto device = std::make_shared<FakeDevice>();
  device->mutable_info().record.architecture = "sm_80";
  Context context(device, ConfigLookup::open(sources_));
  context.reducer(kSum)(input_, 4000, &output_);
  CHECK(device->counts().compilations == 1);
}

TEST_CASE_METHOD(KernelCacheTest, "Kernel cache: nothing is kept where that is not wanted") {
  sources_.cache_bytes = 0;
  run();
  CHECK_FALSE(std::filesystem::exists(sources_.database));
  CHECK(run()->counts().compilations == 1);
}

TEST_CASE_METHOD(KernelCacheTest, "Kernel cache: a place that cannot be written is no error") {
  write_file(file("a file"), "");
  sources_.database = file("a file/tuning.db");
  std::vector<std::string> notes;
  const auto device = std::make_shared<FakeDevice>();
  Context context(device, ConfigLookup::open(
                              sources_, [&](const std::string& note) { notes.push_back(note); }));
  context.reducer(kSum)(input_, 4000, &output_);
  CHECK(output_ == 14);
}

TEST_CASE_METHOD(KernelCacheTest, "Kernel cache: what cannot be read is not written to") {
  write_file(sources_.database, "not a database, but a text that is long enough to have a header");
  const std::string before = read_file(sources_.database);
  std::vector<std::string> notes;
  const auto device = std::make_shared<FakeDevice>();
  Context context(device, ConfigLookup::open(
                              sources_, [&](const std::string& note) { notes.push_back(note); }));
  context.reducer(kSum)(input_, 4000, &output_);
  CHECK(read_file(sources_.database) == before);
  CHECK(notes.size() == 1);
}

TEST_CASE_METHOD(KernelCacheTest, "Kernel cache: those used least lately make place for others") {
  run();
  const std::uint64_t bytes =
      open_sqlite_store(sources_.database, OpenMode::read_only)->kernels()->usage().bytes;
  sources_.cache_bytes = bytes + bytes / 2;
  run({}, 100);  // one block: another configuration
  CHECK(run({}, 100)->counts().compilations == 0);
  CHECK(run()->counts().compilations == 1);
}

TEST_CASE_METHOD(KernelCacheTest, "Kernel cache: a use is noted once a day") {
  run();
  const auto used_at = [&] {
    return SQLite::Database(sources_.database).execAndGet("SELECT used_at FROM kernel").getString();
  };
  exec(sources_.database, "UPDATE kernel SET used_at = '2020-01-01T00:00:00Z'");
  run();
  CHECK(used_at() > "2020-01-01T00:00:00Z");
  // Of today, it is left as it is.
  exec(sources_.database,
       "UPDATE kernel SET used_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 hour')");
  const std::string before = used_at();
  run();
  CHECK(used_at() == before);
}

TEST_CASE_METHOD(KernelCacheTest, "Kernel cache: threads of several contexts share a file") {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  std::atomic<int> notes = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const auto device = std::make_shared<FakeDevice>();
      Context context(device, ConfigLookup::open(sources_, [&](const std::string&) { ++notes; }));
      float result = 0;
      for (std::uint64_t count = 8; count <= 4096; count *= 2) {
        context.reducer(kSum)(input_, count + static_cast<std::uint64_t>(i), &result);
        if (result != 14) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(notes == 0);
  run_without_compiler();
}

TEST_CASE_METHOD(KernelCacheTest, "Bundle: what it has is run without a database and a compiler") {
  put(file("bundle.db"), kTuned, "fake 1.0");
  seal_database(file("bundle.db"));
  SECTION("named by the program") { sources_.bundles = {file("bundle.db")}; }
  SECTION("named by the environment, after one that is missing") {
    const ScopedVariable variable("FOLDTUNE_BUNDLE", file("bundle.db"));
    run_without_compiler();
    CHECK(config_ == to_json(kTuned));
    return;
  }
  run_without_compiler();
  CHECK(config_ == to_json(kTuned));
  CHECK_FALSE(std::filesystem::exists(sources_.database));
  CHECK_FALSE(std::filesystem::exists(file("bundle.db-wal")));
}

TEST_CASE_METHOD(KernelCacheTest, "Bundle: the user's own result goes first") {
  put(file("bundle.db"), kTuned, "fake 1.1");
  put(sources_.database, kOther, "fake 1.0");
  sources_.bundles = {file("bundle.db")};
  run_without_compiler();
  CHECK(config_ == to_json(kOther));
}

TEST_CASE_METHOD(KernelCacheTest,
                 "Bundle: a result for the size itself goes before the user's for one nearby") {
  put(file("bundle.db"), kTuned, "fake 1.0");
  put(sources_.database, kOther, "fake 1.0", 16384);
  sources_.bundles = {file("bundle.db")};
  run_without_compiler();
  CHECK(config_ == to_json(kTuned));
}

TEST_CASE_METHOD(KernelCacheTest,
                 "Bundle: without a compiler it serves where the user's kernel is not kept") {
  put(file("bundle.db"), kTuned, "fake 1.0");
  put(sources_.database, kOther, "fake 1.0");
  exec(sources_.database, "DELETE FROM kernel");
  sources_.bundles = {file("bundle.db")};
  run_without_compiler();
  CHECK(config_ == to_json(kTuned));
  run();
  CHECK(config_ == to_json(kOther));
}

TEST_CASE_METHOD(KernelCacheTest, "Bundle: the first of several goes first") {
  put(file("a.db"), kTuned, "fake 1.0");
  put(file("b.db"), kOther, "fake 1.0");
  sources_.bundles = {file("b.db"), file("a.db")};
  run_without_compiler();
  CHECK(config_ == to_json(kOther));
}

TEST_CASE_METHOD(KernelCacheTest, "Bundle: another device's configuration is never used") {
  put(file("bundle.db"), kTuned, "fake 1.0");
  exec(file("bundle.db"), "UPDATE run SET device_name = 'other', device_fingerprint = 'other'");
  sources_.bundles = {file("bundle.db")};
  CHECK(run()->counts().compilations == 1);
  CHECK(config_ != to_json(kTuned));
}

TEST_CASE_METHOD(KernelCacheTest, "Bundle: one that cannot be used is a note, and no error") {
  write_file(file("notes.txt"), "These are my notes, and they are long enough for a header.\n");
  sources_.bundles = {file("missing.db"), file("notes.txt")};
  std::vector<std::string> notes;
  const auto configs =
      ConfigLookup::open(sources_, [&](const std::string& note) { notes.push_back(note); });
  REQUIRE(notes.size() == 2);
  CHECK_THAT(notes[0], ContainsSubstring("missing.db") && ContainsSubstring("no such file"));
  CHECK_THAT(notes[1], ContainsSubstring("notes.txt"));
}

TEST_CASE("Kernel keys: all that the machine code depends on tells them apart, and no more") {
  FakeDevice device;
  const DeviceRecord& record = device.info().record;
  const Program program = make_program({.workload = kSum, .params = kTuned});
  const auto hash = [&](const Program& other) { return kernel_key(record, other, "x")->program; };
  const std::string plain = hash(program);
  CHECK(hash(program) == plain);
  Program other = program;
  SECTION("source") { other.source += "\n"; }
  SECTION("kernels") { other.name_expressions.push_back("helper"); }
  SECTION("options") { other.fuses_multiply_add = false; }
  CHECK(hash(other) != plain);
}

TEST_CASE("Kernel keys: images of the CPU and programs with the toolkit's headers are not kept") {
  const Program program = make_program({.workload = kSum, .params = kTuned});
  DeviceRecord device = FakeDevice().info().record;
  Program with_toolkit = program;
  with_toolkit.needs_toolkit = true;
  CHECK(kernel_key(device, program, "nvrtc 13.0"));
  CHECK_FALSE(kernel_key(device, with_toolkit, "nvrtc 13.0"));
  device.kind = "cpu";
  CHECK_FALSE(kernel_key(device, program, "g++ 12.2.0"));
}

}  // namespace
}  // namespace foldtune::test
