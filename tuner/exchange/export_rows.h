/// A database's measurements as a file for others.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cache/read_rows.h"
#include "tuner/files/output_file.h"

namespace foldtune {

struct ExportReport {
  std::size_t measurements = 0;
  std::size_t runs = 0;
  std::size_t devices = 0;
  std::vector<std::string> left_out;  ///< A line for each row that no other database takes.
};

/// Writes the rows of the database `path` that `is_wanted`, with their runs and devices. `output`
/// is not committed. Throws StoreError and FileError.
ExportReport export_rows(const std::string& path, RowSet rows,
                         const std::function<bool(const StoredResult&)>& is_wanted,
                         OutputFile& output);

}  // namespace foldtune
