/// The tables and views of the database, and how a database is recognised as ours. docs/database.md
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
inline constexpr int kSchemaVersion = 12;

/// False for a database with nothing in it. Throws `StoreError` if it is another program's, or of
/// another version of the schema. `path` is for the message. All of these throw `SQLite::Exception`
/// where SQLite fails.
bool has_schema(SQLite::Database& database, const std::filesystem::path& path);

/// Makes the schema where there is none, in one transaction. Several processes may do so at once.
void ensure_schema(SQLite::Database& database, const std::filesystem::path& path);

/// "WITH result AS ..., best AS ... ": gives the statement that follows the views of the schema,
/// whatever those of the file are. Foldtune runs no view and no trigger of a file.
const std::string& with_views();

/// FROM this: the references of Foldtune's tables to rows that are not there. Those of users'
/// tables are theirs.
inline constexpr const char* kBrokenReferences =
    "(SELECT * FROM pragma_foreign_key_check('measurement') UNION ALL "
    "SELECT * FROM pragma_foreign_key_check('pin'))";

/// What is not as the schema has it to the letter, such as "view best". Tables and views besides
/// are the user's, which nothing of Foldtune reads; triggers, and indexes of Foldtune's tables, are
/// not: they would have a part in what is written.
struct SchemaFault {
  enum class Kind { changed, missing, foreign };
  std::string object;
  Kind kind = Kind::changed;

  /// In words that follow the object's name: "is not as the schema has it".
  const char* what() const;
  bool is_table() const { return object.starts_with("table "); }
};
std::vector<SchemaFault> schema_faults(SQLite::Database& database);

}  // namespace foldtune
