/// The tables and views of the database, and how a database is recognised as ours. docs/schema.md
/// describes them for people who query the file.
#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <string>
#include <vector>

namespace foldtune {

/// `PRAGMA application_id` of a Foldtune database: "FLDT" in ASCII.
inline constexpr int kApplicationId = 0x464C4454;

/// `PRAGMA user_version` of the one schema that this Foldtune reads and writes.
inline constexpr int kSchemaVersion = 7;

/// False for a database with nothing in it. Throws `StoreError` if it is another program's, or of
/// another version of the schema. `path` is for the message. All of these throw `SQLite::Exception`
/// where SQLite fails.
bool has_schema(SQLite::Database& database, const std::filesystem::path& path);

/// Makes the schema where there is none, in one transaction. Several processes may do so at once.
void ensure_schema(SQLite::Database& database, const std::filesystem::path& path);

/// What is not as the schema has it, such as "view best". What is there besides is the user's.
struct SchemaFault {
  std::string object;
  bool is_missing = false;
};
std::vector<SchemaFault> schema_faults(SQLite::Database& database);

}  // namespace foldtune
