/// What the family `histogram` adds to `foldtune run`.
#pragma once

#include <memory>

#include "tuner/commands/run_task.h"

namespace foldtune {

std::unique_ptr<RunnableFamily> make_histogram_runnable();

}  // namespace foldtune
