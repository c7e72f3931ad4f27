/// What the page shows, from what a store holds.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cache/config_store.h"

namespace foldtune {

struct ReportSource {
  std::vector<StoredResult> measurements{};  ///< oldest first
  std::string database;                      ///< its name for people
  std::string made_at;                       ///< UTC, ISO 8601
};

/// The data of the page, as page_data.js reads it:
///
/// - `shapes`, `configs`: see ConfigTable; `operations`: problems without their size, and
///   what they are grouped by, the value of their first field.
/// - Sizes are the product of the extents, `n`, beside the `shape` as text.
/// - `devices`: one for each device, compiler and kernel sources, whose results are comparable, the
///   newest first. Of each its `runs`, `bests` (as the view `best` has them) with their landscapes,
///   and `failures` by reason (each with its newest example).
/// - `left_out`: sentences on what the page does not show.
///
/// Times are in us per call, bandwidths in 10^9 bytes per second; null: not known.
nlohmann::ordered_json make_report_data(const ReportSource& source);

}  // namespace foldtune
