#include "tuner/commands/run_histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tuner/reference.h"
#include "tuner/table.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;
using Counts = std::vector<std::uint64_t>;

/// Bins that are shown to people.
constexpr std::size_t kShownBins = 10;

Counts counts_of(const RunReport& report) {
  const ElementType type = report.problem.result_type();
  Counts counts(report.problem.histogram.bins);
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    counts[bin] = read_number(type, report.result.data() + bin * size_of(type)).integer;
  }
  return counts;
}

const std::byte* edge(const RunReport& report, std::size_t number) {
  return report.bins.edges.data() + number * size_of(report.problem.type);
}

/// "17", or "[0.25, 0.5)" with a bracket at the end of the last one.
std::string describe_bin(const RunReport& report, std::size_t bin) {
  const HistogramShape& shape = report.problem.histogram;
  const ElementType type = report.problem.type;
  const char end = bin + 1 == shape.bins ? ']' : ')';
  const BinBounds& bounds = report.bins.bounds;
  const auto bound = [&](std::size_t number) {
    const double part = static_cast<double>(number) / shape.bins;
    return bounds.lower + part * (bounds.upper - bounds.lower);
  };
  switch (shape.binning) {
    case Binning::even:
      return fmt::format("[{:.7g}, {:.7g}{}", bound(bin), bound(bin + 1), end);
    case Binning::custom:
      return fmt::format("[{}, {}{}", format_number_of(type, edge(report, bin)),
                         format_number_of(type, edge(report, bin + 1)), end);
    case Binning::key:
      break;
  }
  const int lowest = is_signed(type) ? -128 : 0;
  return fmt::format("{}", lowest + static_cast<int>(bin));
}

/// Bins that hold something, the fullest first, and of equals the lowest.
std::vector<std::size_t> fullest_bins(const Counts& counts) {
  std::vector<std::size_t> bins(counts.size());
  std::iota(bins.begin(), bins.end(), std::size_t{0});
  std::ranges::stable_sort(bins, std::ranges::greater(),
                           [&](std::size_t bin) { return counts[bin]; });
  bins.resize(std::min(bins.size(), kShownBins));
  std::erase_if(bins, [&](std::size_t bin) { return counts[bin] == 0; });
  return bins;
}

}  // namespace

OrderedJson histogram_json(const RunReport& report) {
  const Counts counts = counts_of(report);
  OrderedJson json{{"bins", counts.size()},
                   {"counted", std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})},
                   {"counts", counts}};
  if (report.problem.histogram.binning == Binning::even) {
    json["range"] = {report.bins.bounds.lower, report.bins.bounds.upper};
  }
  if (report.problem.histogram.binning == Binning::custom) {
    OrderedJson& edges = json["edges"] = OrderedJson::array();
    for (std::size_t i = 0; i <= counts.size(); ++i) {
      edges.push_back(number_json(report.problem.type, edge(report, i)));
    }
  }
  return json;
}

std::string histogram_text(const RunReport& report) {
  const Counts counts = counts_of(report);
  const std::uint64_t counted = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const std::vector<std::size_t> fullest = fullest_bins(counts);
  std::string text = fmt::format("{} bins, {} of {} elements counted", counts.size(), counted,
                                 report.problem.count);
  if (fullest.empty()) return text;
  Table table({{"        bin", Align::right},
               {report.problem.histogram.binning == Binning::key ? "key" : "range", Align::right},
               {"count", Align::right},
               {"%", Align::right}});
  for (const std::size_t bin : fullest) {
    table.add_row({fmt::to_string(bin), describe_bin(report, bin), fmt::to_string(counts[bin]),
                   fmt::format("{:.2f}", 100.0 * static_cast<double>(counts[bin]) /
                                             static_cast<double>(counted))});
  }
  text += '\n' + table.to_string(0);
  text.pop_back();  // the end of the last line
  return text;
}

}  // namespace foldtune
