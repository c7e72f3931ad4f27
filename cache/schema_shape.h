/// Whether the tables, indexes and views of a database are those that the migrations make.
#pragma once

#include <SQLiteCpp/Database.h>

#include <string>
#include <vector>

namespace foldtune {

struct ShapeFault {
  std::string object;  ///< "view best"
  bool is_missing = false;
};

/// What is not as `version` of the schema has it. What is there besides is the user's. Throws
/// `SQLite::Exception`, as the next one.
std::vector<ShapeFault> shape_faults(SQLite::Database& database, int version);

/// Whether the tables have the columns of `version`, so that it is the version it says.
bool has_columns_of(SQLite::Database& database, int version);

}  // namespace foldtune
