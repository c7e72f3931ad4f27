/// Which devices a tuning runs on, and what tries configurations on them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/evaluator.h"

namespace foldtune {

/// Names of devices with the same identity, whose results are the same; at least one.
using DeviceGroup = std::vector<std::string>;

/// "all": every GPU, by kind. Else the one that is asked for, or that is chosen where none is.
/// Throws Unavailable for "all" without a GPU.
std::vector<DeviceGroup> choose_devices(const std::optional<std::string>& asked);

/// A worker process on "cuda:N" or "cpu". `seed` is of the inputs. Throws as `open_device` does.
std::unique_ptr<Evaluator> open_evaluator(const std::string& device, std::uint64_t seed);

}  // namespace foldtune
