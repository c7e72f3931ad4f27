// The study of the searches: every search on every recorded landscape, many times over.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/study/replay.h"
#include "tuner/exchange/kernel_tuner.h"
#include "tuner/search/search.h"
#include "tuner/search/seeds.h"
#include "tuner/text/table.h"

namespace foldtune {
namespace {

constexpr const char* kDescription = R"(
Replays searches over recorded landscapes: which share of the runs tried a configuration within 5% of
the optimum, after so many evaluations.

cold    without seeds; a search may begin with the configuration that is used untuned
seeded  after the best of the other landscapes, of the most alike problem first

A landscape is a file of `foldtune landscape --kernel-tuner`.
)";

/// Evaluations after which the share of the runs is asked for.
constexpr std::array kBudgets{5, 10, 20, 50, 100, 200};

/// Seeds from other landscapes.
constexpr std::size_t kSeeds = 3;

// What --check asks of the search "default".
constexpr double kShareAsked = 0.9;  ///< of the runs
constexpr int kColdBudget = 50;      ///< evaluations, without seeds
constexpr int kSeededBudget = 10;    ///< evaluations, with seeds

/// Of the runs, by budget.
using Shares = std::map<int, double>;

std::vector<Config> seeds_for(const Ground& ground, const std::vector<Ground>& all) {
  std::vector<Known> known;
  for (const Ground& other : all) {
    if (&other == &ground) continue;
    known.push_back({.workload = other.landscape().workload, .params = other.best().params});
  }
  return seeds_from(known, ground.landscape().workload, kSeeds);
}

Shares run_all(const std::vector<Ground>& grounds, std::string_view search, bool seeded, int runs) {
  Shares shares;
  const double part = 1.0 / static_cast<double>(grounds.size()) / runs;
  for (const Ground& ground : grounds) {
    const std::vector<Config> seeds = seeded ? seeds_for(ground, grounds) : std::vector<Config>();
    for (int seed = 1; seed <= runs; ++seed) {
      const int evaluations = replay(ground, search, seeds, static_cast<std::uint64_t>(seed),
                                     {.budget = kBudgets.back()});
      for (const int budget : kBudgets) shares[budget] += evaluations <= budget ? part : 0;
    }
  }
  return shares;
}

/// Whether the search "default" does what is asked of it; says what it does not.
bool check(const std::map<std::string, Shares>& cold, const std::map<std::string, Shares>& seeded) {
  bool holds = true;
  const auto require = [&](bool condition, const std::string& what) {
    if (!condition) fmt::print(stderr, "check: {}\n", what);
    holds = holds && condition;
  };
  const auto require_share = [&](const char* title, double share, int budget) {
    require(share >= kShareAsked,
            fmt::format("{}, {:.1f}% of the runs are within 5% after {} evaluations", title,
                        100 * share, budget));
  };
  require_share("cold", cold.at("default").at(kColdBudget), kColdBudget);
  require_share("seeded", seeded.at("default").at(kSeededBudget), kSeededBudget);
  for (const int budget : kBudgets) {
    require(cold.at("default").at(budget) >= cold.at("random").at(budget),
            fmt::format("after {} evaluations a random search is better", budget));
  }
  return holds;
}

int study(const std::vector<std::string>& files, int runs, bool is_checked) {
  std::vector<Landscape> landscapes;
  for (const std::string& file : files) landscapes.push_back(read_kernel_tuner_cache(file));
  const std::vector<Ground> grounds(landscapes.begin(), landscapes.end());
  fmt::print("{} landscapes, {} runs each\n\n", grounds.size(), runs);

  std::vector<Column> columns{{"search"}};
  for (const int budget : kBudgets) columns.push_back({fmt::to_string(budget), Align::right});
  Table table(columns);
  std::map<bool, std::map<std::string, Shares>> shares;
  for (const bool seeded : {false, true}) {
    for (const std::string_view search : search_names()) {
      if (search == "exhaustive") continue;  // which goes by number
      std::vector<std::string> row{fmt::format("{}, {}", search, seeded ? "seeded" : "cold")};
      for (const auto& [budget, share] :
           shares[seeded][std::string(search)] = run_all(grounds, search, seeded, runs)) {
        row.push_back(fmt::format("{:.0f}%", 100 * share));
      }
      table.add_row(std::move(row));
    }
  }
  fmt::print("{}", table.to_string(0));
  return !is_checked || check(shares[false], shares[true]) ? 0 : 1;
}

int run(int argc, char** argv) {
  std::vector<std::string> files;
  int runs = 100;
  bool is_checked = false;
  CLI::App app(kDescription, "search_study");
  app.add_option("FILE", files, "Landscapes")->required();
  app.add_option("--runs", runs, "Of each search on each landscape")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--check", is_checked,
               "Exit with 1 unless \"default\" is within 5% in 90% of the runs, cold after 50 "
               "evaluations and seeded after 10, and never behind random");
  CLI11_PARSE(app, argc, argv);
  return study(files, runs, is_checked);
}

}  // namespace
}  // namespace foldtune

int main(int argc, char** argv) {
  try {
    return foldtune::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "search_study: error: {}\n", error.what());
    return 2;
  }
}
