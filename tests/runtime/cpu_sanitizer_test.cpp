// What the sanitizers see of a kernel. A kernel with an error ends its process, so each runs in a
// child: this program again, with a hidden test.
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/support/child_process.h"
#include "runtime/support/sanitizer.h"
#include "runtime/support/temporary_folder.h"
#include "templates/embedded.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/runtime/cpu_program.h"
#include "tests/runtime/cpu_reduction.h"
#include "tests/runtime/scoped_variable.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr int kReportStatus = 77;
constexpr const char* kMutantVariable = "FOLDTUNE_TEST_MUTANT";

struct ChildResult {
  int status;
  std::string log;
};

ChildResult run_hidden_test(const std::string& tag) {
  const std::string options = "exitcode=" + std::to_string(kReportStatus) + " halt_on_error=1";
  const ScopedVariable asan("ASAN_OPTIONS", options);
  const ScopedVariable tsan("TSAN_OPTIONS", options);
  // A child that a sanitizer ends leaves its files.
  const TemporaryFolder folder;
  const ScopedVariable temporary("TMPDIR", folder.path().string());
  const std::string log = (folder.path() / "log").string();
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  constexpr std::chrono::minutes kLimit{10};
  const std::optional<int> status =
      run_program({.command = {program, tag}, .log = log, .temporaries = {}, .limit = kLimit});
  return {status.value(), read_file(log)};
}

// The text of a template with those that it includes, each once.
std::string inlined(std::string_view name, std::set<std::string_view>& seen) {
  std::string result;
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name != name || !seen.insert(file.name).second) continue;
    std::string_view rest = file.text;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n') + 1);
      rest.remove_prefix(line.size());
      constexpr std::string_view kInclude = "#include \"templates/";
      // platform.cuh stays a file of its own: the entry points include it, too.
      if (!line.starts_with(kInclude) || line.find("/platform.cuh\"") != std::string_view::npos) {
        if (!line.starts_with("#pragma once")) result += line;
      } else {
        const std::string_view path = line.substr(kInclude.find("templates"));
        result += inlined(path.substr(0, path.find('"')), seen);
      }
    }
  }
  return result;
}

constexpr std::string_view kBarrier = "platform::sync_block();";

// Where the templates' barriers are in the inlined text.
std::vector<std::size_t> barriers(const std::string& text) {
  std::vector<std::size_t> places;
  for (std::size_t at = text.find(kBarrier); at != std::string::npos;
       at = text.find(kBarrier, at + 1)) {
    places.push_back(at);
  }
  return places;
}

/// A text of kernels, and which of its barriers are tried without.
struct Subject {
  const char* name;
  const char* file;
  bool own_barriers_alone;  ///< not those of what it includes
};
constexpr Subject kReduce{"reduce", "templates/reduce/reduce.cuh", false};
constexpr Subject kFixedOrder{"fixed_order", "templates/reduce/fixed_order.cuh", true};

std::string text_of(const Subject& subject) {
  std::set<std::string_view> seen;
  return inlined(subject.file, seen) + inlined("templates/device/operators/sum.cuh", seen);
}

/// The barriers to try without, as places in `text_of`.
std::vector<std::size_t> barriers_of(const Subject& subject) {
  std::vector<std::size_t> places = barriers(text_of(subject));
  if (!subject.own_barriers_alone) return places;
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name != subject.file) continue;
    // A file's own text follows that of what it includes.
    const auto own = barriers(std::string(file.text)).size();
    places.erase(places.begin(), places.end() - static_cast<std::ptrdiff_t>(own));
  }
  return places;
}

std::string without_barrier(const Subject& subject) {
  std::string text = text_of(subject);
  const std::size_t mutant = std::stoul(std::getenv(kMutantVariable));
  return text.erase(barriers_of(subject).at(mutant), kBarrier.size());
}

