/// A database's measurements, one at a time.
#pragma once

#include <functional>
#include <string>

#include "cache/rows.h"

namespace foldtune {

enum class RowSet {
  all,
  best,  ///< those of the view `best`
};

/// Calls its argument with every row, the oldest first, and then with those that lead nowhere.
using EachRow = std::function<void(const std::function<void(const ResultRow&)>& visit)>;

/// Calls `use` with what goes through the rows of the database `path`; as often as it is called,
/// they are the same ones. The database is only read. Of a database
/// in a folder where SQLite can create no files, `use` is called again if the file has changed
/// meanwhile: what it made before is void then. Throws `StoreError`, and what `use` throws.
void read_rows(const std::string& path, RowSet rows,
               const std::function<void(const EachRow&)>& use);

}  // namespace foldtune
