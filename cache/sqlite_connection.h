/// One connection to a database file: how it is opened, locked, and read where nothing can be
/// written.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "cache/config_store.h"
#include "cache/sqlite_error.h"

namespace foldtune {

/// Reads a database that lies in a folder where SQLite can create no files, or on a network file
/// system, where it cannot share the memory of those files with other hosts. SQLite reads one in
/// WAL mode with the help of two files beside it, or else takes it for immutable and heeds no
/// locks. It is immutable as long as no log (-wal) has anything in it, since writers write there
/// first: so each query gets a connection of its own, and is repeated if the files changed
/// meanwhile.
class FrozenFolderReader {
 public:
  FrozenFolderReader(std::filesystem::path path, std::chrono::milliseconds patience)
      : path_(std::move(path)), patience_(patience) {}

  /// Throws `SQLite::Exception` as the query does, and if the files do not stay as they are for as
  /// long as it is patient.
  template <typename Query>
  auto read(Query query) const {
    const auto deadline = Clock::now() + patience_;
    for (;;) {
      const Files before = files();
      try {
        SQLite::Database database = connect(before);
        auto result = query(database);
        if (before.log_bytes > 0 || files() == before) return result;
        if (Clock::now() > deadline) throw_busy();
      } catch (const SQLite::Exception&) {
        if (Clock::now() > deadline || files() == before) throw;
      }
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  struct Files {
    ino_t inode = 0;
    off_t bytes = 0;
    std::int64_t modified_ns = 0;
    off_t log_bytes = 0;
    bool operator==(const Files&) const = default;
  };

  Files files() const;
  SQLite::Database connect(const Files& files) const;
  [[noreturn]] static void throw_busy();

  std::filesystem::path path_;
  std::chrono::milliseconds patience_;
};

/// Serialises the threads of this process by a mutex, and the processes by SQLite's locks. All
/// member functions throw `StoreError`; `doing` is `describe`'s.
class SqliteConnection {
 public:
  /// Opens or creates `path` as `open_sqlite_store` says.
  SqliteConnection(const std::string& path, OpenMode mode, const OpenOptions& options = {});

  /// An empty database that goes away with this.
  SqliteConnection();

  /// The same with the content of the file `path`, if there is any.
  struct CopyOf {
    std::string path;
  };
  explicit SqliteConnection(const CopyOf& source);

  /// Calls `query` with the `SQLite::Database` and returns its result.
  template <typename Query>
  auto read(std::string_view doing, Query query) const {
    const std::lock_guard lock(mutex_);
    try {
      return database_ ? query(*database_) : FrozenFolderReader(path_, patience_).read(query);
    } catch (const SQLite::Exception& error) {
      throw describe(error, doing, path_);
    }
  }

  /// Calls `work` with the `SQLite::Database` in one transaction and returns its result, which is
  /// in the file then. If anything throws, nothing was written.
  template <typename Work>
  auto write(std::string_view doing, Work work) {
    const std::lock_guard lock(mutex_);
    require_writable(doing);
    try {
      // IMMEDIATE waits for other writers at once. A transaction that begins as a reader fails
      // without waiting if another process has written before it does.
      SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
      auto result = work(*database_);
      transaction.commit();
      return result;
    } catch (const SQLite::Exception& error) {
      throw describe(error, doing, path_);
    }
  }

  /// Runs a statement that SQLite allows in no transaction.
  void exec(std::string_view doing, const char* statement);

  const std::filesystem::path& path() const { return path_; }

 private:
  void require_writable(std::string_view doing) const;

  std::filesystem::path path_;  // Absolute.
  OpenMode mode_;
  std::chrono::milliseconds patience_;
  mutable std::mutex mutex_;
  mutable std::optional<SQLite::Database> database_;  // Empty: FrozenFolderReader reads.
};

}  // namespace foldtune
