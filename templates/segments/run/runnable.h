/// The family `segments` in `foldtune run`.
#pragma once

#include <memory>

#include "tuner/commands/run_task.h"

namespace foldtune {

std::unique_ptr<RunnableFamily> make_segments_runnable();

}  // namespace foldtune
