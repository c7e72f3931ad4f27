/// The tunables of the family `segments` on the host: its rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "foldtune/segment_reduction.h"
#include "templates/family.h"
#include "templates/segments/params.cuh"

namespace foldtune {

const Family& segments_family();

namespace segment_extent {
/// The extents' places.
enum Place : std::size_t { segments, elements };
}  // namespace segment_extent

std::span<const Tunable> segment_tunables();
Config to_config(const SegmentParams& params);
/// Throws std::logic_error for a configuration of another family.
SegmentParams segment_params(const Config& config);

/// @{
/// What Family says of them.
bool is_valid(const SegmentReduction& reduction, const SegmentParams& params);
bool is_searched(const SegmentReduction& reduction, const SegmentParams& params);
SegmentParams default_segment_params(const SegmentReduction& reduction, int multiprocessor_count);
/// @}

/// Whether numbers of elements take 64 bits, in some call of the shape's bucket.
bool has_wide_numbers(const SegmentReduction& reduction);

/// Elements of a segment, on average; 1 at least.
std::uint64_t mean_elements(const SegmentReduction& reduction);

}  // namespace foldtune
