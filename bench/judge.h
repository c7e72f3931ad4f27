/// Times all contenders for one problem in the same way, in turns.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench/contender.h"
#include "tuner/measure.h"

namespace foldtune::bench {

struct Figure {
  std::string contender;
  std::vector<double> samples_us;  ///< microseconds per call, one for each round
  double median_us = 0;
  double mad_us = 0;  ///< median absolute deviation of the samples
  std::string config;
  std::string source;
};

/// Thrown for a contender whose result is wrong.
class WrongResult : public Error {
 public:
  using Error::Error;
};

/// Throws WrongResult, DeviceError.
void check_results(Measurer& measurer, std::span<const Contender> contenders);

/// One figure for each contender, in their order. In each of the `rounds` everyone is timed once,
/// in random order. Throws DeviceError.
std::vector<Figure> time_in_rounds(Measurer& measurer, std::span<const Contender> contenders,
                                   Manner manner, int rounds, std::mt19937_64& random);

}  // namespace foldtune::bench
