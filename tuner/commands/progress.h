/// The progress of a tuning as people see it.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include "tuner/session/tuner.h"

namespace foldtune {

/// "3/9 sum f32 2^16: 12 s left, best 3.215 us, 45 timed, 1 failed".
std::string format_progress(const TuneProgress& progress);

/// Of a ProblemResult: "1.04x"; "none" where the samples show no difference; "-": not compared.
std::string format_gain(const std::optional<Ratio>& gain);

/// "sum f32 2^16: 3.215 us, 81.5 GB/s, 1.42x the default's speed; 45 timed, 2 failed".
std::string format_result(const ProblemResult& result);

/// "sum f32 2^40: not tuned: allocating 4398046511104 bytes: out of memory", of the reason's first
/// line.
std::string format_failure(const ProblemFailure& failure);

/// Prints the progress: on a terminal as one line that is renewed, elsewhere as a line every couple
/// of seconds; and a line for each problem that is done.
class ProgressPrinter final : public TuneObserver {
 public:
  /// `terminal_width`: characters in a line of the terminal; 0 if `stream` is none.
  ProgressPrinter(std::FILE* stream, std::size_t terminal_width)
      : stream_(stream), width_(terminal_width) {}
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;
  /// Removes a line that is still to be renewed.
  ~ProgressPrinter() override;

  void on_start(double read_bandwidth_gbps) override;
  void on_preparing(const Workload& workload, double seconds) override;
  void on_progress(const TuneProgress& progress) override;
  void on_result(const ProblemResult& result) override;
  void on_failure(const ProblemFailure& failure) override;

 private:
  void clear_line();

  std::FILE* stream_;
  std::size_t width_;
  double shown_at_s_ = 0;  ///< of the tuning's elapsed time
  bool has_line_ = false;
};

}  // namespace foldtune
