/// Rows of the database for people: where they are from, and when.
#pragma once

#include <string>
#include <vector>

#include "cache/config_store.h"
#include "cache/device_filter.h"

namespace foldtune {

bool is_among(const DeviceFilter& wanted, const DeviceRecord& device);

/// Whether they are of one kind and name, whatever their drivers.
bool is_same_device(const DeviceRecord& a, const DeviceRecord& b);

/// Whether it was measured with the present kernels of its problem.
bool has_these_kernels(const StoredResult& row);

/// Of the input, in 10^9 bytes per second; for a success.
double gbps(const MeasurementRecord& measurement);

/// "NVIDIA H200 (cuda, sm_90, driver 580.95.05), nvrtc 13.0".
std::string describe_origin(const DeviceRecord& device, const std::string& compiler);

/// "here", or for a row that was imported the file, without its folders.
std::string describe_source(const StoredResult& row);

/// " (imported from h200.json)"; empty for a row that was measured here.
std::string describe_import(const StoredResult& row);

/// "2026-01-31T12:00:00Z" without its seconds: "2026-01-31 12:00".
std::string minutes_of(const std::string& time);

/// Whether `a` was measured later than `b`. A time in the future is that of a clock that was wrong,
/// and counts as the oldest.
bool is_newer(const StoredResult& a, const StoredResult& b);

/// Whether `a` rather than `b` stands for what both are of, whatever their drivers and compilers:
/// what was measured here before what was imported, then the newer one.
bool is_preferred(const StoredResult& a, const StoredResult& b);

/// What the configurations' abbreviations stand for: a line for each family in the rows.
std::string config_legends(const std::vector<StoredResult>& rows);

}  // namespace foldtune
