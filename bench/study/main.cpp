// The study of the searches: every search on every recorded landscape, many times over.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "bench/study/replay.h"
#include "bench/study/report.h"
#include "foldtune/error.h"
#include "tuner/replay/landscape.h"
#include "tuner/search/search.h"
#include "tuner/search/seeds.h"

namespace foldtune {
namespace {

constexpr const char* kDescription = R"(
Replays searches over recorded landscapes, and shows how many evaluations they take.

cold    without seeds; a search may begin with the configuration that is used untuned
seeded  after the best of the other landscapes, of the most alike problem first

to 5%   evaluations until a configuration within 5 % of the optimum was tried, the median over
        landscapes and random seeds; p90: of the slowest tenth. An evaluation is two samples.
@50     the share of the runs that tried such a configuration within 50 evaluations
~s      seconds to 5 %, estimated: a compilation and 200 calls for each evaluation
)";

/// Seeds from other landscapes.
constexpr std::size_t kSeeds = 3;

// What --check asks of the search "default".
constexpr double kShareAsked = 0.9;  ///< of the runs, within 5 % of the optimum
constexpr int kColdBudget = 50;      ///< evaluations, without seeds
constexpr int kSeededBudget = 5;     ///< evaluations, with seeds

struct Arguments {
  std::string folder;
  std::vector<std::string> searches;
  int runs = 100;
  bool by_landscape = false;
  bool check = false;
  ReplaySettings settings;
};

/// All runs of one search, by landscape.
using Runs = std::vector<std::vector<Run>>;

std::vector<Params> seeds_for(const Ground& ground, const std::vector<Ground>& all) {
  std::vector<Known> known;
  for (const Ground& other : all) {
    const LandscapePoint* const best = find_optimum(other.landscape());
    if (&other == &ground || best == nullptr) continue;
    known.push_back({.problem = other.landscape().problem, .params = best->params});
  }
  return seeds_from(known, ground.landscape().problem, kSeeds);
}

Runs run_all(const std::vector<Ground>& grounds, std::string_view search, bool seeded,
             const Arguments& arguments) {
  Runs runs;
  for (const Ground& ground : grounds) {
    const std::vector<Params> seeds = seeded ? seeds_for(ground, grounds) : std::vector<Params>();
    std::vector<Run>& of_ground = runs.emplace_back();
    for (int seed = 1; seed <= arguments.runs; ++seed) {
      of_ground.push_back(
          replay(ground, search, seeds, static_cast<std::uint64_t>(seed), arguments.settings));
    }
  }
  return runs;
}

Summary summarise_all(const Runs& runs) {
  std::vector<Run> all;
  for (const auto& of_ground : runs) all.insert(all.end(), of_ground.begin(), of_ground.end());
  return summarise(all);
}

double share_at(const Summary& summary, int budget) {
  const auto place = std::ranges::find(kBudgets, budget) - kBudgets.begin();
  return summary.share.at(static_cast<std::size_t>(place));
}

/// Whether the search "default" does what is asked of it; says what it does not.
bool check(const std::map<std::string, Summary>& cold,
           const std::map<std::string, Summary>& seeded) {
  bool holds = true;
  const auto require = [&](bool condition, const std::string& what) {
    if (!condition) fmt::print(stderr, "check: {}\n", what);
    holds = holds && condition;
  };
  const Summary& ours = cold.at("default");
  require(share_at(ours, kColdBudget) >= kShareAsked,
          fmt::format("cold, {:.1f} % of the runs are within 5 % after {} evaluations",
                      100 * share_at(ours, kColdBudget), kColdBudget));
  for (const int budget : kBudgets) {
    require(share_at(ours, budget) >= share_at(cold.at("random"), budget),
            fmt::format("after {} evaluations a random search is better", budget));
  }
  require(share_at(seeded.at("default"), kSeededBudget) >= kShareAsked,
          fmt::format("seeded, {:.1f} % of the runs are within 5 % after {} evaluations",
                      100 * share_at(seeded.at("default"), kSeededBudget), kSeededBudget));
  return holds;
}

std::vector<Ground> make_grounds(const std::vector<Landscape>& landscapes) {
  std::vector<Ground> grounds;
  for (const Landscape& landscape : landscapes) {
    Ground ground(landscape);
    const std::string name = to_string(landscape.problem);
    if (ground.optimum_us() == 0) {
      throw InvalidArgument(fmt::format("studying {}: nothing in it succeeded", name));
    }
    if (ground.missing() > 0) {
      fmt::print(stderr,
                 "note: {}: {} of {} configurations were not recorded, and count as failed\n", name,
                 ground.missing(), ground.candidates()->size());
    }
    grounds.push_back(std::move(ground));
  }
  return grounds;
}

int study(Arguments arguments) {
  if (arguments.searches.empty()) {
    for (const std::string_view name : search_names()) arguments.searches.emplace_back(name);
  }
  for (const char* needed : {"random", "default"}) {
    const bool is_there = std::ranges::count(arguments.searches, needed) > 0;
    const bool is_needed = arguments.check || needed == std::string_view("random");
    if (is_needed && !is_there) arguments.searches.emplace_back(needed);
  }
  const std::vector<Landscape> landscapes = read_landscapes(arguments.folder);
  const std::vector<Ground> grounds = make_grounds(landscapes);
  fmt::print("{} landscapes, {} runs each, {} in flight, noise {}\n\n", grounds.size(),
             arguments.runs, arguments.settings.in_flight, arguments.settings.noise);

  std::map<bool, std::map<std::string, Summary>> summaries;
  for (const bool seeded : {false, true}) {
    const char* const title = seeded ? "seeded" : "cold";
    std::vector<Row> rows;
    for (const std::string& search : arguments.searches) {
      const Runs runs = run_all(grounds, search, seeded, arguments);
      summaries[seeded][search] = summarise_all(runs);
      rows.push_back({search, summaries[seeded][search]});
      if (!arguments.by_landscape) continue;
      for (std::size_t i = 0; i < grounds.size(); ++i) {
        rows.push_back(
            {fmt::format("  {}", to_string(grounds[i].landscape().problem)), summarise(runs[i])});
      }
    }
    fmt::print("{}\n", format_rows(title, rows, arguments.settings.budget));
  }
  return !arguments.check || check(summaries[false], summaries[true]) ? 0 : 1;
}

int run(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(kDescription, "search_study");
  app.add_option("FOLDER", arguments.folder, "Holds the landscapes")->required();
  app.add_option("--search", arguments.searches, "These alone, and random")->delimiter(',');
  app.add_option("--runs", arguments.runs, "Of each search on each landscape")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--noise", arguments.settings.noise, "Of the recorded deviations")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--in-flight", arguments.settings.in_flight,
                 "Proposals made before the first is reported")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--budget", arguments.settings.budget, "Evaluations of a run")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--by-landscape", arguments.by_landscape, "Show each landscape, too");
  app.add_flag("--check", arguments.check,
               "Exit with 1 unless \"default\" is within 5 % in 90 % of the runs, cold after 50 "
               "evaluations and seeded after 5, and never behind random");
  CLI11_PARSE(app, argc, argv);
  return study(arguments);
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
