/// The tables and views of the database, their versions, and how a database is recognised as ours.
/// docs/schema.md describes them for people who query the file.
#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>

namespace foldtune {

/// `PRAGMA application_id` of a Foldtune database: "FLDT" in ASCII.
inline constexpr int kApplicationId = 0x464C4454;

/// `PRAGMA user_version` that this Foldtune reads and writes.
extern const int kSchemaVersion;

/// The schema version of the open database; 0 for one with nothing in it. Throws `StoreError` if it
/// is another program's, or of a version above `kSchemaVersion`. `path` is for the message. All of
/// these throw `SQLite::Exception` where SQLite fails.
int identify(SQLite::Database& database, const std::filesystem::path& path);

/// Throws `StoreError` unless `version`, which `identify` returned, is `kSchemaVersion`,
/// `EmptyDatabase` if it is 0.
void require_current_schema(int version, const std::filesystem::path& path);

/// Brings the schema to `kSchemaVersion`, each step in a transaction of its own, a new database in
/// one. Several processes may do so at once.
void migrate(SQLite::Database& database, const std::filesystem::path& path);

/// A copy of the database, migrated. It has no name that others could open it by, is kept in memory
/// or, where it is large, on disk, and goes away with the connection.
SQLite::Database migrated_copy(SQLite::Database& database, const std::filesystem::path& path);

/// Calls `query` with a `SQLite::Database` of `kSchemaVersion`: this one, or a private copy of an
/// older one. Returns its result.
template <typename Query>
auto with_current_schema(SQLite::Database& database, const std::filesystem::path& path,
                         Query query) {
  if (identify(database, path) == kSchemaVersion) return query(database);
  SQLite::Database copy = migrated_copy(database, path);
  return query(copy);
}

}  // namespace foldtune
