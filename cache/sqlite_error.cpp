#include "cache/sqlite_error.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace foldtune {
namespace {

std::string remedy(const SQLite::Exception& error, const std::filesystem::path& path) {
  switch (error.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_PROTOCOL:  // The same of a log that others never leave alone.
      return "another process keeps it locked; try again when it is done";
    case SQLITE_FULL:
      return "free some space; what was stored before is kept";
    case SQLITE_IOERR:
      if (error.getExtendedErrorCode() == SQLITE_IOERR_SHMSIZE ||
          error.getExtendedErrorCode() == SQLITE_IOERR_SHMOPEN) {
        return "a file of 32 KiB beside it, its log's index, cannot be made: free some space, or "
               "raise the limit of file sizes; what was stored before is kept";
      }
      return fmt::format(
          "the file system failed (SQLite's code {}); check it, its quota and the limit of file "
          "sizes (ulimit -f), or "
          "choose another database with --db or FOLDTUNE_DB; what was stored before "
          "is kept",
          error.getExtendedErrorCode());
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
      return fmt::format(
          "make the file and its folder {} accessible to this user (to write, SQLite "
          "keeps two more files beside it), or choose another database with --db or "
          "FOLDTUNE_DB",
          path.parent_path().string());
    case SQLITE_NOTADB:
      return "it was left as it is; name a file of Foldtune (of your own results: --db or "
             "FOLDTUNE_DB)";
    case SQLITE_CORRUPT:
      return "it is damaged; keep a copy, and try `sqlite3 FILE .recover`, or choose another "
             "database with --db or FOLDTUNE_DB";
    case SQLITE_ERROR:  // A table or a column is not there, or is something else.
      return "its tables are not as Foldtune made them, which foldtune doctor says more of; take "
             "an "
             "older copy, or choose another database with --db or FOLDTUNE_DB";
    default:
      return fmt::format("SQLite's code is {}; please report this with the command that you ran",
                         error.getExtendedErrorCode());
  }
}

}  // namespace

StoreError describe(const SQLite::Exception& error, std::string_view doing,
                    const std::filesystem::path& path) {
  return StoreError(fmt::format("cannot {} the tuning database {}: {}; {}", doing, path.string(),
                                error.what(), remedy(error, path)));
}

}  // namespace foldtune
