/// The files that are reduced, and their elements on a device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/device/device.h"
#include "tuner/files/input_array.h"

namespace foldtune {

/// Opens one file for each type; an empty type is that of a .npy file, or that of the first file.
/// `what` names the operator in messages. Throws FileError for a file that cannot be read,
/// InvalidArgument for files that do not fit the types, or each other in count and shape.
std::vector<InputArray> open_inputs(const std::string& what, const std::vector<std::string>& names,
                                    const std::vector<std::optional<WantedType>>& types,
                                    InputFormat format);

/// The elements in the device's memory, at an address aligned to 16 bytes.
DeviceBuffer copy_to_device(Device& device, const InputArray& input, ElementOrder order);

}  // namespace foldtune
