/// Times all contenders for one problem in the same way, in turns.
#pragma once

#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench/contender.h"
#include "tuner/measure/measure.h"

namespace foldtune::bench {

/// What is wrong with the results of the contender's calls; empty if they are right. Throws
/// DeviceError.
std::string find_fault(Device& device, Measurer& measurer, const Contender& contender);

/// Microseconds per call of each contender, in their order: one figure for each round. In a round
/// everyone is timed once, in random order. At most `rounds` of them, and less where they take
/// long. Throws DeviceError.
std::vector<std::vector<double>> time_in_rounds(Measurer& measurer,
                                                std::span<const Contender> contenders,
                                                Manner manner, int rounds, std::mt19937_64& random);

}  // namespace foldtune::bench
