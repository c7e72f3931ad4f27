/// Reads of a database file that others may be writing meanwhile.
#pragma once

#include <SQLiteCpp/Database.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "cache/config_store.h"
#include "cache/own_connection.h"

namespace foldtune {

/// 0 for a file that is not there.
std::uint64_t file_bytes(const std::string& file);

/// What a database consists of, as far as the file system tells. A file that is not there has 0
/// bytes.
struct FileStates {
  ino_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t changed_ns = 0;      ///< of the file
  std::uint64_t log_bytes = 0;      ///< -wal
  std::uint64_t journal_bytes = 0;  ///< -journal
  bool operator==(const FileStates&) const = default;
};

/// `file` is no symbolic link: its log lies beside it.
FileStates states_of(const std::filesystem::path& file);

/// `path` as SQLite has it for its log: where a symbolic link leads to.
std::filesystem::path linked_file(const std::filesystem::path& path);

/// A connection to `path` that waits for others as long as `patience` says.
SQLite::Database connect(const std::string& path, int flags, std::chrono::milliseconds patience);

/// By the header, without a lock or a log: SQLite itself would open the log to tell.
bool is_in_wal_mode(SQLite::Database& database);

/// Whether the open file no longer is what `path` leads to: it was removed, renamed or replaced.
bool has_moved(SQLite::Database& database);

/// Whether the open file still begins as a database that is empty, or Foldtune's.
bool has_own_header(SQLite::Database& database);

/// One connection for reading. A file that nobody is writing is taken for immutable: SQLite takes
/// no locks then and opens neither log nor shared memory, which is a quarter of a process's first
/// look-up, and possible where it may create no files, too. Nobody is writing as long as neither
/// log nor journal has anything in it, since writers write there first. What was read holds if the
/// files are afterwards as they were before; else it is read again.
class FileReader {
 public:
  /// Opens the database `path`, an absolute one, that was of these `states` just now. Throws
  /// `StoreError` and `SQLite::Exception` as `open_sqlite_store` says.
  FileReader(std::filesystem::path path, const FileStates& states, const OpenOptions& options);

  /// Calls `query` with the `SQLite::Database`, perhaps more than once, and returns its result.
  /// Throws `SQLite::Exception` as the query does, and if the files do not stay as they are for as
  /// long as it is patient.
  template <typename Query>
  auto read(Query query) {
    const auto deadline = Clock::now() + options_.patience;
    for (;;) {
      try {
        if (!database_) open(states_of(file_));
        auto result = query(*database_);
        if (is_valid()) return result;
        if (Clock::now() > deadline) throw_busy();
      } catch (const SQLite::Exception&) {
        if (is_valid() || Clock::now() > deadline) throw;
      }
      database_.reset();
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Whether what was read since the last `open` was read from files that did not change.
  bool is_valid() const { return !is_immutable_ || states_of(file_) == opened_; }
  void open(const FileStates& states);
  void connect_to(const FileStates& states);
  void connect_as_immutable();
  [[noreturn]] static void throw_busy();

  std::filesystem::path path_;
  std::filesystem::path file_;
  OpenOptions options_;
  OwnConnection database_;  ///< empty in a fork, which opens one of its own
  bool is_immutable_ = false;
  FileStates opened_;  ///< what `database_` was opened with
};

}  // namespace foldtune
