/// The fields of the family `segments`: those of all folds, and two more.
#pragma once

#include <span>

#include "foldtune/workload.h"

namespace foldtune {

std::span<const Field> segment_fields();
const Field& offsets_field();
const Field& lengths_field();

}  // namespace foldtune
