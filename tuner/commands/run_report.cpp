#include "tuner/commands/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "runtime/lookup.h"
#include "tuner/commands/row_fields.h"
#include "tuner/commands/run_histogram.h"
#include "tuner/format.h"
#include "tuner/reference.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Where the index of an indexed value is, in bytes.
constexpr std::size_t kIndexOffset = 8;

std::uint64_t index_of(const RunReport& report) {
  std::uint64_t index = 0;
  std::memcpy(&index, report.result.data() + kIndexOffset, sizeof(index));
  return index;
}

/// The number that follows the first one.
const std::byte* second_number(const RunReport& report) {
  return report.result.data() + size_of(report.problem.result_type());
}

OrderedJson result_json(const RunReport& report) {
  if (report.problem.op == Operator::histogram) return histogram_json(report);
  const ElementType type = report.problem.result_type();
  OrderedJson first = number_json(type, report.result.data());
  switch (result_shape(report.problem.op)) {
    case ResultShape::indexed_value:
      return {{"value", first}, {"index", index_of(report)}};
    case ResultShape::min_max:
      return {{"min", first}, {"max", number_json(type, second_number(report))}};
    case ResultShape::value:
      break;
  }
  return first;
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

OrderedJson number_json(ElementType type, const std::byte* number) {
  if (!is_floating(type)) return OrderedJson::parse(format_number_of(type, number));
  const auto value = static_cast<double>(read_number(type, number).floating);
  if (!std::isfinite(value)) return format_number_of(type, number);
  return value;
}

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
      {"device", report.device.id},
      {"device_name", report.device.record.name},
      {"config", OrderedJson::parse(report.explanation.config)},
      {"config_source", to_string(report.explanation.source)},
      {"config_reason", report.explanation.reason},
      {"tuned_count", report.explanation.tuned_count},
      {"tuned_us", report.explanation.tuned_us},
      {"median_us", report.median_us},
      {"calls", report.calls},
      {"bandwidth_gbps", report.gbps()},
  };
  print_indented(json);
}

void print_text(const RunReport& report) {
  const Explanation& explanation = report.explanation;
  fmt::print("result  {}\n", report.problem.op == Operator::histogram
                                 ? histogram_text(report)
                                 : format_result(report.problem, report.result.data()));
  fmt::print("what    {}\n", describe(report));
  fmt::print("device  {} ({})\n", report.device.id, report.device.record.name);
  fmt::print("config  {}\n", format_config(explanation.config));
  fmt::print("why     {}: {}\n", to_string(explanation.source), explanation.reason);
  if (explanation.source == ConfigSource::untuned_default) {
    fmt::print("        tune it: {}\n", report.tune_command);
  }
  fmt::print("time    {} per call and wait, {} GB/s (host clock, median of {} call{})\n",
             format_us(report.median_us), format_number(report.gbps()), report.calls,
             report.calls == 1 ? "" : "s");
}

}  // namespace foldtune
