/// Rows of the database for other programs: every field, under the names of the view `result`, and
/// whether it `has_these_kernels`, those of this Foldtune.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "foldtune/workload.h"

namespace foldtune {

/// What `describe_origin` says, by the names that rows have for it.
nlohmann::ordered_json origin_json(const DeviceRecord& device, const std::string& compiler);

/// An object; null for a time that was not measured, and for a bandwidth that is unknown.
nlohmann::ordered_json to_json(const StoredResult& row);

/// A workload as rows have it, after its name for people: "workload", "family", "problem",
/// "layout", "bucket", "shape".
nlohmann::ordered_json workload_json(const Workload& workload);

/// An array of the rows.
nlohmann::ordered_json to_json(const std::vector<StoredResult>& rows);

/// A line of names and one for each row, each with its '\n', in the order of the JSON and quoted as
/// RFC 4180 says. Null is empty; params and samples are JSON.
std::string to_csv(const std::vector<StoredResult>& rows);

/// Null for what is not known.
nlohmann::ordered_json or_null(nlohmann::ordered_json value, bool is_known);

/// Prints it indented; bytes that are not UTF-8 are replaced.
void print_indented(const nlohmann::ordered_json& json);

}  // namespace foldtune
