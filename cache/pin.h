/// Choices that stay, whatever is tuned, imported or merged later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "cache/config_store.h"

namespace foldtune {

/// What a pinned result hides the others of: a problem with its kernels on a device, whatever the
/// driver, the compiler, the layout, the conditions and the bucket. (device, kernels, family,
/// problem.)
using PinScope = std::tuple<std::string, std::string, std::string, std::string>;
PinScope pin_scope(const StoredResult& row);

/// Pins the measurements in one transaction; returns how many were not pinned before. Ids that are
/// not in the database are left out. Throws `StoreError`, also for a file that is not there.
std::size_t pin_measurements(const std::string& path, const std::vector<std::int64_t>& ids);

/// The same the other way round; returns how many were pinned.
std::size_t unpin_measurements(const std::string& path, const std::vector<std::int64_t>& ids);

/// Removes all pins, those that somebody wrote by hand, too; returns how many there were.
std::size_t unpin_all(const std::string& path);

/// What is pinned, in the order of storing. Rows that are no measurements are left out.
std::vector<StoredResult> pinned_results(const std::string& path);

}  // namespace foldtune
