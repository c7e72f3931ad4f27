/// What the family `reduce` adds to `foldtune run`.
#pragma once

#include <memory>

#include "tuner/commands/run_task.h"

namespace foldtune {

std::unique_ptr<RunnableFamily> make_reduce_runnable();

}  // namespace foldtune
