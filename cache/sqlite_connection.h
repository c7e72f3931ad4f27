/// One connection to a database file: how it is opened and locked.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "cache/config_store.h"
#include "cache/file_reader.h"
#include "cache/no_file_size_signal.h"
#include "cache/own_connection.h"
#include "cache/sqlite_error.h"

namespace foldtune {

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
    const NoFileSizeSignal no_signal;  // A reader may make the log's index.
    try {
      return reader_ ? reader_->read(query) : query(writable(doing));
    } catch (const SQLite::Exception& error) {
      throw describe(error, doing, path_);
    }
  }

  /// Calls `work` with the `SQLite::Database` in one transaction and returns its result, which is
  /// in the file then. If anything throws, nothing was written, but where the file is no longer
  /// there: the error says so.
  template <typename Work>
  auto write(std::string_view doing, Work work) {
    const std::lock_guard lock(mutex_);
    const NoFileSizeSignal no_signal;
    SQLite::Database& database = writable(doing);
    try {
      // IMMEDIATE waits for other writers at once. A transaction that begins as a reader fails
      // without waiting if another process has written before it does.
      SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
      auto result = work(database);
      transaction.commit();
      require_in_place();
      return result;
    } catch (const SQLite::Exception& error) {
      require_in_place();
      throw describe(error, doing, path_);
    }
  }

  /// Runs a statement that SQLite allows in no transaction.
  void exec(std::string_view doing, const char* statement);

  /// Throws `LostDatabase` where what was written is no longer in the file. Nothing for a reader.
  void require_written();

  const std::filesystem::path& path() const { return path_; }

 private:
  SQLite::Database& writable(std::string_view doing) const;
  /// Throws `LostDatabase` where the file was removed, replaced or overwritten since it was opened:
  /// nobody would find what is written. What the file held is saved if it can be.
  void require_in_place();
  std::string save_elsewhere();

  std::filesystem::path path_;  // Absolute.
  mutable std::mutex mutex_;
  mutable std::optional<FileReader> reader_;  // One of them is there.
  mutable OwnConnection database_;
  bool is_private_ = false;  ///< `database_` has no file that others know.
};

/// Throws `StoreError` where nothing can be read, as in an empty file: what is opened for writing
/// is made a database.
void require_database(const std::string& path);

}  // namespace foldtune
