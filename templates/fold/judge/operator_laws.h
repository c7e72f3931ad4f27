/// Whether a custom operator may be folded in any order.
#pragma once

#include <span>
#include <string>

#include "foldtune/reduction.h"
#include "runtime/device/compiler.h"
#include "runtime/device/device.h"

namespace foldtune {

/// The program that tries a custom operator.
Program make_law_program(const Reduction& reduction);

/// Combines a handful of the elements in every order, on the device. `inputs` are arrays of
/// `reduction.count` elements in its memory. Empty if `combine` is associative and commutative as
/// far as can be seen, and `identity` neutral, else what is wrong. Results that are floating-point
/// numbers may differ by the operator's tolerance of the largest number on the way. What overflows,
/// is infinite or NaN tells nothing. Throws DeviceError.
std::string find_law_fault(Device& device, const Reduction& reduction,
                           std::span<const void* const> inputs, const CompiledKernel& compiled);

}  // namespace foldtune
