#include "cache/sqlite_connection.h"

#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <chrono>
#include <system_error>
#include <thread>

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
  return std::filesystem::absolute(path).lexically_normal();
}

// Where two processes do this to a new file at once, SQLite fails one of them without waiting.
void use_write_ahead_log(SQLite::Database& database) {
  constexpr auto kPause = std::chrono::milliseconds(10);
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyTimeoutMs);
  for (;;) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (const SQLite::Exception& error) {
      const bool is_late = std::chrono::steady_clock::now() > deadline;
      if (error.getErrorCode() != SQLITE_BUSY || is_late) throw;
    }
    std::this_thread::sleep_for(kPause);
  }
}

SQLite::Database open_for_writing(const std::filesystem::path& path) {
  SQLite::Database database(path.string(), SQLite::OPEN_READWRITE, kBusyTimeoutMs);
  if (sqlite3_db_readonly(database.getHandle(), "main") == 1) {
    throw StoreError(fmt::format(
        "cannot open the tuning database {} for writing: the file is read-only for this user; make "
        "it writable, or choose another database with --db or FOLDTUNE_DB",
        path.string()));
  }
  identify(database, path);  // First of all: nothing of another program's file may change.
  use_write_ahead_log(database);
  // FULL would wait for the disk at every measurement, for longer than many a measurement takes.
  // With NORMAL a power failure, and nothing less, takes the last ones back; it breaks nothing.
  database.exec("PRAGMA synchronous = NORMAL");
  database.exec("PRAGMA foreign_keys = ON");
  migrate(database, path);
  return database;
}

void require_readable(SQLite::Database& database, const std::filesystem::path& path,
                      OldSchema old) {
  old == OldSchema::accept ? void(identify(database, path))
                           : require_current_schema(database, path);
}

// Empty if SQLite cannot create its files in the folder.
std::optional<SQLite::Database> open_for_reading(const std::filesystem::path& path, OldSchema old) {
  try {
    SQLite::Database database(path.string(), SQLite::OPEN_READONLY, kBusyTimeoutMs);
    require_readable(database, path, old);
    return database;
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() != SQLITE_CANTOPEN && error.getErrorCode() != SQLITE_READONLY) throw;
  }
  FrozenFolderReader(path).read([&](SQLite::Database& database) {
    require_readable(database, path, old);
    return true;
  });
  return std::nullopt;
}

// SQLite takes a file of one byte for an empty one, and would overwrite it.
void require_not_one_byte(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::file_size(path, ignored) == 1) {
    throw SQLite::Exception("file is not a database", SQLITE_NOTADB);
  }
}

std::optional<SQLite::Database> open(const std::filesystem::path& path, OpenMode mode,
                                     OldSchema old) {
  try {
    if (mode == OpenMode::read_only) {
      require_file(path);
      require_not_one_byte(path);
      return open_for_reading(path, old);
    }
    ensure_private_file(path);
    require_not_one_byte(path);
    return open_for_writing(path);
  } catch (const SQLite::Exception& error) {
    throw describe(error, "open", path);
  }
}

std::string immutable_uri(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : path.string()) {
    uri += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02x}", c) : std::string(1, c);
  }
  return uri + "?immutable=1";
}

}  // namespace

FrozenFolderReader::Files FrozenFolderReader::files() const {
  Files files;
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0) {
    constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
    files.inode = status.st_ino;
    files.bytes = status.st_size;
    files.modified_ns = status.st_mtim.tv_sec * kNanosecondsPerSecond + status.st_mtim.tv_nsec;
  }
  if (::stat((path_.string() + "-wal").c_str(), &status) == 0) files.log_bytes = status.st_size;
  return files;
}

SQLite::Database FrozenFolderReader::connect(const Files& files) const {
  if (files.log_bytes > 0) return {path_.string(), SQLite::OPEN_READONLY, kBusyTimeoutMs};
  return {immutable_uri(path_), SQLite::OPEN_READONLY | SQLite::OPEN_URI, kBusyTimeoutMs};
}

void FrozenFolderReader::throw_busy() {
  throw SQLite::Exception("the file changes all the time", SQLITE_BUSY);
}

SqliteConnection::SqliteConnection(const std::string& path, OpenMode mode, OldSchema old)
    : path_(absolute(path)), mode_(mode), database_(open(path_, mode, old)) {}

void SqliteConnection::exec(std::string_view doing, const char* statement) {
  const std::lock_guard lock(mutex_);
  require_writable(doing);
  try {
    database_->exec(statement);
  } catch (const SQLite::Exception& error) {
    throw describe(error, doing, path_);
  }
}

void SqliteConnection::require_writable(std::string_view doing) const {
  if (mode_ == OpenMode::read_write) return;
  throw StoreError(fmt::format(
      "cannot {} the tuning database {}: it was opened for reading only; open it for writing",
      doing, path_.string()));
}

}  // namespace foldtune
