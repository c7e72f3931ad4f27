#include "cache/schema_shape.h"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <string_view>

#include "cache/migrations.h"

namespace foldtune {
namespace {

using Texts = std::map<std::string, std::string>;

/// The statement without what SQLite's versions write in different ways: quotes and white space.
std::string plain(std::string sql) {
  std::erase_if(
      sql, [](char c) { return c == '"' || std::isspace(static_cast<unsigned char>(c)) != 0; });
  // Whether a table that is renamed is renamed in references to it depends on PRAGMA foreign_keys.
  constexpr std::string_view kRenamed = "REFERENCESnew_";
  for (std::size_t at = 0; (at = sql.find(kRenamed, at)) != std::string::npos;) {
    sql.replace(at, kRenamed.size(), "REFERENCES");
  }
  return sql;
}

Texts pairs_of(SQLite::Database& database, const char* query) {
  Texts pairs;
  SQLite::Statement rows(database, query);
  while (rows.executeStep()) {
    pairs.emplace(rows.getColumn(0).getString(), rows.getColumn(1).getString());
  }
  return pairs;
}

/// The statements of all tables, indexes and views, by kind and name: "view best".
Texts shape_of(SQLite::Database& database) {
  Texts shape =
      pairs_of(database, "SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql NOT NULL");
  for (auto& [name, sql] : shape) sql = plain(sql);
  return shape;
}

/// The names of the columns of all tables.
Texts columns_of(SQLite::Database& database) {
  return pairs_of(database,
                  "SELECT t.name, group_concat(c.name) FROM sqlite_schema t,"
                  " pragma_table_info(t.name) c WHERE t.type = 'table' GROUP BY t.name");
}

SQLite::Database blank_of_version(int version) {
  SQLite::Database blank(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  for (const char* const migration : migrations().first(static_cast<std::size_t>(version))) {
    blank.exec(migration);
  }
  return blank;
}

}  // namespace

std::vector<ShapeFault> shape_faults(SQLite::Database& database, int version) {
  const Texts shape = shape_of(database);
  std::vector<ShapeFault> faults;
  SQLite::Database blank = blank_of_version(version);
  for (const auto& [name, sql] : shape_of(blank)) {
    const auto found = shape.find(name);
    if (found != shape.end() && found->second == sql) continue;
    faults.push_back({.object = name, .is_missing = found == shape.end()});
  }
  return faults;
}

bool has_columns_of(SQLite::Database& database, int version) {
  const Texts columns = columns_of(database);
  SQLite::Database blank = blank_of_version(version);
  const Texts expected = columns_of(blank);
  SQLite::Database newest = blank_of_version(static_cast<int>(migrations().size()));
  // A table of another version is one that must not be there.
  return std::ranges::all_of(columns_of(newest), [&](const auto& table) {
    const auto is = columns.find(table.first);
    const auto should_be = expected.find(table.first);
    if (is == columns.end() || should_be == expected.end()) {
      return is == columns.end() && should_be == expected.end();
    }
    return is->second == should_be->second;
  });
}

}  // namespace foldtune
