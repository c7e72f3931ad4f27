/// What `foldtune run` says of a reduction.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "foldtune/problem.h"
#include "foldtune/reducer.h"
#include "runtime/device.h"
#include "tuner/commands/bin_options.h"

namespace foldtune {

/// What was computed, and how.
struct RunReport {
  Problem problem;
  std::vector<std::string> files;
  Bins bins;                      ///< of a histogram
  std::vector<std::byte> result;  ///< as it was in the device's memory
  DeviceInfo device;
  Explanation explanation;
  double median_us = 0;
  int calls = 0;
  std::string tune_command;  ///< what would tune this

  double gbps() const { return static_cast<double>(problem.input_bytes()) / median_us / 1e3; }
};

/// A number of `type`. What JSON has no number for is a string: "inf", "-inf", "nan".
nlohmann::ordered_json number_json(ElementType type, const std::byte* number);

void print_json(const RunReport& report);
void print_text(const RunReport& report);

}  // namespace foldtune
