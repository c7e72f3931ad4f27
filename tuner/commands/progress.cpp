#include "tuner/commands/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/text/format.h"
#include "tuner/text/print.h"
#include "tuner/text/table.h"

namespace foldtune {
namespace {

// Smooth to the eye, and nothing beside a measurement.
constexpr double kTerminalPeriodS = 0.1;
constexpr double kPlainPeriodS = 2;

std::string failures(int failed) {
  return failed == 0 ? std::string() : fmt::format(", {} failed", failed);
}

/// Whether it is that of the default itself, or one that the samples do not show.
bool is_none(const Ratio& gain) { return gain.value == 1 || gain.is_within_noise(); }

}  // namespace

std::string format_progress(const TuneProgress& progress) {
  // What matters least comes last, where a narrow terminal cuts it.
  std::string text = fmt::format("{}/{} {}: ", progress.problem_index + 1, progress.problem_count,
                                 to_string(progress.workload));
  if (progress.budget_s > 0) {
    text += format_seconds(std::max(0.0, progress.budget_s - progress.elapsed_s)) + " left";
  } else {
    text += format_seconds(progress.elapsed_s);
  }
  if (progress.best_us > 0) text += fmt::format(", best {}", format_us(progress.best_us));
  return text + fmt::format(", {} timed{}", progress.measured, failures(progress.failed));
}

std::string format_gain(const std::optional<Ratio>& gain) {
  if (!gain) return "-";
  return is_none(*gain) ? "none" : fmt::format("{:.2f}x", gain->value);
}

std::string format_result(const ProblemResult& result) {
  std::string text = fmt::format("{}: {}, {} GB/s", to_string(result.workload),
                                 format_us(result.best_us), format_number(result.gbps));
  if (result.gain) {
    const std::string gain = format_gain(result.gain);
    text +=
        gain == "none" ? ", as fast as the default" : fmt::format(", {} the default's speed", gain);
  }
  text += fmt::format("; {} timed{}", result.measured, failures(result.failed));
  if (result.known > 0) text += fmt::format(" ({} of them earlier)", result.known);
  return text;
}

std::string format_failure(const ProblemFailure& failure) {
  return fmt::format("{}: not tuned: {}", to_string(failure.workload),
                     failure.reason.substr(0, failure.reason.find('\n')));
}

ProgressPrinter::~ProgressPrinter() { clear_line(); }

void ProgressPrinter::clear_line() {
  if (has_line_) std::fputs("\r\x1b[K", stream_);
  has_line_ = false;
  std::fflush(stream_);
}

void ProgressPrinter::on_start(double read_bandwidth_gbps) {
  if (read_bandwidth_gbps <= 0) return;
  print_to(stream_, "measured read bandwidth: {} GB/s\n", format_number(read_bandwidth_gbps));
}

void ProgressPrinter::on_preparing(const Workload& workload, double seconds) {
  clear_line();
  print_to(stream_, "{}: to make its inputs and the result to expect takes about {}\n",
           to_string(workload), format_seconds(std::ceil(seconds)));
  std::fflush(stream_);
}

void ProgressPrinter::on_progress(const TuneProgress& progress) {
  const bool is_terminal = width_ > 0;
  const double period = is_terminal ? kTerminalPeriodS : kPlainPeriodS;
  if (progress.elapsed_s < shown_at_s_ + period) return;
  shown_at_s_ = progress.elapsed_s;
  const std::string line = format_progress(progress);
  if (!is_terminal) {
    print_to(stream_, "{}\n", line);
    return;
  }
  // One column stays free: a full line would wrap on some terminals.
  print_to(stream_, "\r\x1b[K{}", cut(line, width_ - 1));
  std::fflush(stream_);
  has_line_ = true;
}

void ProgressPrinter::on_result(const ProblemResult& result) {
  clear_line();
  print_to(stream_, "{}\n", format_result(result));
}

void ProgressPrinter::on_failure(const ProblemFailure& failure) {
  clear_line();
  print_to(stream_, "{}\n", format_failure(failure));
}

}  // namespace foldtune