/// Every block stage with a final stage, and every final stage with a block stage.
std::vector<Config> each_stage_once(const ReduceParams& params) {
  std::vector<Config> result;
  for (const Config& any : all_stages(params)) {
    const auto& stages = reduce_params(any);
    if (stages.final_stage == FinalStage::last_block || stages.block_stage == BlockStage::shuffle) {
      result.push_back(any);
    }
  }
  return result;
}

void check_mutants(const Subject& subject, std::size_t fewest) {
  if (!kThreadSanitizer) {
    WARN("skipped: this build is without ThreadSanitizer; configure with the preset tsan");
    return;
  }
  const std::size_t count = barriers_of(subject).size();
  REQUIRE(count >= fewest);
  for (std::size_t mutant = 0; mutant < count; ++mutant) {
    const ScopedVariable variable(kMutantVariable, std::to_string(mutant));
    const ChildResult result = run_hidden_test("[mutant-" + std::string(subject.name) + "]");
    INFO(subject.name << " without barrier " << mutant << ":\n" << result.log);
    CHECK(result.status == kReportStatus);
    CHECK_THAT(result.log, ContainsSubstring("data race"));
  }
}

}  // namespace

TEST_CASE("hidden: the templates without one barrier", "[.][mutant-reduce]") {
  const CpuReduction reduction(each_stage_once({.block_size = 64, .vector_width = 1, .unroll = 1}),
                               kAnySum, without_barrier(kReduce));
  const std::vector<float> few_blocks(192);
  const std::vector<float> many_blocks(12'800);
  for (const Plan& plan : reduction.plans()) {
    reduction.sum(plan, few_blocks);
    // Polling needs a barrier only where it takes more than one warp to look at all blocks.
    const auto& params = reduce_params(plan.variant().params);
    if (params.final_stage == FinalStage::polling) reduction.sum(plan, many_blocks);
  }
}

TEST_CASE("ThreadSanitizer reports the templates without any one of their barriers") {
  check_mutants(kReduce, 5);
}

TEST_CASE("hidden: a fixed order without one barrier", "[.][mutant-fixed_order]") {
  std::vector<Config> configs;
  for (const FinalStage stage : {FinalStage::two_pass, FinalStage::last_block}) {
    configs.push_back(ReduceParams{.block_size = 128,
                                   .vector_width = 1,
                                   .unroll = 1,
                                   .block_stage = BlockStage::tree,
                                   .final_stage = stage,
                                   .waves = 1});
  }
  const CpuReduction reduction(configs, Reduction{.determinism = Determinism::config_independent},
                               without_barrier(kFixedOrder));
  // More chunks than blocks, so that a block takes several.
  const std::vector<float> values(200'000);
  for (const Plan& plan : reduction.plans()) {
    CHECK(plan.grid_size({{values.size()}}) < chunk_count(values.size()));
    reduction.sum(plan, values);
  }
}

TEST_CASE("ThreadSanitizer reports a fixed order without any one of its barriers") {
  check_mutants(kFixedOrder, 4);
}

TEST_CASE("hidden: a kernel that writes one byte beyond its buffer", "[.][overrun]") {
  const CpuProgram program(
      "#include \"templates/device/platform.cuh\"\n"
      "void store(char* bytes) { bytes[foldtune::platform::thread_index()] = 1; }",
      {"store"});
  const DeviceBuffer buffer(program.device(), 45);
  program.launch(0, {1}, {46}, buffer.data());
}

TEST_CASE("AddressSanitizer reports a kernel that writes one byte beyond its buffer") {
  if (!kAddressSanitizer) {
    WARN("skipped: this build is without AddressSanitizer; configure with the preset asan");
    return;
  }
  const ChildResult result = run_hidden_test("[overrun]");
  INFO(result.log);
  CHECK(result.status == kReportStatus);
  CHECK_THAT(result.log, ContainsSubstring("heap-buffer-overflow"));
}

}  // namespace foldtune::test
