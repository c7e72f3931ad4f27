#include "cache/sqlite_connection.h"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <system_error>
#include <thread>

#include "cache/inspection.h"
#include "cache/network_file_system.h"
#include "cache/no_file_size_signal.h"
#include "cache/private_file.h"
#include "cache/schema.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

// Absolute, so that SQLite takes no name for one of its special ones: "", ":memory:", "file:...".
std::filesystem::path absolute(const std::string& path) {
  if (path.empty()) {
    throw StoreError(
        "cannot open the tuning database: its path is empty; name a file with --db or FOLDTUNE_DB");
  }
  std::error_code error;  // of a name that begins in a folder which is gone
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  if (!error) return whole.lexically_normal();
  throw StoreError(
      fmt::format("cannot open the tuning database {}: the working folder: {}; name a file by its "
                  "whole path with --db or FOLDTUNE_DB",
                  path, error.message()));
}

// Where two processes do this to a new file at once, SQLite fails one of them without waiting.
void set_journal_mode(SQLite::Database& database, const char* mode,
                      std::chrono::milliseconds patience) {
  constexpr auto kPause = std::chrono::milliseconds(10);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    try {
      database.exec(fmt::format("PRAGMA journal_mode = {}", mode));
      return;
    } catch (const SQLite::Exception& error) {
      const bool is_late = std::chrono::steady_clock::now() > deadline;
      if (error.getErrorCode() != SQLITE_BUSY || is_late) throw;
    }
    std::this_thread::sleep_for(kPause);
  }
}

void use_write_ahead_log(SQLite::Database& database, const OpenOptions& options) {
  set_journal_mode(database, "WAL", options.patience);
  // FULL would wait for the disk at every measurement, for longer than many a measurement takes.
  // With NORMAL a power failure, and nothing less, takes the last ones back; it breaks nothing.
  database.exec("PRAGMA synchronous = NORMAL");
}

void use_rollback_journal(SQLite::Database& database, const std::filesystem::path& path,
                          std::string_view file_system, const OpenOptions& options) {
  set_journal_mode(database, "DELETE", options.patience);
  database.exec("PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema");
  database.exec("PRAGMA synchronous = FULL");  // Less could break the file in a power failure.
  options.notify(fmt::format(
      "the tuning database {} lies on a network file system ({}), where SQLite's write-ahead log "
      "does not work: a rollback journal is used, with which readers and writers wait for each "
      "other",
      path.string(), file_system));
}

constexpr std::chrono::seconds kSavePatience{1};

// To close the last connection would bring the log into the file, even if that is refused.
void keep_log_on_close(SQLite::Database& database, bool is_kept) {
  sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_kept ? 1 : 0,
                    nullptr);
}

SQLite::Database open_for_writing(const std::filesystem::path& path, const FileStates& states,
                                  const OpenOptions& options) {
  SQLite::Database database = connect(path.string(), SQLite::OPEN_READWRITE, options.patience);
  if (sqlite3_db_readonly(database.getHandle(), "main") == 1) {
    throw StoreError(fmt::format(
        "cannot open the tuning database {} for writing: the file is read-only for this user; make "
        "it writable, or choose another database with --db or FOLDTUNE_DB",
        path.string()));
  }
  const std::string_view file_system = network_file_system(path);
  if (!file_system.empty() && is_in_wal_mode(database)) {
    database.exec("PRAGMA locking_mode = EXCLUSIVE");  // The log is read without shared memory.
  }
  keep_log_on_close(database, states.log_bytes > 0);
  // First of all: nothing of another program's file may change, nor of one that is damaged.
  const bool is_made = has_schema(database, path);
  if (is_made) require_own_schema(database, path);
  if (is_made && options.inspect) inspect(database, path, options.notify);
  keep_log_on_close(database, false);
  if (file_system.empty()) {
    use_write_ahead_log(database, options);
  } else {
    use_rollback_journal(database, path, file_system, options);
  }
  database.exec("PRAGMA foreign_keys = ON");
  ensure_schema(database, path);
  return database;
}

/// What SQLite would take for a new database, and overwrite.
void require_whole_header(const std::filesystem::path& path, const FileStates& states) {
  if (states.bytes == 1) throw SQLite::Exception("file is not a database", SQLITE_NOTADB);
  if (states.bytes > 0 || states.log_bytes == 0) return;
  throw StoreError(fmt::format(
      "cannot open the tuning database {}: the file is empty, but its log beside it ({}-wal) is "
      "not; keep both, and take an older copy, or choose another database with --db or FOLDTUNE_DB",
      path.string(), path.filename().string()));
}

}  // namespace

