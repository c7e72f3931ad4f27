#include "cache/schema.h"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Savepoint.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "cache/migrations.h"
#include "cache/schema_shape.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

int integer(const SQLite::Database& database, const char* query) {
  SQLite::Statement statement(database, query);
  statement.executeStep();
  return statement.getColumn(0).getInt();
}

// A number that is too low, since it was changed, would bring rows along that are not as the
// migration takes them, and lose what is new in them.
void require_columns(SQLite::Database& database, const std::filesystem::path& path, int version) {
  if (has_columns_of(database, version)) return;
  throw StoreError(fmt::format(
      "cannot open the tuning database {}: its schema is of version {} by its number, but not by "
      "its tables, and was left as it is; take back what was changed, or choose another database "
      "with --db or FOLDTUNE_DB",
      path.string(), version));
}

}  // namespace

const int kSchemaVersion = static_cast<int>(migrations().size());

int identify(SQLite::Database& database, const std::filesystem::path& path) {
  // One snapshot for all three: another process may be creating the schema at this moment. Unlike
  // a transaction, a savepoint may lie in another one.
  SQLite::Savepoint snapshot(database, "identify");
  const int application = integer(database, "PRAGMA application_id");
  const int version = integer(database, "PRAGMA user_version");
  const bool is_blank = application == 0 && version == 0 &&
                        integer(database, "SELECT count(*) FROM sqlite_schema") == 0;
  snapshot.release();  // Its destructor alone would leave the transaction open.
  if (application != kApplicationId && !is_blank) {
    throw StoreError(fmt::format(
        "cannot open {} as a tuning database: it is the database of another program, and was left "
        "as it is; choose another file with --db or FOLDTUNE_DB",
        path.string()));
  }
  if (version > kSchemaVersion) {
    throw StoreError(fmt::format(
        "cannot open the tuning database {}: its schema is of version {}, and this Foldtune knows "
        "versions up to {}; upgrade Foldtune, or choose another database with --db or FOLDTUNE_DB",
        path.string(), version, kSchemaVersion));
  }
  return version;
}

void require_current_schema(int version, const std::filesystem::path& path) {
  if (version == kSchemaVersion) return;
  const std::string message = fmt::format(
      "cannot read the tuning database {}: {}, and it was opened for reading only; tune with it "
      "once, which brings it to version {}",
      path.string(),
      version == 0 ? "it is empty" : fmt::format("its schema is of the older version {}", version),
      kSchemaVersion);
  if (version == 0) throw EmptyDatabase(message);
  throw StoreError(message);
}

void migrate(SQLite::Database& database, const std::filesystem::path& path) {
  while (identify(database, path) < kSchemaVersion) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    // Asked again, now that nobody else can write: another process may have been faster.
    const int version = identify(database, path);
    if (version == kSchemaVersion) return;
    require_columns(database, path, version);
    // A new one is made at once, so that nobody finds it half made.
    const int next = version == 0 ? kSchemaVersion : version + 1;
    for (int step = version; step < next; ++step) {
      database.exec(migrations()[static_cast<std::size_t>(step)]);
    }
    database.exec(fmt::format("PRAGMA user_version = {}", next));
    transaction.commit();
  }
}

SQLite::Database migrated_copy(SQLite::Database& database, const std::filesystem::path& path) {
  SQLite::Database copy("", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  SQLite::Backup(copy, database).executeStep();
  migrate(copy, path);
  return copy;
}

}  // namespace foldtune
