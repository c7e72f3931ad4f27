#include "tuner/commands/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "runtime/lookup/lookup.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"
#include "tuner/text/table.h"
#include "tuner/verify/reference.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// A number of `type`. What JSON has no number for is a string: "inf", "-inf", "nan".
OrderedJson number_json(ElementType type, const std::byte* number) {
  if (!is_floating(type)) return OrderedJson::parse(format_number_of(type, number));
  const auto value = static_cast<double>(read_number(type, number).floating);
  if (!std::isfinite(value)) return format_number_of(type, number);
  return value;
}

/// Where the index of an indexed value is, in bytes.
constexpr std::size_t kIndexOffset = 8;

/// kNoIndex is -1.
std::int64_t index_of(const RunReport& report) {
  std::int64_t index = 0;
  std::memcpy(&index, report.result.data() + kIndexOffset, sizeof(index));
  return index;
}

bool is_indexed(const RunReport& report) {
  return result_shape(report.problem.op) == ResultShape::indexed_value;
}

/// The indices along the axes of what was found in an array that has several.
std::optional<Shape> indices_of(const RunReport& report) {
  if (!is_indexed(report) || report.shape.size() < 2 || index_of(report) < 0) return std::nullopt;
  return to_indices(report.shape, static_cast<std::uint64_t>(index_of(report)));
}

/// Of what NaN alone was in, and NaN is ignored, the result is no element's.
void note_no_element(const RunReport& report) {
  if (!is_indexed(report) || index_of(report) >= 0) return;
  print_to(stderr,
           "foldtune: note: no element counted, so there is no index: all {} are NaN, which "
           "--nan ignore drops\n",
           report.problem.count);
}

/// The number that follows the first one.
const std::byte* second_number(const RunReport& report) {
  return report.result.data() + size_of(report.problem.result_type());
}

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

/// That of the first bin, of keys of 8 bits.
int lowest_key(ElementType type) { return is_signed(type) ? -128 : 0; }

/// "17", or "[0.25, 0.5)" with a bracket at the end of the last one.
std::string describe_bin(const RunReport& report, std::size_t bin) {
  const HistogramShape& shape = report.problem.histogram;
  const ElementType type = report.problem.type;
  const char end = bin + 1 == shape.bins ? ']' : ')';
  const auto bound = [&](std::size_t number) {
    return describe_edge(report.problem, report.bins.bounds, static_cast<std::uint32_t>(number));
  };
  switch (shape.binning) {
    case Binning::even:
      return fmt::format("[{}, {}{}", bound(bin), bound(bin + 1), end);
    case Binning::custom:
      return fmt::format("[{}, {}{}", format_number_of(type, edge(report, bin)),
                         format_number_of(type, edge(report, bin + 1)), end);
    case Binning::key:
      break;
  }
  return fmt::format("{}", lowest_key(type) + static_cast<int>(bin));
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

OrderedJson bound_json(const BinBound& bound) {
  if (bound.is_integer()) return OrderedJson::parse(to_string(bound));
  return bound.nearest();
}

/// {"bins", "counted", "counts"}, and "range", "edges" or "first_key".
OrderedJson histogram_json(const RunReport& report) {
  const Counts counts = counts_of(report);
  OrderedJson json{{"bins", counts.size()},
                   {"counted", std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})},
                   {"counts", counts}};
  if (report.problem.histogram.binning == Binning::key) {
    json["first_key"] = lowest_key(report.problem.type);
  }
  if (report.problem.histogram.binning == Binning::even) {
    json["range"] = {bound_json(report.bins.bounds.lower), bound_json(report.bins.bounds.upper)};
  }
  if (report.problem.histogram.binning == Binning::custom) {
    OrderedJson& edges = json["edges"] = OrderedJson::array();
    for (std::size_t i = 0; i <= counts.size(); ++i) {
      edges.push_back(number_json(report.problem.type, edge(report, i)));
    }
  }
  return json;
}

/// How many elements were counted, and a line for each of the fullest bins.
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

