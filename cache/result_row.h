/// A measurement of one database on its way into another one, or into a file.
#pragma once

#include <cstdint>
#include <string>

#include "cache/config_store.h"

namespace foldtune {

/// A row of the view `result` that may be anything: someone may have written into the file.
struct ResultRow {
  std::int64_t measurement_id = 0;
  std::int64_t run_id = 0;
  std::string device_fingerprint;  ///< As stored.
  std::string started_at;
  std::string fault;    ///< Why it cannot be a record, and what to do; empty if it is one.
  StoredResult result;  ///< Where `fault` is empty.
};

/// Why no database takes the row; empty if it can be added.
std::string reason_to_refuse(const ResultRow& row);

}  // namespace foldtune
