/// What `foldtune run` says of a result.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "foldtune/problem.h"
#include "foldtune/reducer.h"
#include "runtime/device/device.h"
#include "tuner/commands/bin_options.h"
#include "tuner/files/input_array.h"

namespace foldtune {

/// What was computed, and how.
struct RunReport {
  Problem problem;
  std::vector<std::string> files;
  Shape shape;                    ///< of the first one
  Bins bins;                      ///< of a histogram
  std::vector<std::byte> result;  ///< as it was in the device's memory
  DeviceInfo device;
  Explanation explanation;
  double median_us = 0;
  int calls = 0;
  std::string tune_command;  ///< what would tune this

  double gbps() const { return static_cast<double>(problem.input_bytes()) / median_us / 1e3; }
};

void print_json(const RunReport& report);
void print_text(const RunReport& report);

}  // namespace foldtune
