/// The judge of the family `histogram`.
#pragma once

#include "tuner/verify/judge.h"

namespace foldtune {

const Judge& histogram_judge();

}  // namespace foldtune
