/// What the page shows of one device.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "tuner/report/config_table.h"
#include "tuner/report/landscapes.h"

namespace foldtune {

/// Problems without their size, each once.
class OperationTable {
 public:
  /// The operation's number.
  std::size_t index_of(const ProblemKey& key);
  nlohmann::ordered_json to_json() const;

 private:
  std::vector<ProblemKey> keys_;  ///< without their bucket
};

/// One problem of a device: what is best of it, and the landscape of that shape.
struct ProblemView {
  const StoredResult* best = nullptr;
  double default_us = 0;  ///< of the untuned configuration; 0: not known
  LandscapeView landscape{};
};

/// Measurements of one device, compiler and version of the kernels.
struct DeviceView {
  std::vector<const StoredResult*> rows{};  ///< oldest first
  std::vector<ProblemView> problems{};      ///< those with a success, by name and size
};

/// Splits the rows by device, compiler and kernels, the newest first.
std::vector<DeviceView> view_devices(const std::vector<StoredResult>& rows);

nlohmann::ordered_json to_json(const DeviceView& device, OperationTable& operations,
                               ConfigTable& configs);

}  // namespace foldtune
