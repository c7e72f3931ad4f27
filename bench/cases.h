/// What is compared: the matrix of operators and types, and the reductions along axes and of
/// segments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foldtune/workload.h"

namespace foldtune::bench {

struct Case {
  std::string name;   ///< "sum i8 -> i32", "sum f32 rows 2^26"
  Workload workload;  ///< without a shape

  // Of reductions along axes and of segments, and of histograms of rows.
  std::vector<Shape> shapes{};  ///< empty: of all others, which are of the counts asked for
  /// "rows", "columns", "vocabulary", "middle", "batch_norm"; of histograms "rows"; of segments
  /// their lengths: "uniform", "power_law".
  std::string direction{};
  std::uint64_t elements = 0;  ///< in each shape, or a few less; 0: as many as the shapes say
};

/// Which cases are asked for: those that have one of the items of each list. No items: any.
struct CaseFilter {
  std::vector<std::string> names{};  ///< each the name of a case, else a part of names
  std::vector<std::string> families{"reduce", "histogram"};
  std::vector<std::string> operators{};
  std::vector<std::string> types{};
  std::vector<std::string> directions{};
  std::vector<std::uint64_t> sizes{};    ///< Case::elements
  std::vector<std::uint64_t> lengths{};  ///< elements of a result, on average
};

/// All there are. Those of histograms of rows are found only by their names or their direction.
std::vector<Case> all_cases();
/// Those of them along axes, and those of segments.
std::vector<Case> axis_cases();
std::vector<Case> segment_cases();

/// In their usual order, with the shapes that are asked for. Throws InvalidArgument for an item
/// that no case has, and where no case has all.
std::vector<Case> find_cases(const CaseFilter& filter);

/// Of a case with shapes: the options with which `foldtune tune` tunes its shapes.
std::string tune_options(const Case& one);

}  // namespace foldtune::bench
