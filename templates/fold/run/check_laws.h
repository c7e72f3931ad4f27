/// What `foldtune run` asks of a custom operator before it folds with it.
#pragma once

#include "foldtune/reduction.h"
#include "tuner/commands/run_task.h"

namespace foldtune {

/// Throws InvalidArgument for a custom operator whose result would depend on the order of elements,
/// as seen on a few of those of the place: `reduction.count` of each input. Others pass.
void check_laws(const RunPlace& place, const Reduction& reduction);

}  // namespace foldtune
