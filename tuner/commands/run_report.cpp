#include "tuner/commands/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "templates/family.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;

void print_note(const RunReport& report) {
  const std::string note = report.task->note(report.result);
  if (!note.empty()) print_to(stderr, "foldtune: note: {}\n", note);
}

/// Of no elements nothing can be tuned, and nothing needs to be; of a pinned problem it would not
/// be used.
bool is_worth_tuning(const RunReport& report) {
  return report.explanation.source == ConfigSource::untuned_default &&
         !report.explanation.has_pins && input_bytes(report.task->workload()) > 0;
}

/// "sum f32 1000 in data.npy (op=sum type=f32 accumulator=f32 result=f32)".
std::string describe(const RunReport& report) {
  const Workload& workload = report.task->workload();
  return fmt::format("{} in {} ({})", to_string(workload), fmt::join(report.files, " and "),
                     field_text(workload.problem));
}

}  // namespace

double RunReport::gbps() const {
  return static_cast<double>(input_bytes(task->workload())) / median_us / 1e3;
}

void print_json(const RunReport& report) {
  const Workload& workload = report.task->workload();
  const bool is_tuned = report.explanation.source != ConfigSource::untuned_default;
  OrderedJson json{{"result", report.task->json(report.result, report.shape)},
                   {"files", report.files}};
  json.update(workload_json(workload));
  json.update({
      {"array_shape", report.shape},
      {"device", report.device.id},
      {"device_name", report.device.record.name},
      {"config", OrderedJson::parse(report.explanation.config)},
      {"config_source", to_string(report.explanation.source)},
      {"config_reason", report.explanation.reason},
      {"tune_command", is_worth_tuning(report) ? OrderedJson(report.tune_command) : OrderedJson()},
      {"tuned_shape",
       is_tuned ? OrderedJson(to_text(workload.problem.family(), report.explanation.tuned_shape))
                : OrderedJson()},
      {"tuned_us", is_tuned ? OrderedJson(report.explanation.tuned_us) : OrderedJson()},
      {"median_us", report.median_us},
      {"calls", report.calls},
      {"bandwidth_gbps", report.gbps()},
  });
  print_note(report);
  print_indented(json);
}

void print_text(const RunReport& report) {
  const Explanation& explanation = report.explanation;
  print_note(report);
  print_to(stdout, "result  {}\n", Lines{report.task->text(report.result, report.shape)});
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
