#include "cache/read_rows.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include "cache/row_reader.h"
#include "cache/sqlite_connection.h"

namespace foldtune {

void read_rows(const std::string& path, RowSet rows,
               const std::function<void(const EachRow&)>& use) {
  const char* const query = rows == RowSet::best ? "SELECT * FROM best ORDER BY measurement_id"
                                                 : "SELECT * FROM result ORDER BY measurement_id";
  const auto use_all = [&](SQLite::Database& database) {
    const SQLite::Transaction snapshot(database);
    use([&](const std::function<void(const ResultRow&)>& visit) {
      SQLite::Statement statement(database, query);
      const RowReader reader(statement);
      while (statement.executeStep()) visit(reader.read());
    });
    return true;
  };
  SqliteConnection(path, OpenMode::read_only).read("read the measurements of", use_all);
}

}  // namespace foldtune
