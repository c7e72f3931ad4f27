/// What the tests of reductions of segments go through.
#pragma once

#include <cstddef>
#include <vector>

#include "foldtune/segment_reduction.h"
#include "templates/family.h"

namespace foldtune::test {

/// The reduction of segments, by offsets of i64 if `is_wide`; those of operators that find an
/// element give its number as i32 or i64.
SegmentReduction of_segments(Reduction segment, bool is_wide);

/// Every reduction of `all_reductions`, of segments.
std::vector<SegmentReduction> all_segment_reductions();

/// `count` valid configurations whose tunables have any of their values, each method as often as
/// the other, for segments of several mean lengths; blocks have at most `largest_block` threads.
/// The same for the same seed.
std::vector<Variant> random_variants(const SegmentReduction& problem, std::size_t count,
                                     std::size_t seed, int largest_block = 1024);

}  // namespace foldtune::test
