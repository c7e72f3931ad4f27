/// The judge of the family `axis`.
#pragma once

#include "foldtune/axis_reduction.h"
#include "templates/axis/params.cuh"
#include "templates/fold/judge/error_bound.h"
#include "tuner/verify/judge.h"

namespace foldtune {

const Judge& axis_judge();

/// The row of a reduction as a reduction of its own: of elements that follow one another. Of
/// operators that find an element, its result is the element with its number.
Reduction row_of(const AxisReduction& reduction);

/// How the elements of a row meet under `params`.
FoldShape axis_fold_shape(const AxisReduction& reduction, const AxisParams& params);

}  // namespace foldtune
