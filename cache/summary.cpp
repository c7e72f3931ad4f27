#include "cache/summary.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cache/file_reader.h"
#include "cache/network_file_system.h"
#include "cache/schema.h"
#include "cache/sqlite_connection.h"

namespace foldtune {
namespace {

void count_rows(SQLite::Database& database, const std::vector<std::string>& fingerprints,
                DatabaseSummary& summary) {
  SQLite::Statement bests(database,
                          with_views() +
                              "SELECT count(*) FROM best WHERE template_fingerprint IN (SELECT "
                              "value FROM json_each(?))");
  bests.bind(1, nlohmann::json(fingerprints).dump());
  bests.executeStep();
  summary.bests = static_cast<std::size_t>(bests.getColumn(0).getInt64());
  SQLite::Statement kernels(database, "SELECT count(*), ifnull(sum(image_bytes), 0) FROM kernel");
  kernels.executeStep();
  summary.kernels = {.kernels = static_cast<std::size_t>(kernels.getColumn(0).getInt64()),
                     .bytes = static_cast<std::uint64_t>(kernels.getColumn(1).getInt64())};
}

}  // namespace

DatabaseSummary summarize_database(const std::string& path,
                                   const std::vector<std::string>& fingerprints) {
  std::vector<std::string> notes;
  const SqliteConnection connection(
      path, OpenMode::read_only,
      {.inspect = false, .notify = [&](const std::string& note) { notes.push_back(note); }});
  const std::filesystem::path& file = connection.path();
  auto summary = connection.read("read", [&](SQLite::Database& database) {
    DatabaseSummary found;
    count_rows(database, fingerprints, found);
    return found;
  });
  summary.bytes = file_bytes(file) + file_bytes(file.string() + "-wal");
  summary.obstacle = find_write_obstacle(file);
  summary.file_system = network_file_system(file);
  summary.notes = std::move(notes);
  return summary;
}

}  // namespace foldtune
