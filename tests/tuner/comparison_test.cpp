#include "tuner/measure/comparison.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <random>

#include "templates/reduce/space.h"
#include "tests/catch.h"
#include "tests/tuner/scripted_evaluator.h"

namespace foldtune {
namespace {

using test::ScriptedEvaluator;

std::vector<Finalist> finalists(const std::vector<int>& unrolls) {
  std::vector<Finalist> result;
  for (const int unroll : unrolls) {
    result.push_back({.params = ReduceParams{.unroll = unroll}, .compiled = nullptr});
  }
  return result;
}

Config with_final_stage(const Config& config, FinalStage stage) {
  ReduceParams params = reduce_params(config);
  params.final_stage = stage;
  return params;
}

int unroll_of(const Config& params) { return reduce_params(params).unroll; }

/// Microseconds with noise of a percent.
ScriptedEvaluator::Cost noisy(std::function<double(int unroll)> cost) {
  return [cost = std::move(cost), random = std::mt19937_64(7)](const Workload&,
                                                               const Trial& trial) mutable {
    return cost(unroll_of(trial.params)) *
           (1 + 0.01 * (static_cast<double>(random() % 1000) / 1000 - 0.5));
  };
}

TEST_CASE("Comparison: finalists take turns in random order, and none is timed twice in a round") {
  ScriptedEvaluator evaluator(noisy([](int) { return 10.0; }));
  std::vector<Finalist> candidates = finalists({1, 2, 4, 8});
  compare(evaluator, candidates, {.rounds = 6});
  REQUIRE(evaluator.trials.size() == 24);
  std::vector<std::vector<int>> rounds;
  for (std::size_t i = 0; i < evaluator.trials.size(); ++i) {
    if (i % 4 == 0) rounds.emplace_back();
    rounds.back().push_back(unroll_of(evaluator.trials[i].params));
    CHECK(evaluator.trials[i].timing == Timing::comparison);
  }
  bool has_other_order = false;
  for (std::vector<int> round : rounds) {
    has_other_order |= round != rounds.front();
    std::ranges::sort(round);
    CHECK(round == std::vector{1, 2, 4, 8});
  }
  CHECK(has_other_order);
  for (const Finalist& finalist : candidates) {
    CHECK(finalist.record.samples_us.size() == 18);
    CHECK(finalist.record.median_us == Approx(10).epsilon(0.01));
  }
}

TEST_CASE("Comparison: what is clearly slower drops out, and one that is left ends it") {
  ScriptedEvaluator evaluator(noisy([](int unroll) { return unroll == 4 ? 10.0 : 20.0; }));
  std::vector<Finalist> candidates = finalists({1, 4, 8});
  compare(evaluator, candidates, {.rounds = 9});
  CHECK(evaluator.trials.size() < 3 * 9);
  CHECK(candidates[0].is_out);
  CHECK_FALSE(candidates[1].is_out);
  CHECK(candidates[2].is_out);
  CHECK(choose(candidates, 0) == 1);
}

TEST_CASE("Comparison: one that fails takes part no more, and is never chosen") {
  int trials_of_8 = 0;
  ScriptedEvaluator evaluator(noisy([](int unroll) { return unroll == 8 ? 1.0 : 10.0; }),
                              [&](const Trial& trial) {
                                const bool is_8 = unroll_of(trial.params) == 8;
                                return is_8 && ++trials_of_8 > 1 ? Outcome::crashed : Outcome::ok;
                              });
  std::vector<Finalist> candidates = finalists({1, 8});
  compare(evaluator, candidates, {.rounds = 4});
  CHECK(trials_of_8 == 2);
  CHECK(candidates[1].record.outcome == Outcome::crashed);
  CHECK(choose(candidates, std::nullopt) == 0);
}

TEST_CASE(
    "Comparison: what has to be beaten stays to the end, with as many samples as the others") {
  ScriptedEvaluator evaluator(noisy([](int unroll) { return unroll == 1 ? 20.0 : 10.0; }));
  std::vector<Finalist> candidates = finalists({1, 2, 4});
  candidates[0].stays = true;
  compare(evaluator, candidates, {.rounds = 9});
  CHECK_FALSE(candidates[0].is_out);
  for (const Finalist& finalist : candidates) CHECK(finalist.record.samples_us.size() == 27);
  const std::size_t chosen = choose(candidates, 0).value();
  CHECK(chosen != 0);
  break_ties(evaluator, candidates, {}, chosen);
  for (const Finalist& finalist : candidates) CHECK(finalist.record.samples_us.size() == 27);
}

TEST_CASE("Comparison: of a round that is cut short nothing counts") {
  for (const std::size_t trials : {0, 2, 3, 5, 7}) {
    ScriptedEvaluator evaluator(noisy([](int) { return 10.0; }));
    std::vector<Finalist> candidates = finalists({1, 2, 4});
    compare(evaluator, candidates,
            {.rounds = 9, .stop_requested = [&] { return evaluator.trials.size() == trials; }});
    CAPTURE(trials);
    for (const Finalist& finalist : candidates) {
      CHECK(finalist.record.samples_us.size() == trials / 3 * 3);
    }
    CHECK(choose(candidates, 0).has_value() == (trials >= 3));
    if (trials == 3) CHECK(choose(candidates, 2) == 2);  // one round speaks for no change
  }
}

/// Other work takes a part of the machine for some turns in a row: calls take ten times as long.
ScriptedEvaluator::Cost disturbed(std::function<double(int unroll)> cost, std::uint64_t seed) {
  return [cost = std::move(cost), random = std::mt19937_64(seed), left = 0, is_busy = false](
             const Workload&, const Trial& trial) mutable {
    if (left-- == 0) {
      is_busy = random() % 3 == 0;
      left = static_cast<int>(3 * (1 + random() % 4));
    }
    const double noise = 1 + 0.02 * static_cast<double>(random() % 1000) / 1000;
    return cost(unroll_of(trial.params)) * noise * (is_busy ? 10 : 1);
  };
}

TEST_CASE("Choice: on a busy machine nothing slower takes the incumbent's place") {
#ifdef FOLDTUNE_SANITIZE
  constexpr int kRuns = 20;  // take it ten seconds
#else
  constexpr int kRuns = 200;
#endif
  int gains = 0;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    // The incumbent is the best, but for one that is half as slow.
    for (const bool has_better : {false, true}) {
      ScriptedEvaluator evaluator(disturbed(
          [&](int unroll) {
            return unroll == 1 ? 10.0 : unroll == 8 && has_better ? 5.0 : 10.0 + unroll;
          },
          seed));
      std::vector<Finalist> candidates = finalists({1, 2, 4, 8});
      candidates[0].stays = true;
      compare(evaluator, candidates, {.rounds = 9, .seed = seed});
      const std::size_t chosen = choose(candidates, 0).value();
      CHECK((chosen == 0 || (has_better && chosen == 3)));
      gains += chosen == 3 ? 1 : 0;
      for (const Finalist& finalist : candidates) {
        if (finalist.is_out) continue;
        CHECK(finalist.record.samples_us.size() == candidates[0].record.samples_us.size());
      }
    }
  }
  CHECK(gains > kRuns / 2);
}

TEST_CASE("Choice: noise does not replace the incumbent, a clear gain does") {
  for (const double gain : {1.0, 1.001, 1.1}) {
    ScriptedEvaluator evaluator(noisy([&](int unroll) { return unroll == 2 ? 10 / gain : 10.0; }));
    std::vector<Finalist> candidates = finalists({1, 2, 4});
    compare(evaluator, candidates, {.rounds = 9});
    CHECK(choose(candidates, 2) == (gain > 1.05 ? 1U : 2U));
  }
}

TEST_CASE("Choice: without a measured incumbent the fastest is chosen, without any nothing") {
  std::vector<Finalist> candidates = finalists({1, 2});
  CHECK_FALSE(choose(candidates, 0));
  candidates[1].record.samples_us = {3};
  candidates[1].record.median_us = 3;
  candidates[1].turns_us = {3};
  CHECK(choose(candidates, 0) == 1);
}

/// What is kept of three finalists, of which the first is chosen, with the timings asked for.
struct TieBreak {
  std::size_t kept = 0;
  std::vector<int> timed;  ///< unrolls
};

TieBreak break_three_ties(std::array<double, 3> graph_us, std::array<double, 3> stream_us,
                          const std::vector<Finalist>& there = {}) {
  const auto place = [](const Trial& trial) {
    return static_cast<std::size_t>(unroll_of(trial.params) / 2);  // 1, 2, 4
  };
  ScriptedEvaluator evaluator(
      [&](const Workload&, const Trial& trial) { return graph_us[place(trial)]; });
  evaluator.stream_cost = [&](const Trial& trial) { return stream_us[place(trial)]; };
  std::vector<Finalist> candidates = finalists({1, 2, 4});
  compare(evaluator, candidates, {.rounds = 2});
  evaluator.trials.clear();
  TieBreak result{.kept = break_ties(evaluator, candidates, there, 0), .timed = {}};
  for (const Trial& trial : evaluator.trials) {
    CHECK(trial.timing == Timing::complete);
    result.timed.push_back(unroll_of(trial.params));
  }
  CHECK(candidates[result.kept].record.stream_us == stream_us[result.kept]);
  return result;
}

TEST_CASE(
    "TieBreak: of what is about as fast in a graph, what is clearly faster in a stream is kept") {
  CHECK(break_three_ties({10, 10.1, 10.19}, {5, 4.9, 4.2}).kept == 2);
  CHECK(break_three_ties({10, 10.1, 10.19}, {5, 4.2, 4.1}).kept == 1);
  CHECK(break_three_ties({10, 10.1, 10.19}, {5, 4.6, 4.1}).kept == 2);
  CHECK(break_three_ties({10, 10.1, 10.19}, {5, 4.9, 4.8}).kept == 0);
  const TieBreak slower = break_three_ties({10, 10.3, 11}, {5, 4, 3});
  CHECK(slower.kept == 0);
  CHECK(slower.timed == std::vector{1});
}

/// Finalists as `compare` leaves them after six turns of these times and a percent of noise.
std::vector<Finalist> timed(const std::vector<double>& costs_us) {
  std::vector<int> unrolls(costs_us.size());
  std::iota(unrolls.begin(), unrolls.end(), 0);
  ScriptedEvaluator evaluator(
      noisy([&](int unroll) { return costs_us[static_cast<std::size_t>(unroll)]; }));
  std::vector<Finalist> result = finalists(unrolls);
  for (Finalist& finalist : result) {
    finalist.stays = true;
    finalist.is_out = costs_us[static_cast<std::size_t>(unroll_of(finalist.params))] == 0;
  }
  compare(evaluator, result, {.rounds = 6});
  return result;
}

TEST_CASE("Choice: for two shapes the one with the least product of its times") {
  CHECK(choose_for_both(timed({10, 10.5, 12}), timed({10, 8, 6}), 0, std::nullopt) == 2);
  CHECK(choose_for_both(timed({10, 10.5, 12}), timed({10, 8, 9}), 0, std::nullopt) == 1);
  CHECK(choose_for_both(timed({10, 10.5, 12}), timed({10, 10, 10}), 0, std::nullopt) == 0);
  // What was not timed for the other shape is not compared; nor is anything if the chosen was not.
  CHECK(choose_for_both(timed({10, 10.5, 12}), timed({10, 0, 9}), 0, std::nullopt) == 0);
  CHECK(choose_for_both(timed({10, 10.5, 12}), timed({0, 8, 6}), 0, std::nullopt) == 0);
}

TEST_CASE("Choice: the incumbent stays if no other is clearly faster for both shapes") {
  CHECK(choose_for_both(timed({10, 11}), timed({10, 9}), 0, 1) == 1);
  CHECK(choose_for_both(timed({10, 10.02}), timed({10, 10.02}), 0, 1) == 1);
  CHECK(choose_for_both(timed({10, 11}), timed({10, 10.5}), 0, 1) == 0);
  CHECK(choose_for_both(timed({10, 11}), timed({10, 0}), 0, 1) == 0);  // it was not timed there
}

TEST_CASE("TieBreak: what is kept for its time in a stream serves the other shape as well") {
  const std::array graph_us{10., 10.1, 10.19};
  const std::array stream_us{5., 4.2, 3.8};
  CHECK(break_three_ties(graph_us, stream_us, timed({10, 10, 10})).kept == 2);
  CHECK(break_three_ties(graph_us, stream_us, timed({10, 10, 11})).kept == 1);
  CHECK(break_three_ties(graph_us, stream_us, timed({10, 11, 0})).kept == 0);
  // Where the chosen one was not timed there, nothing is told.
  CHECK(break_three_ties(graph_us, stream_us, timed({0, 11, 11})).kept == 2);
}

TEST_CASE("TieBreak: what stores its result once is kept in the place of atomics") {
  const auto kept = [](std::array<double, 3> graph_us, std::array<double, 3> stream_us) {
    ScriptedEvaluator evaluator([&](const Workload&, const Trial& trial) {
      return graph_us[static_cast<std::size_t>(unroll_of(trial.params) / 2)];
    });
    evaluator.stream_cost = [&](const Trial& trial) {
      return stream_us[static_cast<std::size_t>(unroll_of(trial.params) / 2)];
    };
    std::vector<Finalist> candidates = finalists({1, 2, 4});
    for (Finalist& finalist : candidates) {
      const bool is_last = unroll_of(finalist.params) == 4;
      finalist.params =
          with_final_stage(finalist.params, is_last ? FinalStage::polling : FinalStage::atomic);
    }
    compare(evaluator, candidates, {.rounds = 2});
    return break_ties(evaluator, candidates, {}, 0);
  };
  CHECK(kept({30, 30.1, 30.5}, {33, 33, 33}) == 2);
  CHECK(kept({30, 30.1, 31.4}, {33, 33, 33}) == 2);
  CHECK(kept({30, 30.1, 31.6}, {33, 33, 33}) == 0);  // beyond 5%
  CHECK(kept({30, 30.1, 30.5}, {33, 33, 35}) == 0);  // slower in a stream
  CHECK(kept({300, 301, 301.9}, {303, 303, 303}) == 2);
  CHECK(kept({300, 301, 302.1}, {303, 303, 303}) == 0);  // more than 2 us
}

TEST_CASE("TieBreak: what stores its result once is found behind any number of atomics") {
  ScriptedEvaluator evaluator([](const Workload&, const Trial& trial) {
    return reduce_params(trial.params).final_stage == FinalStage::atomic ? 30.0 : 30.5;
  });
  std::vector<Finalist> candidates = finalists({1, 2, 4, 8, 16, 1, 2});
  for (Finalist& finalist : candidates) {
    finalist.params = with_final_stage(finalist.params, FinalStage::atomic);
  }
  candidates.back().params = with_final_stage(candidates.back().params, FinalStage::polling);
  compare(evaluator, candidates, {.rounds = 2});
  CHECK(break_ties(evaluator, candidates, {}, 0) == candidates.size() - 1);
}

TEST_CASE("TieBreak: a host that was disturbed once changes nothing") {
  ScriptedEvaluator evaluator([](const Workload&, const Trial&) { return 10.0; });
  int trials_of_1 = 0;
  evaluator.stream_cost = [&](const Trial& trial) {
    return unroll_of(trial.params) == 1 && ++trials_of_1 == 1 ? 6.0 : 5.0;
  };
  std::vector<Finalist> candidates = finalists({1, 2, 4});
  compare(evaluator, candidates, {.rounds = 2});
  CHECK(break_ties(evaluator, candidates, {}, 0) == 0);
  CHECK(trials_of_1 == 2);
}

TEST_CASE("TieBreak: where no time in a stream is measured, the chosen one is kept") {
  CHECK(break_three_ties({10, 10, 10}, {0, 0, 0}).kept == 0);
  CHECK(break_three_ties({10, 10, 10}, {5, 0, 0}).kept == 0);
}

}  // namespace
}  // namespace foldtune
