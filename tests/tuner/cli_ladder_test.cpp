// The ladder on the CPU device: every kernel runs, or says why it cannot.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/tuner/program.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

/// The kernels that every section has to have.
const std::map<std::string, std::vector<std::string>> kRungs{
    {"A",
     {"V0 single thread", "V1 interleaved", "V2 sequential", "V3 first add", "V4 warp unroll",
      "V5 full shuffle", "vectorized", "two-pass", "atomic", "CUB DeviceReduce", "CUB BlockReduce",
      "CUB WarpReduce", "max", "argmax", "generic operator", "histogram, global",
      "histogram, per block", "histogram, per warp", "histogram, CUB"}},
    {"B",
     {"atomic per element", "shuffle, atomic per warp", "tree + shuffle, atomic", "two-phase",
      "vectorized", "optimized", "cublasSdot"}},
    {"C",
     {"Torch sum", "atomic per element", "atomic in shared memory", "tree", "tree + shuffle",
      "tree + unrolled", "tree + groups", "groups, 2 elements", "CUB BlockReduce"}},
    {"D",
     {"single thread", "grid-stride coalesced", "warp shuffle", "shared memory, atomic",
      "16-byte loads", "unrolled loop", "two-pass", "torch.sum"}},
    {"E", {"naive interleaved", "optimized", "cooperative groups", "atomic combine"}}};

/// What a CPU has no part in.
bool is_for_gpus(const Json& kernel) {
  const std::string name = kernel["kernel"];
  return name.find("CUB") == 0 || name.find("groups") != std::string::npos ||
         !kernel["config"].is_object();
}

TEST_CASE("Every kernel of the ladder runs, or says why not", "[kernels]") {
  const Workplace place;
  // No multiple of what a thread, a load or a block takes.
  const Outcome outcome = place.run({"ladder", "--device", "cpu", "--n", "4099", "--json"});
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const Json report = Json::parse(outcome.out);
  CHECK(report["device"] == "cpu");
  CHECK(report["sections"].size() == 5);
  CHECK(report["sections"]["A"].is_string());
  std::map<std::string, std::vector<std::string>> names;
  for (const Json& kernel : report["kernels"]) {
    CAPTURE(kernel.dump());
    names[kernel["section"]].push_back(kernel["kernel"]);
    CHECK(kernel["shape"] == "4099");
    if (is_for_gpus(kernel)) {
      CHECK(kernel["status"] == "skipped");
      CHECK(kernel["reason"].get<std::string>().size() > 10);
      CHECK(kernel["median_us"].is_null());
    } else {
      CHECK(kernel["status"] == "ran");
      CHECK(kernel["median_us"] > 0);
      CHECK(kernel["bandwidth_gbps"] > 0);
    }
  }
  for (const auto& [section, expected] : kRungs) {
    for (const std::string& name : expected) {
      CAPTURE(section, name);
      CHECK(std::ranges::count(names[section], name) > 0);
    }
  }
  CHECK_FALSE(std::filesystem::exists(place.database()));
}

TEST_CASE("A kernel of the textbook is tuned from its files") {
  const Workplace place;
  const Outcome outcome =
      place.run({"tune", "--family", FOLDTUNE_TEXTBOOK_FOLDER "/tree.json", "--OP", "max", "--n",
                 "5K", "--device", "cpu", "--max-evals", "3"});
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("tree max f32"));
}

TEST_CASE("The ladder's tables have the published figures and the reasons") {
  const Workplace place;
  const Outcome outcome = place.run({"ladder", "--device", "cpu", "--n", "1K", "--section", "b"});
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("B: Dot product"));
  CHECK_THAT(outcome.out, ContainsSubstring("520 GFLOPS, 3.8 us"));
  CHECK_THAT(outcome.out, ContainsSubstring("skipped: cublasSdot: "));
  CHECK_THAT(outcome.out, ContainsSubstring("6 kernels ran, 1 skipped, 0 failed on cpu"));
  CHECK_THAT(outcome.out, ContainsSubstring("say nothing about a GPU"));
  CHECK_THAT(outcome.out, !ContainsSubstring("V0 single thread"));
}

TEST_CASE("A wrong section or size of the ladder is an error of usage") {
  const Workplace place;
  for (const auto& [option, value, message] :
       {std::array{"--section", "F", "no section 'F'; there are ABCDE"},
        std::array{"--section", "A,,B", "empty item"}, std::array{"--n", "0", "at least 1"}}) {
    const Outcome outcome = place.run({"ladder", "--device", "cpu", option, value});
    CAPTURE(outcome.out, outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK_THAT(outcome.err, ContainsSubstring(message));
  }
}

}  // namespace
}  // namespace foldtune::test
