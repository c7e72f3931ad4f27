#include "cache/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cache/file_reader.h"
#include "cache/schema.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

/// What is wrong, in words; empty if nothing.
std::string damage_of(SQLite::Database& database, const std::filesystem::path& path) {
  std::string text = database.execAndGet("PRAGMA integrity_check(1)").getString();
  if (text != "ok") {
    std::ranges::replace(text, '\n', ' ');
    return text;
  }
  // SQLite reads zeros in the place of what is cut off a page. What a log is yet to bring may be.
  const bool is_complete =
      file_bytes(path.string() + "-wal") > 0 ||
      file_bytes(path) % database.execAndGet("PRAGMA page_size").getUInt() == 0;
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

/// The tables are read as they are: generated columns, or a table that is a view, could be
/// anything.
void require_tables(const std::vector<SchemaFault>& faults, const std::filesystem::path& path) {
  const auto fault = std::ranges::find_if(faults, &SchemaFault::is_table);
  if (fault == faults.end()) return;
  throw StoreError(fmt::format(
      "cannot open the tuning database {}: its {} {}, and was left as it is; foldtune doctor says "
      "more; take an older copy, or choose another database with --db or FOLDTUNE_DB",
      path.string(), fault->object, fault->what()));
}

/// What is odd, in words; empty if nothing.
std::string oddity_of(SQLite::Database& database, const std::vector<SchemaFault>& faults) {
  if (!faults.empty()) {
    return fmt::format("its {} {}", faults.front().object, faults.front().what());
  }
  const int dangling =
      database.execAndGet(fmt::format("SELECT count(*) FROM {}", kBrokenReferences)).getInt();
  if (dangling == 0) return {};
  return fmt::format("{} of its rows refer to rows that are not there, and are left out", dangling);
}

}  // namespace

void require_own_schema(SQLite::Database& database, const std::filesystem::path& path) {
  const std::vector<SchemaFault> faults = schema_faults(database);
  if (faults.empty()) return;
  throw StoreError(fmt::format(
      "cannot open the tuning database {} for writing: its {} {}, so what is written may get lost, "
      "and it was left as it is; take back what was changed by hand (foldtune doctor lists it), or "
      "bring its measurements into a new database with foldtune export and import",
      path.string(), faults.front().object, faults.front().what()));
}

void inspect(SQLite::Database& database, const std::filesystem::path& path, const Notify& notify) {
  const std::vector<SchemaFault> faults = schema_faults(database);
  const bool is_small =
      file_bytes(path) + file_bytes(path.string() + "-wal") <= kLargestInspectedBytes;
  if (is_small) require_integrity(database, path);
  require_tables(faults, path);
  if (!is_small) return;
  const std::string oddity = oddity_of(database, faults);
  if (oddity.empty()) return;
  notify(
      fmt::format("the tuning database {}: {}; foldtune doctor says more", path.string(), oddity));
}

}  // namespace foldtune
