/// What a look-up came to, remembered between processes: the choice with its kernel.
#pragma once

#include <optional>

#include "cache/lookup_memo.h"
#include "runtime/device.h"
#include "runtime/kernel_cache.h"
#include "runtime/lookup.h"

namespace foldtune {

/// The choice for `problem` that an earlier process of this very build made on such a device; its
/// kernel is in `kernels` then. Empty if there is none, and on a null memo. Of the choice's match
/// there is what an Explanation tells, and the compiler. Once a day there is none, so that a use of
/// the kernel is noted.
std::optional<Choice> recall(const LookupMemo* memo, const Device& device, const Problem& problem,
                             KernelCache& kernels);

/// Leaves the choice, whose kernel `kernels` found in a store, to later processes. `memo` may be
/// null.
void remember(LookupMemo* memo, const Device& device, const Problem& problem, const Choice& choice,
              KernelCache& kernels);

}  // namespace foldtune
