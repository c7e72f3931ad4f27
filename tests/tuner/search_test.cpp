#include "tuner/search/search.h"

#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <set>

#include "foldtune/error.h"
#include "foldtune/reduction.h"
#include "templates/histogram/workload.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/tuner/fake_gpu.h"
#include "tuner/search/candidates.h"

namespace foldtune {
namespace {

using test::kFakeGpu;

/// What a search is about.
struct SearchTask {
  Workload workload;
  std::vector<Config> seeds;
  std::uint64_t seed;
};

std::unique_ptr<Search> make_search(const std::string& name, const SearchTask& task) {
  return foldtune::make_search(name, std::make_shared<const Candidates>(task.workload, kFakeGpu),
                               task.seeds, task.seed);
}

using Cost = std::function<std::optional<double>(const Config&)>;

Reduction problem_of(std::uint64_t count) { return {.count = count}; }

HistogramWorkload histogram_of_bytes(std::uint64_t count) {
  return {.type = ElementType::u8, .binning = Binning::key, .count = count};
}

std::vector<std::string> all_names() { return {search_names().begin(), search_names().end()}; }

/// A landscape with one valley: the steps to `best` over all tunables, in log2 for numbers.
double distance(const Config& params, const Config& best) {
  double cost = 1;
  for (const Tunable& tunable : params.family().tunables()) {
    const double a = params.get(tunable);
    const double b = best.get(tunable);
    cost += tunable.labels.empty() ? std::abs(std::log2(a + 1) - std::log2(b + 1)) : (a != b);
  }
  return cost;
}

const ReduceParams kDeep{.block_size = 512,
                         .vector_width = 2,
                         .unroll = 8,
                         .block_stage = BlockStage::tree_shuffle,
                         .final_stage = FinalStage::two_pass,
                         .waves = 2};
const ReduceParams kShallow{.block_size = 64,
                            .vector_width = 1,
                            .unroll = 1,
                            .block_stage = BlockStage::tree,
                            .final_stage = FinalStage::polling,
                            .waves = 0};

std::optional<double> one_valley(const Config& params) { return distance(params, kDeep); }

std::optional<double> two_valleys(const Config& params) {
  return std::min(distance(params, kDeep), 0.5 + distance(params, kShallow));
}

/// One valley of which a half of the space, next to the bottom, fails.
std::optional<double> cost_with_failures(const Config& params) {
  if (reduce_params(params).block_size > kDeep.block_size) return std::nullopt;
  return distance(params, kDeep);
}

/// Deterministic noise of 3 %.
std::optional<double> noisy_cost(const Config& params) {
  const std::size_t hash = std::hash<std::string>{}(to_json(params));
  return distance(params, kDeep) * (1 + 0.03 * (static_cast<double>(hash % 201) / 100 - 1));
}

/// What a search proposed, and what that cost.
struct Trace {
  std::vector<Config> proposals;
  std::vector<std::optional<double>> costs;

