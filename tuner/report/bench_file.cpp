#include "tuner/report/bench_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "foldtune/catalog.h"
#include "tuner/file_error.h"
#include "tuner/whole_file.h"

namespace foldtune {
namespace {

using Json = nlohmann::json;

/// Of the JSON that the bench writes.
constexpr int kSchemaVersion = 2;

/// The manner in which the tuner measures, too.
constexpr std::string_view kGraph = "graph";

/// "CUB 3.0.1", if the contender's run has its version.
std::string name_of(const std::string& contender, const Json& run) {
  if (contender == "tuned") return "Foldtune, tuned, in the bench";
  const Json& versions = run.at("versions");
  const auto version = versions.find(contender);
  return version == versions.end() ? contender : contender + ' ' + version->get<std::string>();
}

/// Whether the figure is one of those that can stand beside tuned times.
bool is_wanted(const Json& figure) {
  return figure.at("manner") == kGraph && figure.at("alignment") == name(Alignment::vector) &&
         figure.at("contender") != "untuned";
}

void add(std::vector<BenchSeries>& all, const Json& figure, const Json& runs) {
  BenchSeries series{
      .name = name_of(figure.at("contender"), runs.at(figure.at("run").get<std::size_t>())),
      .op = figure.at("op"),
      .type = figure.at("type"),
      .accumulator = figure.at("accumulator"),
      .options = figure.at("options")};
  auto found = std::ranges::find_if(all, [&](const BenchSeries& one) {
    return one.name == series.name && one.op == series.op && one.type == series.type &&
           one.accumulator == series.accumulator && one.options == series.options;
  });
  if (found == all.end()) found = all.insert(all.end(), std::move(series));
  found->points.push_back({.count = figure.at("n"), .median_us = figure.at("median_us")});
}

void sort_points(std::vector<BenchSeries>& all) {
  for (BenchSeries& series : all) {
    std::ranges::sort(series.points, {}, &BenchSeries::Point::count);
  }
}

/// "graph" if there is one such figure, else the manner that there is.
std::string manner_of(const Json& figures) {
  std::string manner;
  for (const Json& figure : figures) {
    manner = figure.at("manner");
    if (manner == kGraph) break;
  }
  return manner;
}

}  // namespace

BenchReport read_bench_report(const std::string& path) {
  const std::string text = read_whole_file(path, "bench report");
  try {
    const Json json = Json::parse(text);
    if (json.at("schema_version") != kSchemaVersion) {
      throw FileError(fmt::format(
          "reading the bench report {}: it is of version {}, and this Foldtune knows version {}; "
          "run the bench of this Foldtune",
          path, json.at("schema_version").dump(), kSchemaVersion));
    }
    const Json& runs = json.at("runs");
    BenchReport report{.file = std::filesystem::path(path).filename().string(),
                       .date = runs.at(0).at("date"),
                       .device = runs.at(0).at("device"),
                       .method = manner_of(json.at("figures"))};
    for (const Json& figure : json.at("figures")) {
      if (is_wanted(figure)) add(report.series, figure, runs);
    }
    sort_points(report.series);
    return report;
  } catch (const Json::exception& error) {
    throw FileError(
        fmt::format("reading the bench report {}: {}; give what foldtune_bench --json wrote", path,
                    error.what()));
  }
}

}  // namespace foldtune
