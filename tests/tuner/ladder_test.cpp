#include "tuner/session/ladder.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "foldtune/error.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/fakes/fake_device.h"
#include "tuner/session/climb.h"
#include "tuner/session/library_rungs.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr std::uint64_t kCount = 1000;

Rung rung_of(const Config& params, Operator op = Operator::sum) {
  return {.section = 'A',
          .name = "rung",
          .problem = {.op = op,
                      .type = ElementType::i32,
                      .accumulator = ElementType::i32,
                      .count = kCount},
          .how = params,
          .published = {}};
}

Rung rung_of(const std::string& library) {
  Rung rung = rung_of(Config(ReduceParams{}));
  rung.how = LibraryFunction{library};
  return rung;
}

void sum_on_host(const Call& call, Stream) {
  const auto* const elements = static_cast<const std::uint32_t*>(call.inputs[0]);
  std::uint32_t sum = 0;
  for (std::uint64_t i = 0; i < call.count; ++i) sum += elements[i];
  std::memcpy(call.output, &sum, sizeof(sum));
}

constexpr LibraryRung kLibraries[] = {
    {"right", [](Device&, const Problem&) -> Enqueue { return sum_on_host; }},
    {"wrong", [](Device&, const Problem&) -> Enqueue { return [](const Call&, Stream) {}; }},
    {"absent", [](Device&, const Problem&) -> Enqueue { throw Unavailable("no such library"); }}};

std::vector<RungResult> climb_all(FakeDevice& device, const std::vector<Rung>& rungs) {
  std::size_t seen = 0;
  LadderReport report = climb(device, rungs, kLibraries, [&](const RungResult&) { ++seen; });
  CHECK(seen == rungs.size());
  REQUIRE(report.results.size() == rungs.size());
  return std::move(report.results);
}

}  // namespace

TEST_CASE("Every rung is a problem without fault and a point of its space") {
  for (const std::uint64_t count : {0, 4096}) {
    for (const Rung& rung : make_ladder({.count = count})) {
      CAPTURE(rung.section, rung.name, to_string(rung.problem));
      CHECK(find_fault(rung.problem).empty());
      CHECK((count == 0 || rung.problem.count == count));
      if (const auto* const params = std::get_if<Config>(&rung.how)) {
        CHECK(Space(rung.problem).contains(*params));
      }
    }
  }
}

TEST_CASE("Rungs of a problem differ, by name and by configuration") {
  std::set<std::string> seen;
  for (const Rung& rung : make_ladder({})) {
    CHECK(seen.insert(rung.section + rung.name + to_string(rung.problem)).second);
    if (const auto* const params = std::get_if<Config>(&rung.how)) {
      CHECK(seen.insert(rung.section + to_json(*params) + to_string(rung.problem)).second);
    }
  }
}

TEST_CASE("Sections have the sizes that were published") {
  const auto counts = [](const std::string& section) {
    std::set<std::uint64_t> result;
    for (const Rung& rung : make_ladder({.sections = section})) {
      CHECK(rung.section == section[0]);
      result.insert(rung.problem.count);
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
  for (const Rung& rung : make_ladder({.sections = "C"})) {
    CHECK(rung.published.empty() == (rung.problem.count != 33'554'432));
  }
}

TEST_CASE("A rung that gives the right result is timed") {
  FakeDevice device({.cost_us = [](const FakeLaunch&) { return 2.0; }});
  const auto results = climb_all(device, {rung_of(ReduceParams{}), rung_of("right")});
  CHECK(results[0].status == RungStatus::ran);
  CHECK(results[0].median_us == Approx(2));
  CHECK(results[0].gbps == Approx(kCount * 4 / 2.0 / 1e3));
  CHECK(results[1].status == RungStatus::ran);
  CHECK(results[1].reason.empty());
}

TEST_CASE("A rung that fails says so, and the others go on") {
  FakeDevice device({.fault = [](const ReduceParams& params) {
    if (params.block_size == 64) return Fault::wrong_result;
    return params.block_size == 128 ? Fault::compile_error : Fault::none;
  }});
  const auto results = climb_all(
      device, {rung_of(ReduceParams{.block_size = 64}), rung_of(ReduceParams{.block_size = 128}),
               rung_of("wrong"), rung_of(ReduceParams{.block_size = 256}, Operator::max)});
  CHECK(results[0].status == RungStatus::failed);
  CHECK_THAT(results[0].reason, ContainsSubstring("expected"));
  CHECK(results[1].status == RungStatus::failed);
  CHECK_FALSE(results[1].reason.empty());
  CHECK(results[2].status == RungStatus::failed);
  CHECK_THAT(results[2].reason, ContainsSubstring("expected"));
  CHECK(results[3].status == RungStatus::ran);
}

TEST_CASE("A rung that cannot run here is skipped, with its reason") {
  FakeDevice device;
  Rung other = rung_of("");
  other.how = NotLinked{"another language"};
  const auto results = climb_all(device, {rung_of("absent"), rung_of("unknown"), other});
  for (const RungResult& result : results) CHECK(result.status == RungStatus::skipped);
  CHECK(results[0].reason == "no such library");
  CHECK_THAT(results[1].reason, ContainsSubstring("unknown is not linked"));
  CHECK(results[2].reason == "another language");
}

}  // namespace foldtune::test
