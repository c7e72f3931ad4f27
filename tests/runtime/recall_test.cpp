// A look-up that a later process need not do again, as long as the databases stay as they are.
#include "runtime/recall.h"

#include <SQLiteCpp/Database.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "cache/compact.h"
#include "foldtune/foldtune.hpp"
#include "runtime/temporary_folder.h"
#include "runtime/tuned_configs.h"
#include "runtime/variant.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tests/runtime/recorded_log.h"
#include "tests/runtime/tuned_store.h"

namespace foldtune::test {
namespace {

const Problem kTunedSum{.op = Operator::sum, .type = ElementType::f32, .count = 4096};
const ReduceParams kTunedParams{.block_size = 512, .unroll = 8};
const ReduceParams kOther{.block_size = 128, .unroll = 2};

/// Until the files are old enough for their times to tell all changes.
void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(2100)); }

/// Programs that run one after another over the same files, with a fake device each.
class RecallTest {
 protected:
  /// What a program does: one sum, without a compiler.
  void run(const Problem& problem = kTunedSum) {
    const RecordedLog recorded(LogLevel::info);
    auto device = std::make_shared<FakeDevice>(FakeScript{.fault = fault_, .has_compiler = false});
    device->mutable_info().record.driver = driver_;
    Context context(device, TunedConfigs::open(sources_, [&](const std::string& note) {
                      notes_.push_back(note);
                    }));
    const Reducer sum = context.reducer(problem);
    output_ = -1;
    sum(input_, 4000, &output_);
    CHECK(output_ == 14);
    explanation_ = sum.explain(4000);
    is_recalled_ = std::ranges::none_of(
        recorded.lines(), [](const std::string& line) { return line.starts_with("info: opened"); });
  }

  /// A result and its kernel.
  void put(const std::string& path, const ReduceParams& params) {
    FakeDevice device;
    const auto store = open_sqlite_store(path, OpenMode::read_write);
    store->put(store->begin_run(run_on(device)), success(kTunedSum, to_json(params), 2.5));
    const Program program = make_program({.problem = kTunedSum, .params = params});
    const std::string& compiler = device.compiler().version();
    store->kernels()->put(kernel_record(*kernel_key(device.info().record, program, compiler),
                                        program, device.compiler().compile(program)),
                          kMuch);
  }
  void exec(const std::string& statement) {
    SQLite::Database(sources_.database, SQLite::OPEN_READWRITE).exec(statement);
  }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }

  static constexpr std::uint64_t kMuch = 1 << 20;
  TemporaryFolder folder_;
  TunedSources sources_{.database = file("tuning.db"), .cache_bytes = kMuch};
  std::string driver_ = FakeDevice().info().record.driver;
  std::function<Fault(const ReduceParams&)> fault_ = nullptr;
  alignas(16) float input_[5000] = {3, 1, 4, 1, 5};
  float output_ = -1;
  Explanation explanation_;
  bool is_recalled_ = false;
  std::vector<std::string> notes_;
};

TEST_CASE_METHOD(RecallTest, "Recall: a database that stays as it is need not be opened again") {
  put(sources_.database, kTunedParams);
  run();
  run();
  CHECK_FALSE(is_recalled_);  // too young
  settle();
  run();
  CHECK_FALSE(is_recalled_);
  const Explanation looked_up = explanation_;
  run();
  CHECK(is_recalled_);
  CHECK(explanation_.source == ConfigSource::exact);
  CHECK(explanation_.config == to_json(kTunedParams));
  CHECK(explanation_.reason == looked_up.reason);
  CHECK(explanation_.tuned_count == kTunedSum.count);
  CHECK(explanation_.tuned_us == 2.5);
  CHECK(explanation_.expected_loss == looked_up.expected_loss);

  // Nothing else is recalled in its place.
  Problem other = kTunedSum;
  other.op = Operator::product;
  CHECK_THROWS_AS(run(other), Unavailable);
  driver_ = "another";
  run();
  CHECK_FALSE(is_recalled_);
  CHECK(explanation_.reason != looked_up.reason);
  driver_ = FakeDevice().info().record.driver;
  sources_.cache_bytes = 0;
  run();
  CHECK_FALSE(is_recalled_);
  sources_.cache_bytes = kMuch;
  run();
  CHECK(is_recalled_);
  put(sources_.database, kOther);
  run();
  CHECK_FALSE(is_recalled_);
  CHECK(explanation_.config == to_json(kOther));
  CHECK(notes_.empty());
}

TEST_CASE_METHOD(RecallTest, "Recall: what is in the log alone counts") {
  put(sources_.database, kTunedParams);
  settle();
  run();
  const auto writer = open_sqlite_store(sources_.database, OpenMode::read_write);
  put(sources_.database, kOther);
  run();
  CHECK_FALSE(is_recalled_);
  CHECK(explanation_.config == to_json(kOther));
}

TEST_CASE_METHOD(RecallTest, "Recall: once a day there is none, so that the use is noted") {
  FakeDevice device;
  const Choice choice{.params = kTunedParams, .match = std::nullopt, .reason = "tested"};
  const Program program = make_program({.problem = kTunedSum, .params = kTunedParams});
  const auto recalled = [&](const std::string& used_at) {
    LookupMemo memo(sources_.database, {}, std::chrono::seconds(-1));
    KernelCache kernels;
    const auto kernel = std::make_shared<const CompiledKernel>(device.compiler().compile(program));
    kernels.adopt(program, {.key = {}, .used_at = used_at, .kernel = kernel});
    remember(&memo, device, kTunedSum, choice, kernels);
    memo.save();
    const LookupMemo later(sources_.database, {});
    KernelCache others;
    const std::optional<Choice> found = recall(&later, device, kTunedSum, others);
    CHECK((others.kept(program).has_value()) == found.has_value());
    return found.has_value();
  };
  CHECK(recalled("9999-01-01T00:00:00Z"));
  CHECK_FALSE(recalled("2020-01-01T00:00:00Z"));
  CHECK(recalled(""));  // of a bundle
}

TEST_CASE_METHOD(RecallTest, "Recall: a kernel that does not load is not recalled again") {
  put(sources_.database, kTunedParams);
  settle();
  run();
  fault_ = [](const ReduceParams&) { return Fault::load_error; };
  CHECK_THROWS_AS(run(), Unavailable);
  fault_ = nullptr;
  // It was dropped from the database, and there is no compiler.
  CHECK_THROWS_AS(run(), Unavailable);
}

TEST_CASE_METHOD(RecallTest, "Recall: bundles need not be opened again, either") {
  put(file("bundle.db"), kTunedParams);
  seal_database(file("bundle.db"));
  sources_.bundles = {file("bundle.db")};
  settle();
  run();
  CHECK_FALSE(is_recalled_);
  run();
  CHECK(is_recalled_);
  CHECK(explanation_.config == to_json(kTunedParams));
  CHECK_FALSE(std::filesystem::exists(sources_.database));
}

TEST_CASE_METHOD(RecallTest, "Recall: what cannot be opened is told every time") {
  put(sources_.database, kTunedParams);
  sources_.bundles = {file("missing.db")};
  settle();
  for (std::size_t i = 1; i <= 3; ++i) {
    run();
    CHECK(notes_.size() == i);
  }
}

}  // namespace
}  // namespace foldtune::test
