/// Counts, shapes, lists and durations as people write them on a command line.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "foldtune/workload.h"

namespace foldtune {

/// The parts between the separators, which may be empty.
std::vector<std::string_view> split_list(std::string_view text, char separator = ',');

/// The parts between the commas. Throws InvalidArgument, which names `option`, if one is empty.
std::vector<std::string_view> split_list(std::string_view option, std::string_view text);

/// An element count from 1 to 2^40: "4096", "64K" (K, M, G, T: powers of 1024), "2^20", "1e6".
/// Throws InvalidArgument.
std::uint64_t parse_count(std::string_view text);

/// Counts and ranges by comma: "2^12,1e6", "2^12..2^28" (the last count of each size class),
/// "2^12..2^28:4" (from the first by factors of 4). A range goes no further than its last count. In
/// the order given, each once. Throws InvalidArgument.
std::vector<std::uint64_t> parse_counts(std::string_view text);

/// Extents by comma, counts or ranges with an x between: "4096x100", "2^10..2^14x100", each choice
/// as a list of its own. Throws InvalidArgument, which names `option`.
std::vector<std::vector<std::uint64_t>> parse_extents(std::string_view option,
                                                      std::string_view text);

/// Numbers of axes by comma: "1", "0,2", "-1". Throws InvalidArgument.
std::vector<int> parse_axes(std::string_view text);

/// Shapes of a family by comma, their extents as counts or ranges with an x between: "4096x100",
/// "2^10..2^14x100". Of one extent that is what `parse_counts` takes. Optional extents are 1 where
/// they are left out. Throws InvalidArgument.
std::vector<Shape> parse_shapes(const Family& family, std::string_view text);

/// Seconds: "90", "20s", "2m", "1.5h", "500ms"; more than 0 and at most a week. Throws
/// InvalidArgument.
double parse_duration(std::string_view text);

}  // namespace foldtune
