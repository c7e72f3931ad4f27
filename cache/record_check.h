/// What is asked of a record before it is kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cache/config_store.h"

namespace foldtune {

/// The run itself. Throws `StoreError` if it holds a number that is negative or not finite.
RunRecord checked(RunRecord run);

/// The measurement with its params in canonical form. Throws `StoreError` on what
/// `ConfigStore::put` refuses.
MeasurementRecord checked(MeasurementRecord measurement);

/// Whether it is the text of a JSON object.
bool is_json_object(const std::string& text);

/// What keeps params from being what a store keeps; empty if nothing.
std::string fault_of_params(const std::string& params);

/// What is refused of the record, in words that end a sentence; empty if nothing.
std::string fault_of(const ProblemKey& problem);
std::string fault_of(const RunRecord& run);
std::string fault_of(const MeasurementRecord& measurement);

/// The same of what a row holds, which someone may have written: of its run alone, and of the
/// measurement alone, with their times.
std::string fault_of_stored_run(const StoredResult& row);
std::string fault_of_stored_measurement(const StoredResult& row);

/// What is wrong with the text of a time in that column; empty if nothing.
std::string fault_of_date(const char* column, const std::string& time);

/// The numbers of a shape or bucket, "4096x100": from one to four of them, without leading zeros.
/// Empty for any other text.
std::vector<std::uint64_t> extents_of(std::string_view text);

/// A time in UTC, ISO 8601, to the second: "2026-01-31T12:00:00Z". Of a clock that has left the
/// years of four digits, the nearest time that has them.
std::string utc_text(std::int64_t seconds_since_1970);

/// Now.
std::string utc_now();

/// Whether it is such a time, of a day that there is.
bool is_time(std::string_view text);

}  // namespace foldtune
