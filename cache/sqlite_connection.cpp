#include "cache/sqlite_connection.h"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <system_error>
#include <thread>

#include "cache/inspection.h"
#include "cache/network_file_system.h"
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

// The log lies beside the file itself, not beside a symbolic link to it.
std::int64_t log_bytes(const std::filesystem::path& path) {
  std::error_code is_lost;
  const std::filesystem::path file = std::filesystem::canonical(path, is_lost);
  const std::string log = (is_lost ? path : file).string() + "-wal";
  struct stat status {};
  return ::stat(log.c_str(), &status) == 0 ? status.st_size : 0;
}

// SQLite's own handler sleeps for up to 100 ms between two attempts, in which other writers commit
// a hundred times: of eight that write all the time some never get their turn. With short sleeps of
// random length all have the same chance. `patience` is the number of milliseconds.
int wait_for_others(void* patience, int attempts) {
  constexpr int kShortestUs = 200;
  constexpr int kLongestUs = 3000;
  thread_local std::chrono::steady_clock::time_point began;
  thread_local std::minstd_rand random(std::random_device{}());
  const auto now = std::chrono::steady_clock::now();
  if (attempts == 0) began = now;
  if (now - began >= std::chrono::milliseconds(reinterpret_cast<std::intptr_t>(patience))) return 0;
  const int pause_us = std::uniform_int_distribution(kShortestUs, kLongestUs)(random);
  std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
  return 1;
}

SQLite::Database connect(const std::filesystem::path& path, int flags,
                         std::chrono::milliseconds patience) {
  SQLite::Database database(path.string(), flags);
  sqlite3_busy_handler(database.getHandle(), wait_for_others,
                       reinterpret_cast<void*>(static_cast<std::intptr_t>(patience.count())));
  return database;
}

// By the header, without a lock or a log: SQLite itself would open the log to tell.
bool is_in_wal_mode(SQLite::Database& database) {
  constexpr sqlite3_int64 kReadVersionPlace = 19;  // www.sqlite.org/fileformat.html
  constexpr unsigned char kWriteAheadLog = 2;
  sqlite3_file* file = nullptr;
  unsigned char version = 0;
  return sqlite3_file_control(database.getHandle(), "main", SQLITE_FCNTL_FILE_POINTER, &file) ==
             SQLITE_OK &&
         file->pMethods->xRead(file, &version, 1, kReadVersionPlace) == SQLITE_OK &&
         version == kWriteAheadLog;
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

// To close the last connection would bring the log into the file, even if that is refused.
void keep_log_on_close(SQLite::Database& database, bool is_kept) {
  sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_kept ? 1 : 0,
                    nullptr);
}

SQLite::Database open_for_writing(const std::filesystem::path& path, const OpenOptions& options) {
  SQLite::Database database = connect(path, SQLite::OPEN_READWRITE, options.patience);
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
  keep_log_on_close(database, log_bytes(path) > 0);
  // First of all: nothing of another program's file may change, nor of one that is damaged.
  const bool is_made = has_schema(database, path);
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

void require_readable(SQLite::Database& database, const std::filesystem::path& path,
                      const OpenOptions& options) {
  if (!has_schema(database, path)) {
    throw EmptyDatabase(
        fmt::format("cannot read the tuning database {}: nothing is in it yet; tune with it once",
                    path.string()));
  }
  if (options.inspect) inspect(database, path, options.notify);
}

// A writer with a rollback journal was cut off: what it left is undone, which readers may not do.
void roll_back(const std::filesystem::path& path, const OpenOptions& options) {
  connect(path, SQLite::OPEN_READWRITE, options.patience).execAndGet("PRAGMA user_version");
}

// Empty if SQLite cannot keep its files beside this one.
std::optional<SQLite::Database> open_for_reading(const std::filesystem::path& path,
                                                 const OpenOptions& options) {
  SQLite::Database database = connect(path, SQLite::OPEN_READONLY, options.patience);
  const bool has_log = is_in_wal_mode(database);
  if (!has_log || network_file_system(path).empty()) {
    try {
      require_readable(database, path, options);
      return database;
    } catch (const SQLite::Exception& error) {
      if (error.getExtendedErrorCode() == SQLITE_READONLY_ROLLBACK) {
        roll_back(path, options);
        require_readable(database, path, options);
        return database;
      }
      const int code = error.getErrorCode();
      if (!has_log || (code != SQLITE_CANTOPEN && code != SQLITE_READONLY)) throw;
    }
  }
  FrozenFolderReader(path, options.patience).read([&](SQLite::Database& frozen) {
    require_readable(frozen, path, options);
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

// SQLite would take it for a new database, and delete the log.
void require_no_log_without_file(const std::filesystem::path& path) {
  std::error_code ignored;
  // In this order: whoever is just creating the database writes the file before its log.
  if (log_bytes(path) == 0 || std::filesystem::file_size(path, ignored) != 0) return;
  throw StoreError(fmt::format(
      "cannot open the tuning database {}: the file is empty, but its log beside it ({}-wal) is "
      "not; keep both, and take an older copy, or choose another database with --db or FOLDTUNE_DB",
      path.string(), path.filename().string()));
}

std::optional<SQLite::Database> open(const std::filesystem::path& path, OpenMode mode,
                                     const OpenOptions& options) {
  try {
    mode == OpenMode::read_only ? require_file(path) : ensure_private_file(path);
    for (const std::string& exposure : exposures_of(path)) options.notify(exposure);
    require_not_one_byte(path);
    require_no_log_without_file(path);
    if (mode == OpenMode::read_only) return open_for_reading(path, options);
    return open_for_writing(path, options);
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
  files.log_bytes = foldtune::log_bytes(path_);
  return files;
}

SQLite::Database FrozenFolderReader::connect(const Files& files) const {
  if (files.log_bytes > 0) return foldtune::connect(path_, SQLite::OPEN_READONLY, patience_);
  return foldtune::connect(immutable_uri(path_), SQLite::OPEN_READONLY | SQLite::OPEN_URI,
                           patience_);
}

void FrozenFolderReader::throw_busy() {
  throw SQLite::Exception("the file changes all the time", SQLITE_BUSY);
}

SqliteConnection::SqliteConnection(const std::string& path, OpenMode mode,
                                   const OpenOptions& options)
    : path_(absolute(path)),
      mode_(mode),
      patience_(options.patience),
      database_(open(path_, mode, options)) {}

SqliteConnection::SqliteConnection() : SqliteConnection(CopyOf{}) {}

// Without a name SQLite keeps it in memory or, where it is large, on disk.
SqliteConnection::SqliteConnection(const CopyOf& source)
    : path_(source.path),
      mode_(OpenMode::read_write),
      patience_(0),
      database_(SQLite::Database("", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)) {
  std::error_code ignored;
  if (std::filesystem::file_size(path_, ignored) > 0 && !ignored) {
    const SqliteConnection original(source.path, OpenMode::read_only);
    original.read("copy", [&](SQLite::Database& from) {
      SQLite::Backup(*database_, from).executeStep();
      return true;
    });
  }
  database_->exec("PRAGMA foreign_keys = ON");
  ensure_schema(*database_, path_);
}

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
