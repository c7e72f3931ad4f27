/// The look at a database before it is used, so that nothing is added to a damaged one.
#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>

#include "cache/notice.h"

namespace foldtune {

/// Larger files are not looked through: it takes some 15 ms per MiB.
inline constexpr std::uintmax_t kLargestInspectedBytes = std::uintmax_t{16} << 20;

/// Throws `StoreError` if SQLite's integrity check finds something, or if the tables are not as the
/// schema has them. What else is wrong and loses nothing, rows that lead nowhere, and views,
/// indexes and triggers that are not the schema's, `notify` is told. `path` is that of the
/// database. Throws `SQLite::Exception` where SQLite fails.
void inspect(SQLite::Database& database, const std::filesystem::path& path, const Notify& notify);

/// Throws `StoreError` unless the schema is Foldtune's to the letter, as far as it has a part in
/// what is written. Whatever the file's size.
void require_own_schema(SQLite::Database& database, const std::filesystem::path& path);

}  // namespace foldtune
