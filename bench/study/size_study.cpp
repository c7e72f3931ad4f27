// The study of sizes: what the best configuration of one size loses at others. The look-up's rule
// (runtime/lookup.cpp) rests on it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/study/carry.h"
#include "cache/config_store.h"
#include "foldtune/error.h"
#include "tuner/problem_key.h"
#include "tuner/replay/landscape.h"

namespace foldtune {
namespace {

constexpr const char* kDescription = R"(
Shows how much longer calls take with the best configuration of another size than with their own.

Reads a folder of landscapes, or a tuning database in which everything was tried for several sizes:

    foldtune tune --op sum --type f32 --n 2^12..2^28 --effort exhaustive --db sizes.db
    size_study sizes.db

A loss counts against the fastest of all that were tried once, which luck makes a little faster
than it is.
)";

/// Everything that the database holds, a landscape for each key of a best result.
std::vector<Landscape> stored_landscapes(const std::string& file) {
  const std::unique_ptr<const ConfigStore> store = open_sqlite_store(file, OpenMode::read_only);
  std::vector<Landscape> landscapes;
  for (const StoredResult& best : store->best()) {
    const ProblemKey& key = best.measurement.problem;
    const std::optional<Problem> problem = read_problem(key, best.measurement.count);
    if (!problem || is_custom(key)) continue;
    std::vector<MeasurementRecord> records;
    for (StoredResult& row : store->measurements_of(tuning_key(best.run, key))) {
      records.push_back(std::move(row.measurement));
    }
    landscapes.push_back(make_landscape(best.run, *problem, records));
  }
  return landscapes;
}

int study(const std::string& source, int most) {
  const std::vector<Landscape> landscapes =
      std::filesystem::is_directory(source) ? read_landscapes(source) : stored_landscapes(source);
  std::vector<Ground> grounds;
  for (const Landscape& landscape : landscapes) {
    Ground ground(landscape);
    if (ground.optimum_us() > 0) grounds.push_back(std::move(ground));
  }
  fmt::print("{} landscapes\n\n{}", grounds.size(), format_carrying(study_carrying(grounds, most)));
  return 0;
}

int run(int argc, char** argv) {
  std::string source;
  int most = 3;
  CLI::App app(kDescription, "size_study");
  app.add_option("SOURCE", source, "A tuning database, or a folder of landscapes")->required();
  app.add_option("--most", most, "Size classes that a configuration is carried")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return study(source, most);
}

}  // namespace
}  // namespace foldtune

int main(int argc, char** argv) {
  try {
    return foldtune::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "size_study: error: {}\n", error.what());
    return 2;
  }
}
