// What the sanitizers see of a kernel. A kernel with an error ends its process, so each runs in a
// child: this program again, with a hidden test.
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/child_process.h"
#include "runtime/sanitizer.h"
#include "runtime/temporary_folder.h"
#include "templates/embedded.h"
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
  const int status =
      run_program({std::filesystem::read_symlink("/proc/self/exe").string(), tag}, log);
  return {status, read_file(log)};
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

std::string inlined_reduce() {
  std::set<std::string_view> seen;
  return inlined("templates/reduce/reduce.cuh", seen);
}

}  // namespace

TEST_CASE("hidden: the templates without one barrier", "[.][mutant]") {
  std::string text = inlined_reduce();
  const std::size_t place = barriers(text).at(std::stoul(std::getenv(kMutantVariable)));
  text.erase(place, kBarrier.size());
  const CpuReduction reduction(
      CpuThreads::real, all_stages({.block_size = 64, .vector_width = 1, .unroll = 1}), text);
  const std::vector<float> few_blocks(192);
  const std::vector<float> many_blocks(12'800);
  for (const Plan& plan : reduction.plans()) {
    reduction.sum(plan, few_blocks);
    // Polling needs a barrier only where it takes more than one warp to look at all blocks.
    const bool is_polling = plan.variant().params.final_stage == FinalStage::polling;
    if (is_polling) reduction.sum(plan, many_blocks);
  }
}

TEST_CASE("ThreadSanitizer reports the templates without any one of their barriers") {
  if (!kThreadSanitizer) {
    WARN("skipped: this build is without ThreadSanitizer; configure with the preset tsan");
    return;
  }
  const std::size_t count = barriers(inlined_reduce()).size();
  REQUIRE(count >= 5);
  for (std::size_t mutant = 0; mutant < count; ++mutant) {
    const ScopedVariable variable(kMutantVariable, std::to_string(mutant));
    const ChildResult result = run_hidden_test("[mutant]");
    INFO("without barrier " << mutant << ":\n" << result.log);
    CHECK(result.status == kReportStatus);
    CHECK_THAT(result.log, ContainsSubstring("data race"));
  }
}

TEST_CASE("hidden: a kernel that writes one byte beyond its buffer", "[.][overrun]") {
  const CpuProgram program(
      CpuThreads::fibers,
      "#include \"templates/platform.cuh\"\n"
      "void store(char* bytes) { bytes[foldtune::platform::thread_index()] = 1; }",
      {"store"});
  const DeviceBuffer buffer(program.device(), 45);
  program.launch(0, {1, 46}, buffer.data());
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
