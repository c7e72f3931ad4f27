/// A connection to a database, of the process that opened it.
#pragma once

#include <SQLiteCpp/Database.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "cache/no_file_size_signal.h"

namespace foldtune {

/// As an optional of a database, but empty in a process that was forked since. SQLite's locks are
/// those of one process: what the child has is neither to be used nor closed, which might end a
/// transaction of the parent's. It is left as it is.
class OwnConnection {
 public:
  OwnConnection() = default;
  explicit OwnConnection(SQLite::Database database)
      : database_(std::make_unique<SQLite::Database>(std::move(database))) {}
  OwnConnection(const OwnConnection&) = delete;
  OwnConnection& operator=(const OwnConnection&) = delete;
  ~OwnConnection() { reset(); }

  OwnConnection& operator=(SQLite::Database database) {
    reset();
    database_ = std::make_unique<SQLite::Database>(std::move(database));
    process_ = ::getpid();
    return *this;
  }
  void reset() {
    const NoFileSizeSignal no_signal;  // The last to close writes the log into the file.
    // Nobody has what is left, on purpose.
    if (database_ && !is_own()) (void)database_.release();
    database_.reset();
  }

  explicit operator bool() const { return database_ != nullptr && is_own(); }
  SQLite::Database& operator*() { return *database_; }
  SQLite::Database* operator->() { return database_.get(); }

 private:
  bool is_own() const { return process_ == ::getpid(); }

  std::unique_ptr<SQLite::Database> database_;
  pid_t process_ = ::getpid();
};

}  // namespace foldtune
