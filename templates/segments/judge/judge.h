/// The judge of the family `segments`.
#pragma once

#include <cstdint>
#include <vector>

#include "foldtune/segment_reduction.h"
#include "templates/fold/judge/error_bound.h"
#include "templates/segments/params.cuh"
#include "tuner/verify/judge.h"

namespace foldtune {

const Judge& segments_judge();

/// Where segments of such lengths begin, and where the last one ends: as many offsets and one, from
/// 0 to the number of elements. The same for the same seed on every machine.
std::vector<std::uint64_t> make_offsets(const SegmentReduction& reduction, std::uint64_t seed);

/// How the elements of a segment of `count` elements meet under `params`, at most.
FoldShape segment_fold_shape(const SegmentReduction& reduction, const SegmentParams& params,
                             std::uint64_t count);

}  // namespace foldtune
