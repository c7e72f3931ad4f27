#include "cache/inspection.h"

#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "cache/schema.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

std::uintmax_t bytes_of(const std::filesystem::path& file) {
  std::error_code is_missing;
  const std::uintmax_t bytes = std::filesystem::file_size(file, is_missing);
  return is_missing ? 0 : bytes;
}

void require_integrity(SQLite::Database& database, const std::filesystem::path& path) {
  SQLite::Statement rows(database, "PRAGMA integrity_check(1)");
  rows.executeStep();
  std::string text = rows.getColumn(0).getString();
  if (text == "ok") return;
  std::ranges::replace(text, '\n', ' ');
  throw StoreError(fmt::format(
      "cannot open the tuning database {}: it is damaged ({}), and was left as it is; keep a copy, "
      "and try `sqlite3 FILE .recover`, or choose another database with --db or FOLDTUNE_DB",
      path.string(), text));
}

/// What is odd, in words; empty if nothing.
std::string oddity_of(SQLite::Database& database) {
  const std::vector<SchemaFault> faults = schema_faults(database);
  if (!faults.empty()) {
    return fmt::format("its {} is not as the schema has it", faults.front().object);
  }
  const int dangling =
      database.execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt();
  if (dangling == 0) return {};
  return fmt::format("{} of its rows refer to rows that are not there, and are left out", dangling);
}

}  // namespace

void inspect(SQLite::Database& database, const std::filesystem::path& path, const Notify& notify) {
  if (bytes_of(path) + bytes_of(path.string() + "-wal") > kLargestInspectedBytes) return;
  require_integrity(database, path);
  const std::string oddity = oddity_of(database);
  if (oddity.empty()) return;
  notify(
      fmt::format("the tuning database {}: {}; foldtune doctor says more", path.string(), oddity));
}

}  // namespace foldtune
