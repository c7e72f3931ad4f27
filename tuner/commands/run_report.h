/// What `foldtune run` says of a result.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "foldtune/explanation.h"
#include "runtime/device/device.h"
#include "tuner/commands/run_task.h"
#include "tuner/files/input_array.h"

namespace foldtune {

/// What was computed, and how.
struct RunReport {
  std::unique_ptr<RunTask> task;
  std::vector<std::string> files;
  ArrayShape shape;               ///< of the first one
  std::vector<std::byte> result;  ///< as it was in the device's memory
  DeviceInfo device;
  Explanation explanation;
  double median_us = 0;
  int calls = 0;
  std::string tune_command;  ///< what would tune this

  double gbps() const;
};

void print_json(const RunReport& report);
void print_text(const RunReport& report);

}  // namespace foldtune
