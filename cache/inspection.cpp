#include "cache/inspection.h"

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

/// What is wrong, in words; empty if nothing.
std::string damage_of(SQLite::Database& database, const std::filesystem::path& path) {
  std::string text = database.execAndGet("PRAGMA integrity_check(1)").getString();
  if (text != "ok") {
    std::ranges::replace(text, '\n', ' ');
    return text;
  }
  // SQLite reads zeros in the place of what is cut off a page. What a log is yet to bring may be.
  const bool is_complete = bytes_of(path.string() + "-wal") > 0 ||
                           bytes_of(path) % database.execAndGet("PRAGMA page_size").getUInt() == 0;
  return is_complete ? "" : "its last page is cut off";
}

void require_integrity(SQLite::Database& database, const std::filesystem::path& path) {
  const std::string damage = damage_of(database, path);
  if (damage.empty()) return;
  throw StoreError(fmt::format(
      "cannot open the tuning database {}: it is damaged ({}), and was left as it is; keep a copy, "
      "and try `sqlite3 FILE .recover`, or choose another database with --db or FOLDTUNE_DB",
      path.string(), damage));
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
