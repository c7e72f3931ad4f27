#include "tuner/report/bench_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "tuner/file_error.h"

namespace foldtune {
namespace {

using Json = nlohmann::json;

/// Of the JSON that the bench writes.
constexpr int kSchemaVersion = 1;

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kNames{{
    {"cub", "CUB"},
    {"cublas", "cuBLAS"},
    {"cupy", "CuPy"},
    {"torch", "PyTorch"},
    {"tuned", "Foldtune, tuned, in the bench"},
}};

/// "CUB 3.0.1", if the report has the library's version under its name.
std::string name_of(const std::string& competitor, const Json& report) {
  const auto* const found =
      std::ranges::find(kNames, competitor, [](const auto& name) { return name.first; });
  std::string text = found == kNames.end() ? competitor : std::string(found->second);
  const auto version = report.find(competitor);
  if (version != report.end() && version->is_string()) {
    text += ' ' + version->get<std::string>();
  }
  return text;
}

/// What a row says of a competitor is an object with its times.
bool is_competitor(const std::string& key, const Json& value) {
  return key != "untuned" && value.is_object() && value.contains("median_us");
}

std::vector<BenchSeries> read_comparison(const Json& comparison, const Json& report) {
  std::vector<BenchSeries> all;
  for (const Json& row : comparison.at("rows")) {
    for (const auto& [key, value] : row.items()) {
      if (!is_competitor(key, value)) continue;
      const std::string name = name_of(key, report);
      auto series = std::ranges::find(all, name, &BenchSeries::name);
      if (series == all.end()) {
        series = all.insert(all.end(), {.name = name,
                                        .op = comparison.at("op"),
                                        .type = comparison.at("type"),
                                        .accumulator = comparison.at("accumulator")});
      }
      series->points.push_back({.count = row.at("n"), .median_us = value.at("median_us")});
    }
  }
  return all;
}

std::string read_text(const std::string& path) {
  errno = 0;
  const std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  const bool is_read =
      stream.is_open() && (text.good() || errno == 0);  // an empty file is read, too
  if (!is_read) {
    throw FileError(
        fmt::format("reading the bench report {}: {}; give what foldtune_bench --json "
                    "wrote",
                    path, std::generic_category().message(errno != 0 ? errno : EIO)));
  }
  return text.str();
}

}  // namespace

BenchReport read_bench_report(const std::string& path) {
  const std::string text = read_text(path);
  try {
    const Json json = Json::parse(text);
    if (json.at("schema_version") != kSchemaVersion) {
      throw FileError(fmt::format(
          "reading the bench report {}: it is of version {}, and this Foldtune knows version {}; "
          "run the bench of this Foldtune",
          path, json.at("schema_version").dump(), kSchemaVersion));
    }
    BenchReport report{.file = std::filesystem::path(path).filename().string(),
                       .date = json.at("date"),
                       .device = json.at("device"),
                       .method = json.at("method")};
    for (const Json& comparison : json.at("comparisons")) {
      for (BenchSeries& series : read_comparison(comparison, json)) {
        report.series.push_back(std::move(series));
      }
    }
    return report;
  } catch (const Json::exception& error) {
    throw FileError(
        fmt::format("reading the bench report {}: {}; give what foldtune_bench --json wrote", path,
                    error.what()));
  }
}

}  // namespace foldtune
