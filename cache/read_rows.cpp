#include "cache/read_rows.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include "cache/queries.h"
#include "cache/sqlite_connection.h"

namespace foldtune {
namespace {

// The view leaves these out.
constexpr const char* kDangling =
    "SELECT measurement_id FROM measurement EXCEPT SELECT measurement_id FROM result";

void read_dangling_rows(SQLite::Database& database,
                        const std::function<void(const ResultRow&)>& visit) {
  SQLite::Statement rows(database, with_views() + kDangling);
  while (rows.executeStep()) {
    ResultRow row{.result = {}, .fault = "its run, problem or configuration is not there"};
    row.result.measurement_id = rows.getColumn(0).getInt64();
    visit(row);
  }
}

}  // namespace

void read_rows(const std::string& path, RowSet rows,
               const std::function<void(const EachRow&)>& use) {
  const std::string query =
      select_results(rows == RowSet::best ? "FROM best ORDER BY measurement_id" : kMeasurements);
  const auto use_all = [&](SQLite::Database& database) {
    const SQLite::Transaction snapshot(database);
    use([&](const std::function<void(const ResultRow&)>& visit) {
      std::int64_t count = 0;
      SQLite::Statement statement(database, query);
      for (; statement.executeStep(); ++count) visit(read_row(statement));
      const bool is_all =
          rows == RowSet::best ||
          count == database.execAndGet("SELECT count(*) FROM measurement").getInt64();
      if (!is_all) read_dangling_rows(database, visit);
    });
    return true;
  };
  SqliteConnection(path, OpenMode::read_only).read("read the measurements of", use_all);
}

}  // namespace foldtune