  double best() const {
    double best = HUGE_VAL;
    for (const auto& cost : costs) best = std::min(best, cost.value_or(HUGE_VAL));
    return best;
  }
};

/// Up to `most` evaluations with so many proposals ahead of the results.
Trace drive(Search& search, const Cost& cost, int most, std::size_t in_flight = 8) {
  Trace trace;
  std::deque<Config> pending;
  for (int i = 0; i < most; ++i) {
    while (pending.size() < in_flight) {
      const std::optional<Config> next = search.propose();
      if (!next) break;
      pending.push_back(*next);
    }
    if (pending.empty()) break;
    trace.proposals.push_back(pending.front());
    pending.pop_front();
    trace.costs.push_back(cost(trace.proposals.back()));
    search.report(trace.proposals.back(), trace.costs.back());
  }
  return trace;
}

Trace drive(const std::string& name, const SearchTask& task, const Cost& cost, int most,
            std::size_t in_flight = 8) {
  const std::unique_ptr<Search> search = make_search(name, task);
  return drive(*search, cost, most, in_flight);
}

SearchTask task_of(const Workload& workload, std::vector<Config> seeds = {},
                   std::uint64_t seed = 1) {
  return {.workload = workload, .seeds = std::move(seeds), .seed = seed};
}

/// Bounds of `drive` for a search that is exhausted before.
constexpr int kNoLimit = 1 << 20;

TEST_CASE("every search begins with a seed, and soon proposes all of them, in order, each once") {
  const std::string name = GENERATE(from_range(all_names()));
  INFO(name);
  const ReduceParams first{.block_size = 64, .waves = 1};
  const ReduceParams second{.block_size = 512, .waves = 1};
  const ReduceParams invalid{.vector_width = 16};  // 64 bytes
  const auto search =
      make_search(name, task_of(problem_of(1 << 24), {first, invalid, second, first}));
  std::vector<Config> proposals;
  for (int i = 0; i < 20; ++i) proposals.push_back(search->propose().value());
  CHECK(proposals.front() == Config(first));
  constexpr int kSoon = 4;
  CHECK(std::ranges::count(proposals.begin() + 1, proposals.begin() + kSoon, Config(second)) == 1);
  CHECK(std::ranges::count(proposals, Config(first)) == 1);
  CHECK(std::ranges::count(proposals, Config(second)) == 1);
}

TEST_CASE("every search proposes what stands for a redundant seed") {
  const std::string name = GENERATE(from_range(all_names()));
  INFO(name);
  const ReduceParams redundant{.final_stage = FinalStage::polling, .waves = 1};
  const auto search = make_search(name, task_of(problem_of(1000), {redundant}));
  CHECK(search->propose().value() ==
        Config(ReduceParams{.final_stage = FinalStage::last_block, .waves = 0}));
}

TEST_CASE("every search proposes a seed that it would not try by itself") {
  const std::string name = GENERATE(from_range(all_names()));
  INFO(name);
  const ReduceParams split{.tile_layout = TileLayout::split};
  const auto search = make_search(name, task_of(problem_of(1 << 24), {split}));
  CHECK(search->propose().value() == Config(split));
  search->report(split, 1.0);
  CHECK(search->propose().value() != Config(split));
}

TEST_CASE("every search tries every configuration, none that is redundant or outside") {
  const std::string name = GENERATE(from_range(all_names()));
  const Workload problem =
      GENERATE(Workload(problem_of(1 << 12)), Workload(histogram_of_bytes(1 << 12)));
  INFO(name << ", " << to_string(problem));
  const Space space(problem);
  const Trace trace = drive(
      name, task_of(problem), [](const Config&) { return 1.0; }, kNoLimit);
  std::map<std::string, int> times;
  for (const Config& params : trace.proposals) ++times[to_json(params)];
  std::size_t wanted = 0;
  std::string faults;
  for (const Config& params : space.enumerate()) {
    const bool is_redundant = space.is_redundant(params, kFakeGpu.multiprocessor_count);
    wanted += is_redundant ? 0 : 1;
    if ((times.count(to_json(params)) == 0) != is_redundant) faults += to_json(params);
  }
  CHECK(faults.empty());
  CHECK(times.size() == wanted);
  CHECK(trace.proposals.size() == wanted);
}

TEST_CASE("every search ends where everything fails") {
  const std::string name = GENERATE(from_range(all_names()));
  INFO(name);
  const Reduction problem = problem_of(1 << 12);
  const Trace trace = drive(
      name, task_of(problem), [](const Config&) { return std::nullopt; }, kNoLimit);
  CHECK(trace.proposals.size() == Candidates(problem, kFakeGpu).size());
}

TEST_CASE("every search with the same seed and costs proposes the same") {
  const std::string name = GENERATE(from_range(all_names()));
  INFO(name);
  const auto proposals = [&](std::uint64_t seed) {
    std::string all;
    const Trace trace = drive(name, task_of(problem_of(1 << 20), {}, seed), two_valleys, 100);
    for (const Config& params : trace.proposals) all += to_json(params);
    return all;
  };
  CHECK(proposals(7) == proposals(7));
  CHECK((proposals(7) != proposals(8)) == (name != "exhaustive"));
}

TEST_CASE("a search finds the bottom of a valley in a small part of the space") {
  const std::string name = GENERATE("seeded", "default");
  const std::size_t in_flight = GENERATE(1, 8, 32);
  INFO(name << " " << in_flight);
  const Reduction problem = problem_of(1 << 24);
  const Trace trace = drive(name, task_of(problem), one_valley, 200, in_flight);
  CHECK(trace.best() == one_valley(kDeep));
  CHECK(Candidates(problem, kFakeGpu).size() > 10 * 200);
}

TEST_CASE("a search finds the deeper of two valleys") {
  const std::string name = GENERATE("seeded", "default");
  const std::uint64_t seed = GENERATE(1, 2, 3, 4, 5);
  INFO(name << " " << seed);
  const Trace trace = drive(name, task_of(problem_of(1 << 24), {}, seed), two_valleys, 300);
  CHECK(trace.best() == two_valleys(kDeep));
}

TEST_CASE("a search finds the bottom of a valley beside failures and under noise") {
  const std::string name = GENERATE("seeded", "default");
  INFO(name);
  const auto& task = task_of(problem_of(1 << 24));
  CHECK(drive(name, task, cost_with_failures, 250).best() == cost_with_failures(kDeep));
  CHECK(drive(name, task, noisy_cost, 250).best() < 1.1);
}

TEST_CASE("the searches that learn are better than random ones") {
  const std::string name = GENERATE("seeded", "default");
  INFO(name);
  double ours = 0;
  double random = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ours += drive(name, task_of(problem_of(1 << 24), {}, seed), two_valleys, 100).best();
    random += drive("random", task_of(problem_of(1 << 24), {}, seed), two_valleys, 100).best();
  }
  CHECK(ours < random);
}

TEST_CASE("the searches that learn begin with the configuration that is used untuned") {
  const std::string name = GENERATE("seeded", "default");
  const Workload problem = GENERATE(Workload(problem_of(1 << 8)), Workload(problem_of(1 << 24)),
                                    Workload(histogram_of_bytes(1 << 20)));
  const Space space(problem);
  const int multiprocessors = kFakeGpu.multiprocessor_count;
  CHECK(make_search(name, task_of(problem))->propose().value() ==
        space.canonical(space.default_params(multiprocessors), multiprocessors));
}

TEST_CASE("seeded proposes two seeds for each guess of its own, default one for two") {
  const Reduction problem = problem_of(1 << 24);
  const Candidates candidates(problem, kFakeGpu);
  std::vector<Config> seeds;  // far from what the prior would choose
  for (std::size_t i = 0; i < 6; ++i) seeds.push_back(candidates.params(i));
  const auto turns = [&](const std::string& name) {
    const auto search = make_search(name, task_of(problem, seeds));
    std::string text;
    for (int i = 0; i < 9; ++i) {
      const Config params = search->propose().value();
      text += std::ranges::count(seeds, params) > 0 ? 'S' : '-';
    }
    return text;
  };
  CHECK(turns("seeded") == "SS-SS-SS-");
  CHECK(turns("default") == "S--S--S--");
}

TEST_CASE("exhaustive keeps configurations of one program together") {
  const Trace trace = drive("exhaustive", task_of(problem_of(1 << 24)), one_valley, kNoLimit);
  std::set<std::string> programs;
  std::string last;
  for (const Config& proposal : trace.proposals) {
    ReduceParams params = reduce_params(proposal);
    params.waves = 0;  // shapes the launch alone
    const std::string program = to_json(params);
    if (program == last) continue;
    CHECK(programs.insert(program).second);
    last = program;
  }
}

TEST_CASE("no search tries what is kept for comparison alone") {
  const std::string name = GENERATE(from_range(all_names()));
  const Reduction problem{.op = Operator::sum,
                          .type = ElementType::i32,
                          .accumulator = ElementType::i32,
                          .count = 1 << 12};
  std::set<BlockStage> stages;
  for (const Config& params : drive(name, task_of(problem), one_valley, kNoLimit).proposals) {
    const auto& reduce = reduce_params(params);
    stages.insert(reduce.block_stage);
    CHECK(reduce.tile_layout == TileLayout::contiguous);
  }
  CHECK(stages == std::set{BlockStage::tree, BlockStage::tree_shuffle, BlockStage::shuffle,
                           BlockStage::redux});
}

TEST_CASE("reports of what was not proposed, and second ones, change nothing") {
  const std::string name = GENERATE(from_range(all_names()));
  INFO(name);
  const Reduction problem = problem_of(1 << 20);
  const auto disturbed = make_search(name, task_of(problem));
  const auto plain = make_search(name, task_of(problem));
  const Config never = Candidates(problem, kFakeGpu).params(0);
  for (int i = 0; i < 30; ++i) {
    const Config params = plain->propose().value();
    CHECK(disturbed->propose().value() == params);
    if (params == never) break;
    disturbed->report(never, 1e-3);
    for (Search* search : {plain.get(), disturbed.get()}) {
      search->report(params, one_valley(params));
    }
    disturbed->report(params, 1e-3);
  }
}

TEST_CASE("a search that does not exist is refused with those that do") {
  CHECK_THROWS_AS(make_search("best", task_of(problem_of(1))), InvalidArgument);
  CHECK_THROWS_WITH(
      make_search("best", task_of(problem_of(1))),
      Catch::Matchers::ContainsSubstring("'best'") && Catch::Matchers::ContainsSubstring("random"));
}

}  // namespace
}  // namespace foldtune