SqliteConnection::SqliteConnection(const std::string& path, OpenMode mode,
                                   const OpenOptions& options)
    : path_(absolute(path)) {
  const NoFileSizeSignal no_signal;
  try {
    mode == OpenMode::read_only ? require_file(path_) : ensure_private_file(path_);
    for (const std::string& exposure : exposures_of(path_)) options.notify(exposure);
    const FileStates states = states_of(linked_file(path_));
    require_whole_header(path_, states);
    if (mode == OpenMode::read_only) {
      reader_.emplace(path_, states, options);
    } else {
      database_ = open_for_writing(path_, states, options);
    }
  } catch (const SQLite::Exception& error) {
    throw describe(error, "open", path_);
  }
}

SqliteConnection::SqliteConnection() : SqliteConnection(CopyOf{}) {}

// Without a name SQLite keeps it in memory or, where it is large, on disk.
SqliteConnection::SqliteConnection(const CopyOf& source)
    : path_(source.path),
      database_(connect("", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, OpenOptions().patience)),
      is_private_(true) {
  std::error_code ignored;
  if (std::filesystem::file_size(path_, ignored) > 0 && !ignored) {
    const SqliteConnection original(source.path, OpenMode::read_only);
    original.read("copy", [&](SQLite::Database& from) {
      SQLite::Backup(*database_, from).executeStep();
      return true;
    });
    if (has_schema(*database_, path_)) require_own_schema(*database_, path_);
  }
  database_->exec("PRAGMA foreign_keys = ON");
  ensure_schema(*database_, path_);
}

void SqliteConnection::exec(std::string_view doing, const char* statement) {
  const std::lock_guard lock(mutex_);
  const NoFileSizeSignal no_signal;
  SQLite::Database& database = writable(doing);
  try {
    database.exec(statement);
  } catch (const SQLite::Exception& error) {
    require_in_place();
    throw describe(error, doing, path_);
  }
  require_in_place();
}

void SqliteConnection::require_written() {
  const std::lock_guard lock(mutex_);
  if (database_) require_in_place();
}

void SqliteConnection::require_in_place() {
  if (is_private_) return;
  const bool is_gone = has_moved(*database_);
  if (!is_gone && has_own_header(*database_)) return;
  // To close the last connection would bring the log into what is there now, or remove its log.
  keep_log_on_close(*database_, true);
  if (!is_gone) {
    throw LostDatabase(fmt::format(
        "the tuning database {} was overwritten while it was in use, and what was stored in it is "
        "lost; remove what is there with its log ({}-wal), and run the same command again",
        path_.string(), path_.filename().string()));
  }
  throw LostDatabase(fmt::format(
      "the tuning database {} was removed, renamed or replaced while it was in use, and what is "
      "stored now would get lost; {}",
      path_.string(), save_elsewhere()));
}

/// In words that say what to do.
std::string SqliteConnection::save_elsewhere() {
  std::random_device random;
  const std::filesystem::path copy =
      fmt::format("{}.{:08x}{:08x}.saved", path_.string(), random(), random());
  try {
    ensure_private_file(copy);
    SQLite::Database to = connect(copy.string(), SQLite::OPEN_READWRITE, kSavePatience);
    SQLite::Backup(to, *database_).executeStep();
    return fmt::format(
        "all that it held is saved in {}: move that to its place, or add it to what "
        "is there with foldtune import",
        copy.string());
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove(copy, ignored);
    return fmt::format("it could not be saved beside it, either ({}); run the same command again",
                       error.what());
  }
}

SQLite::Database& SqliteConnection::writable(std::string_view doing) const {
  if (database_) return *database_;
  if (!reader_) {
    throw StoreError(fmt::format(
        "cannot {} the tuning database {}: it was opened by another process, of which this one is "
        "a fork; open it here",
        doing, path_.string()));
  }
  throw StoreError(fmt::format(
      "cannot {} the tuning database {}: it was opened for reading only; open it for writing",
      doing, path_.string()));
}

void require_database(const std::string& path) {
  const SqliteConnection connection(path, OpenMode::read_only, {.inspect = false});
}

}  // namespace foldtune
