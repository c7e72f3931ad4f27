/// Databases without the space that deleted rows left.
#pragma once

#include <cstdint>
#include <string>

namespace foldtune {

/// The database with its log (-wal), in bytes.
struct CompactReport {
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
};

/// Writes the database `path` anew without what is unused in it, which needs free space for two
/// copies of its content meanwhile. If it is interrupted, the content is there all the same. The
/// file must exist. As long as other processes
/// read, the log may stay. Throws `StoreError`.
CompactReport compact_database(const std::string& path);

/// Makes the database `path` one that is only read, wherever it lies: compact, and without a log
/// beside it. Whoever opens it for writing gives it a log again. Throws `StoreError`.
void seal_database(const std::string& path);

}  // namespace foldtune
