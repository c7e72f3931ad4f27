/// Everything of Foldtune that a program uses.
#pragma once

#include "foldtune/array_layout.h"       // IWYU pragma: export
#include "foldtune/axis_reducer.h"       // IWYU pragma: export
#include "foldtune/axis_reduction.h"     // IWYU pragma: export
#include "foldtune/context.h"            // IWYU pragma: export
#include "foldtune/error.h"              // IWYU pragma: export
#include "foldtune/explanation.h"        // IWYU pragma: export
#include "foldtune/histogram.h"          // IWYU pragma: export
#include "foldtune/log.h"                // IWYU pragma: export
#include "foldtune/miss.h"               // IWYU pragma: export
#include "foldtune/reduce.h"             // IWYU pragma: export
#include "foldtune/reduce_plan.h"        // IWYU pragma: export
#include "foldtune/reducer.h"            // IWYU pragma: export
#include "foldtune/reduction.h"          // IWYU pragma: export
#include "foldtune/result.h"             // IWYU pragma: export
#include "foldtune/segment_reducer.h"    // IWYU pragma: export
#include "foldtune/segment_reduction.h"  // IWYU pragma: export
#include "foldtune/stream.h"             // IWYU pragma: export
#include "foldtune/workload.h"           // IWYU pragma: export

/// All of the C++ interface.
namespace foldtune {}
