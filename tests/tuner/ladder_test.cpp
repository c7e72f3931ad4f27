#include "tuner/session/ladder.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "foldtune/error.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tuner/session/library_kernels.h"
#include "tuner/session/run_ladder.h"
#include "tuner/session/textbook.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr std::uint64_t kCount = 1000;

LadderKernel kernel_of(const Config& params, Operator op = Operator::sum) {
  return {
      .workload =
          Reduction{
              .op = op, .type = ElementType::i32, .accumulator = ElementType::i32, .count = kCount},
      .section = 'A',
      .name = "kernel",
      .how = params,
      .published = {}};
}

LadderKernel kernel_of(const std::string& library) {
  LadderKernel kernel = kernel_of(Config(ReduceParams{}));
  kernel.how = LibraryFunction{library};
  return kernel;
}

void sum_on_host(const Call& call, Stream) {
  const auto* const elements = static_cast<const std::uint32_t*>(call.arguments[1]);
  std::uint32_t sum = 0;
  for (std::uint64_t i = 0; i < call.shape[0]; ++i) sum += elements[i];
  std::memcpy(call.arguments[0], &sum, sizeof(sum));
}

constexpr LibraryKernel kLibraries[] = {
    {"right", [](Device&, const Workload&) -> Enqueue { return sum_on_host; }},
    {"wrong", [](Device&, const Workload&) -> Enqueue { return [](const Call&, Stream) {}; }},
    {"absent", [](Device&, const Workload&) -> Enqueue { throw Unavailable("no such library"); }}};

std::vector<KernelResult> run_all(FakeDevice& device, const std::vector<LadderKernel>& kernels) {
  std::size_t seen = 0;
  LadderReport report =
      run_ladder(device, kernels, kLibraries, [&](const KernelResult&) { ++seen; });
  CHECK(seen == kernels.size());
  REQUIRE(report.results.size() == kernels.size());
  return std::move(report.results);
}

/// Of a whole array: all other extents are 1.
std::uint64_t count_of(const Workload& workload) {
  return workload.shape[workload.problem.family().extents().size() - 1];
}

}  // namespace

TEST_CASE("Every kernel is a problem without fault and a point of its space") {
  for (const std::uint64_t count : {0, 4096}) {
    for (const LadderKernel& kernel : make_ladder({.count = count})) {
      CAPTURE(kernel.section, kernel.name, to_string(kernel.workload));
      CHECK(find_fault(kernel.workload).empty());
      CHECK((count == 0 || count_of(kernel.workload) == count));
      if (const auto* const params = std::get_if<Config>(&kernel.how)) {
        CHECK(Space(kernel.workload).contains(*params));
      }
    }
  }
}

TEST_CASE("Every description of the textbook has kernels in the ladder") {
  std::set<std::string> used;
  for (const LadderKernel& kernel : make_ladder({})) {
    if (const auto* const config = std::get_if<Config>(&kernel.how)) {
      used.insert(std::string(config->family().name()) + ".json");
    }
  }
  std::set<std::string> there;
  for (const EmbeddedFile& file : textbook_files()) {
    if (file.name.ends_with(".json") && file.name != "ladder.json") there.emplace(file.name);
  }
  CHECK(used == there);
  CHECK_THROWS_AS(textbook_family("frobnicate"), std::invalid_argument);
}

TEST_CASE("A kernel without tunables has an empty configuration") {
  const Family& family = textbook_family("one_thread");
  CHECK(family.tunables().empty());
  CHECK(to_json(Config(family)) == "{}");
  CHECK(config_from_json(family, "{}") == Config(family));
}

TEST_CASE("The textbook's families are the ladder's alone") {
  for (const LadderKernel& kernel : make_ladder({})) {
    const Family& family = kernel.workload.problem.family();
    CHECK((find_family(family.name()) == &family) == !std::holds_alternative<Config>(kernel.how));
  }
}

TEST_CASE("Rungs of a problem differ, by name and by configuration") {
  std::set<std::string> seen;
  for (const LadderKernel& kernel : make_ladder({})) {
    CHECK(seen.insert(kernel.section + kernel.name + to_string(kernel.workload)).second);
    if (const auto* const params = std::get_if<Config>(&kernel.how)) {
      CHECK(seen.insert(kernel.section + to_json(*params) + to_string(kernel.workload)).second);
    }
  }
}

TEST_CASE("Sections have the sizes that were published") {
  const auto counts = [](const std::string& section) {
    std::set<std::uint64_t> result;
    for (const LadderKernel& kernel : make_ladder({.sections = section})) {
      CHECK(kernel.section == section[0]);
      result.insert(count_of(kernel.workload));
    }
    return result;
  };
  CHECK(counts("A") == std::set<std::uint64_t>{1 << 24, 1 << 26, 1 << 28});
  CHECK(counts("B") == std::set<std::uint64_t>{1 << 20});
  CHECK(counts("C") == std::set<std::uint64_t>{65'536, 1'048'576, 33'554'432});
  CHECK(counts("D") == std::set<std::uint64_t>{1 << 24});
  CHECK(counts("E") == std::set<std::uint64_t>{1 << 24, (1 << 24) - 3});
}

TEST_CASE("A time that was published stands beside the size that it is of") {
  for (const LadderKernel& kernel : make_ladder({.sections = "C"})) {
    CHECK(kernel.published.empty() == (kernel.workload.shape[0] != 33'554'432));
  }
}

TEST_CASE("A kernel that gives the right result is timed") {
  FakeDevice device({.cost_us = [](const FakeLaunch&) { return 2.0; }});
  const auto results = run_all(device, {kernel_of(ReduceParams{}), kernel_of("right")});
  CHECK(results[0].status == KernelStatus::ran);
  CHECK(results[0].median_us == Approx(2));
  CHECK(results[0].gbps == Approx(kCount * 4 / 2.0 / 1e3));
  CHECK(results[1].status == KernelStatus::ran);
  CHECK(results[1].reason.empty());
}

TEST_CASE("A kernel that fails says so, and the others go on") {
  FakeDevice device({.fault = [](const ReduceParams& params) {
    if (params.block_size == 64) return Fault::wrong_result;
    return params.block_size == 128 ? Fault::compile_error : Fault::none;
  }});
  const auto results =
      run_all(device, {kernel_of(ReduceParams{.block_size = 64}),
                       kernel_of(ReduceParams{.block_size = 128}), kernel_of("wrong"),
                       kernel_of(ReduceParams{.block_size = 256}, Operator::max)});
  CHECK(results[0].status == KernelStatus::failed);
  CHECK_THAT(results[0].reason, ContainsSubstring("expected"));
  CHECK(results[1].status == KernelStatus::failed);
  CHECK_FALSE(results[1].reason.empty());
  CHECK(results[2].status == KernelStatus::failed);
  CHECK_THAT(results[2].reason, ContainsSubstring("expected"));
  CHECK(results[3].status == KernelStatus::ran);
}

TEST_CASE("A kernel that cannot run here is skipped, with its reason") {
  FakeDevice device;
  LadderKernel other = kernel_of("");
  other.how = NotLinked{"another language"};
  const auto results = run_all(device, {kernel_of("absent"), kernel_of("unknown"), other});
  for (const KernelResult& result : results) CHECK(result.status == KernelStatus::skipped);
  CHECK(results[0].reason == "no such library");
  CHECK_THAT(results[1].reason, ContainsSubstring("unknown is not linked"));
  CHECK(results[2].reason == "another language");
}

}  // namespace foldtune::test
