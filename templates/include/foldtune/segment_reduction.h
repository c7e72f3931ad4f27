/// Reductions of the segments of an array: the problems of the family `segments`, typed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "foldtune/export.h"
#include "foldtune/reduction.h"
#include "foldtune/workload.h"

namespace foldtune {

/// How long segments are: it chooses among results, and says what a tuning makes. Any kernel is
/// right for any segments.
enum class SegmentLengths {
  uniform,       ///< any length from 0 to twice the mean
  equal,         ///< all of one length
  power_law,     ///< most are short; the longest is about a tenth of all
  one_long,      ///< one is half of all, the others have any length
  mostly_empty,  ///< nine of ten are empty
};

/// @{
/// "uniform": the enumerator as text, spelled as here, and its inverse; empty for an unknown name.
FOLDTUNE_API std::string_view name(SegmentLengths lengths);
FOLDTUNE_API std::optional<SegmentLengths> parse_segment_lengths(std::string_view text);
FOLDTUNE_API std::span<const std::string_view> segment_lengths_names();
/// @}

/// A reduction of each of many segments of an array: result[i] is the fold of the elements from
/// begins[i] up to ends[i]. A value type.
struct FOLDTUNE_API SegmentReduction {
  /// What is computed of each segment. Its count and alignment mean nothing. Operators that find an
  /// element give its number in the segment alone, -1 where none counts: `result` is i64 (the
  /// default) or i32.
  Reduction segment;
  ElementType offsets = ElementType::i32;            ///< of begins and ends: i32 or i64
  SegmentLengths lengths = SegmentLengths::uniform;  ///< where it is known
  std::uint64_t segments = 0;                        ///< of a call, at most 2^40
  std::uint64_t elements = 0;                        ///< of each input of a call, at most 2^40

  // NOLINTBEGIN(google-explicit-constructor,hicpp-explicit-conversions): the same, as data
  operator Problem() const;   ///< without the counts
  operator Workload() const;  ///< with both
  // NOLINTEND(google-explicit-constructor,hicpp-explicit-conversions)
};

/// @{
/// The inverse, of a problem of the family `segments`; of another one it throws std::logic_error.
FOLDTUNE_API SegmentReduction segment_reduction_of(const Problem& problem);
FOLDTUNE_API SegmentReduction segment_reduction_of(const Workload& workload);
/// @}

}  // namespace foldtune
