/// What is asked of a record before it is kept.
#pragma once

#include <string>
#include <string_view>

#include "cache/config_store.h"

namespace foldtune {

/// The run itself. Throws `StoreError` if it holds a number that is negative or not finite.
RunRecord checked(RunRecord run);

/// The measurement with its params in canonical form. Throws `StoreError` on what
/// `ConfigStore::put` refuses.
MeasurementRecord checked(MeasurementRecord measurement);

/// What is refused of the record, in words that end a sentence; empty if nothing.
std::string fault_of(const RunRecord& run);
std::string fault_of(const MeasurementRecord& measurement);

/// Now in UTC, ISO 8601, to the second: "2026-01-31T12:00:00Z".
std::string utc_now();

/// Whether it is of that form.
bool is_time(std::string_view text);

}  // namespace foldtune