OrderedJson result_json(const RunReport& report) {
  if (report.problem.op == Operator::histogram) return histogram_json(report);
  const ElementType type = report.problem.result_type();
  OrderedJson first = number_json(type, report.result.data());
  switch (result_shape(report.problem.op)) {
    case ResultShape::indexed_value: {
      OrderedJson json{{"value", first}, {"index", index_of(report)}};
      if (const auto indices = indices_of(report)) json["indices"] = *indices;
      return json;
    }
    case ResultShape::min_max:
      return {{"min", first}, {"max", number_json(type, second_number(report))}};
    case ResultShape::value:
      break;
  }
  return first;
}

std::string result_text(const RunReport& report) {
  if (report.problem.op == Operator::histogram) return histogram_text(report);
  std::string text = format_result(report.problem, report.result.data());
  if (const auto indices = indices_of(report)) {
    text += fmt::format(", [{}] of {}", fmt::join(*indices, ", "), format_shape(report.shape));
  }
  return text;
}

/// Of no elements nothing can be tuned, and nothing needs to be.
bool is_worth_tuning(const RunReport& report) {
  return report.explanation.source == ConfigSource::untuned_default && report.problem.count > 0;
}

/// "sum of 1000 f32 in data.npy, kept in f32".
std::string describe(const RunReport& report) {
  const Problem& problem = report.problem;
  const ProblemKey key = make_problem_key(problem);
  std::string text = fmt::format(
      "{} of {} {} in {}, kept in {}", problem.custom ? problem.custom->name : name(problem.op),
      problem.count, key.element_type, fmt::join(report.files, " and "), key.accumulator_type);
  if (name(problem.result_type()) != key.accumulator_type)
    text += fmt::format(", given in {}", name(problem.result_type()));
  if (has_ddof(problem.op)) text += fmt::format(", ddof {}", problem.ddof);
  if (problem.nan_policy == NanPolicy::ignore) text += ", NaN ignored";
  return text;
}

}  // namespace

void print_json(const RunReport& report) {
  const Problem& problem = report.problem;
  const ProblemKey key = make_problem_key(problem);
  const OrderedJson json{
      {"result", result_json(report)},
      {"files", report.files},
      {"op", key.op},
      {"element_type", key.element_type},
      {"accumulator_type", key.accumulator_type},
      {"result_type", name(problem.result_type())},
      {"determinism", key.determinism},
      {"nan_policy",
       has_nan_policy(problem.op) ? OrderedJson(name(problem.nan_policy)) : OrderedJson()},
      {"ddof", has_ddof(problem.op) ? OrderedJson(problem.ddof) : OrderedJson()},
      {"options", key.options},
      {"element_count", problem.count},
      {"shape", report.shape},
      {"device", report.device.id},
      {"device_name", report.device.record.name},
      {"config", OrderedJson::parse(report.explanation.config)},
      {"config_source", to_string(report.explanation.source)},
      {"config_reason", report.explanation.reason},
      {"tune_command", is_worth_tuning(report) ? OrderedJson(report.tune_command) : OrderedJson()},
      {"tuned_count", report.explanation.tuned_count},
      {"tuned_us", report.explanation.tuned_us},
      {"median_us", report.median_us},
      {"calls", report.calls},
      {"bandwidth_gbps", report.gbps()},
  };
  note_no_element(report);
  print_indented(json);
}

void print_text(const RunReport& report) {
  const Explanation& explanation = report.explanation;
  note_no_element(report);
  print_to(stdout, "result  {}\n", Lines{result_text(report)});
  print_to(stdout, "what    {}\n", describe(report));
  print_to(stdout, "device  {} ({})\n", report.device.id, report.device.record.name);
  print_to(stdout, "config  {}\n", format_config(explanation.config));
  print_to(stdout, "why     {}: {}\n", to_string(explanation.source), explanation.reason);
  if (is_worth_tuning(report)) print_to(stdout, "        tune it: {}\n", report.tune_command);
  print_to(stdout, "time    {} per call and wait, {} GB/s (host clock, median of {} call{})\n",
           format_us(report.median_us), format_number(report.gbps()), report.calls,
           report.calls == 1 ? "" : "s");
}

}  // namespace foldtune
