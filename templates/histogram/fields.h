/// The problems of the family `histogram`: their fields, their texts and their faults.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "templates/histogram/workload.h"

namespace foldtune {

namespace histogram_field {
/// The fields' places.
enum Place : std::size_t { op, type, counter, bins, binning, distribution };
}  // namespace histogram_field

std::span<const Field> histogram_fields();

/// @{
/// What Family says of them.
void complete_histogram(Problem& problem);
std::string describe_histogram(const HistogramWorkload& histogram);
std::string find_histogram_fault(const HistogramWorkload& histogram);
/// @}

}  // namespace foldtune
