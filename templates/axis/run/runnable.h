/// What `foldtune run` knows of the family `axis`.
#pragma once

#include <memory>

#include "tuner/commands/run_task.h"

namespace foldtune {

std::unique_ptr<RunnableFamily> make_axis_runnable();

}  // namespace foldtune
