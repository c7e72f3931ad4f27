/// A variant of the family `histogram`: its program, its scratch and its launches.
#pragma once

#include "runtime/device/device.h"
#include "runtime/launch/call.h"
#include "runtime/launch/variant.h"

namespace foldtune {

Program make_histogram_program(const Variant& variant);

std::size_t histogram_scratch_bytes(const Variant& variant);

/// The call's range is without fault (templates/histogram/range.h).
void enqueue_histogram(const Kernel& kernel, const Variant& variant, std::uint32_t blocks,
                       const Call& call, void* scratch, Stream stream);

}  // namespace foldtune
