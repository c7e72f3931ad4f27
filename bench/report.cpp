#include "bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "tuner/format.h"

namespace foldtune::bench {
namespace {

using Json = nlohmann::ordered_json;

/// Raised when a reader of the JSON has to change.
constexpr int kSchemaVersion = 2;

const Figure* find(const Row& row, std::string_view contender) {
  const auto found = std::ranges::find(row.figures, contender, &Figure::contender);
  return found == row.figures.end() ? nullptr : &*found;
}

bool is_library(const Figure& figure) { return figure.source.empty(); }

/// Of the fastest library, over tuned Foldtune's; empty without one.
std::optional<double> ratio_of(const Row& row) {
  const Figure* const tuned = find(row, "tuned");
  double best_us = 0;
  for (const Figure& figure : row.figures) {
    if (is_library(figure) && (best_us == 0 || figure.median_us < best_us)) {
      best_us = figure.median_us;
    }
  }
  if (tuned == nullptr || best_us == 0) return std::nullopt;
  return best_us / tuned->median_us;
}

/// "2^20" for a power of two, else "1000003".
std::string format_count(std::uint64_t count) {
  if (std::has_single_bit(count)) return fmt::format("2^{}", std::countr_zero(count));
  return fmt::format("{}", count);
}

std::string format_us(const Figure* figure) {
  return figure == nullptr ? std::string("-") : fmt::format("{:.3f}", figure->median_us);
}

constexpr const char* kRowFormat = "{:>10} {:>10} {:>10} {:>10} {:>10} {:>7} {:>6}  {:<9}  {}";

Json figure_json(const Row& row, const Figure& figure) {
  Json json{{"case", row.case_name},
            {"n", row.problem.count},
            {"bytes", row.problem.input_bytes()},
            {"method", name(row.manner)},
            {"contender", figure.contender},
            {"median_us", figure.median_us},
            {"mad_us", figure.mad_us},
            {"samples_us", figure.samples_us}};
  if (!is_library(figure)) {
    json["config"] = Json::parse(figure.config);
    json["source"] = figure.source;
  }
  return json;
}

}  // namespace

std::string format_provenance(const Provenance& provenance) {
  return fmt::format(
      "date     {}\n"
      "device   {} ({}), driver {}, read bandwidth {:.0f} GB/s\n"
      "versions CUDA {}, CUB {}, {}\n"
      "command  {}\n"
      "us per call, medians of {} interleaved rounds; best/tuned: of the fastest library",
      provenance.date, provenance.device, provenance.architecture, provenance.driver,
      provenance.read_bandwidth_gbps, provenance.cuda, provenance.cub, provenance.compiler,
      provenance.command, provenance.rounds);
}

std::string format_header(const std::string& case_name, Manner manner) {
  return fmt::format("\n{} ({})\n", case_name, name(manner)) +
         fmt::format(kRowFormat, "n", "tuned", "untuned", "CUB", "cuBLAS", "best/t", "GB/s",
                     "source", "configuration");
}

std::string format_row(const Row& row) {
  const Figure* const tuned = find(row, "tuned");
  const std::optional<double> ratio = ratio_of(row);
  return fmt::format(kRowFormat, format_count(row.problem.count), format_us(tuned),
                     format_us(find(row, "untuned")), format_us(find(row, "CUB")),
                     format_us(find(row, "cuBLAS")), ratio ? fmt::format("{:.3f}", *ratio) : "-",
                     fmt::format("{:.0f}", static_cast<double>(row.problem.input_bytes()) /
                                               tuned->median_us / 1e3),
                     tuned->source, format_config(tuned->config));
}

std::string format_summary(const std::vector<Row>& rows) {
  double sum = 0;
  int count = 0;
  const Row* least = nullptr;
  for (const Row& row : rows) {
    const std::optional<double> ratio = ratio_of(row);
    if (!ratio) continue;
    sum += std::log(*ratio);
    ++count;
    if (least == nullptr || *ratio < *ratio_of(*least)) least = &row;
  }
  if (count == 0) return {};
  return fmt::format("best/tuned: geometric mean {:.3f}, least {:.3f} ({} {})",
                     std::exp(sum / count), *ratio_of(*least), least->case_name,
                     format_count(least->problem.count));
}

std::string to_json(const Provenance& provenance, const std::vector<Row>& rows) {
  Json json{
      {"schema_version", kSchemaVersion}, {"date", provenance.date},
      {"device", provenance.device},      {"architecture", provenance.architecture},
      {"driver", provenance.driver},      {"read_bandwidth_gbps", provenance.read_bandwidth_gbps},
      {"cuda", provenance.cuda},          {"cub", provenance.cub},
      {"compiler", provenance.compiler},  {"command", provenance.command},
      {"rounds", provenance.rounds},      {"seed", provenance.seed},
      {"figures", Json::array()}};
  for (const Row& row : rows) {
    for (const Figure& figure : row.figures) json["figures"].push_back(figure_json(row, figure));
  }
  return json.dump();
}

}  // namespace foldtune::bench
