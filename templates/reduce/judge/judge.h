/// The judge of the family `reduce`.
#pragma once

#include "tuner/verify/judge.h"

namespace foldtune {

const Judge& reduce_judge();

}  // namespace foldtune
