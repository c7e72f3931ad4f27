/// How much is tried for each problem.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "foldtune/workload.h"

namespace foldtune {

enum class Effort {
  quick,       ///< what is known to be good somewhere, and little more
  normal,      ///< until more tries hardly pay
  exhaustive,  ///< the whole space
};

std::string_view name(Effort effort);
std::optional<Effort> parse_effort(std::string_view text);

struct EffortLimits {
  std::string_view search;  ///< one of search_names()
  int evaluations;          ///< configurations that are screened; 0: all
  std::size_t finalists;    ///< that are compared in the end, beside the default and the incumbent
  int rounds;               ///< of the comparison, at most
};

EffortLimits limits_of(Effort effort);

/// Configurations of a workload's space that launch different work; no more than `most` are
/// counted.
int distinct_configurations(const Workload& workload, int multiprocessor_count, int most);

}  // namespace foldtune
