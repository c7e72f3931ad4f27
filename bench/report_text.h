/// Reports for people.
#pragma once

#include <span>
#include <string>

#include "bench/report.h"

namespace foldtune::bench {

// Each is to be followed by a line end.

/// Under what the figures of a run were taken.
std::string format_run(const Run& run);

/// Of rows of one case: a table for each manner and alignment, with a column for each contender
/// that is in it.
std::string format_tables(std::span<const Row> rows);

/// The same for all cases of a report, one after another.
std::string format_tables(const Report& report);

/// For each manner the geometric mean of the best library's time over that of tuned Foldtune, the
/// least of them, and how many cells of how many are won; "" without a library.
std::string format_summary(const Report& report);

}  // namespace foldtune::bench
