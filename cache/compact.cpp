#include "cache/compact.h"

#include <filesystem>

#include "cache/file_reader.h"
#include "cache/private_file.h"
#include "cache/sqlite_connection.h"

namespace foldtune {
namespace {

std::uint64_t bytes_with_log(const std::filesystem::path& database) {
  return file_bytes(database) + file_bytes(database.string() + "-wal");
}

}  // namespace

CompactReport compact_database(const std::string& path) {
  require_database(path);
  CompactReport report{.bytes_before = bytes_with_log(path)};
  SqliteConnection connection(path, OpenMode::read_write);
  connection.exec("compact", "VACUUM");
  // What was written lies in the log: it is brought into the file, which shrinks only then.
  connection.exec("compact", "PRAGMA wal_checkpoint(TRUNCATE)");
  report.bytes_after = bytes_with_log(connection.path());
  return report;
}

void seal_database(const std::string& path) {
  require_file(path);
  SqliteConnection connection(path, OpenMode::read_write);
  connection.exec("compact", "VACUUM");
  connection.exec("seal", "PRAGMA journal_mode = DELETE");
}

}  // namespace foldtune
