/// The structs of the C API as those of the C++ API.
#pragma once

#include "foldtune/context.h"
#include "foldtune/foldtune.h"

namespace foldtune {

/// What is NULL or 0 becomes the default. They throw InvalidArgument for an unknown name and for
/// what cannot be read.
ContextOptions read(const foldtune_context_options& options);
Reduction read(const foldtune_problem& problem);
/// `offsets` is the type of the offsets.
SegmentReduction read_segments(const foldtune_problem& problem, const char* offsets);
HistogramOptions read(const foldtune_histogram_options& options);
ArrayLayout read(const foldtune_array_layout& layout);

}  // namespace foldtune
