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

/// Throws `StoreError` unless the schema is of `kSchemaVersion`.
void require_current_schema(SQLite::Database& database, const std::filesystem::path& path);

/// Brings the schema to `kSchemaVersion`, each step in a transaction of its own. Several processes
/// may do so at once.
void migrate(SQLite::Database& database, const std::filesystem::path& path);

}  // namespace foldtune
