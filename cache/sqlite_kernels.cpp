#include "cache/sqlite_kernels.h"

#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "cache/record_check.h"

namespace foldtune {
namespace {

// Of equal times the id decides, so that what is put now is never what is dropped.
constexpr const char* kDropLeastUsed = R"sql(
DELETE FROM kernel WHERE kernel_id IN (
  SELECT kernel_id FROM (
    SELECT kernel_id, sum(image_bytes) OVER (ORDER BY used_at DESC, kernel_id DESC) AS bytes
    FROM kernel)
  WHERE bytes > :max_bytes)
)sql";

// A new id even for a key that is there: the ids are the order of puts.
constexpr const char* kPut = R"sql(
INSERT OR REPLACE INTO kernel (program, architecture, compiler, template_fingerprint, name,
  lowered_names, compile_ms, used_at, image_bytes, hash, image)
VALUES (:program, :architecture, :compiler, :template_fingerprint, :name, :lowered_names,
  :compile_ms, :used_at, :image_bytes, :hash, :image)
)sql";

// Of all compilers: there is seldom more than one, and to sort takes SQLite longer to prepare.
constexpr const char* kFindKernel =
    " WHERE program = :program AND architecture = :architecture ORDER BY kernel_id";

constexpr const char* kTouch = R"sql(
UPDATE kernel SET used_at = :used_at
WHERE program = :program AND architecture = :architecture AND compiler = :compiler
)sql";

constexpr const char* kErase = R"sql(
DELETE FROM kernel
WHERE program = :program AND architecture = :architecture AND compiler = :compiler
)sql";

void bind_key(SQLite::Statement& statement, const KernelKey& key) {
  statement.bind(":program", key.program);
  statement.bind(":architecture", key.architecture);
  statement.bind(":compiler", key.compiler);
}

}  // namespace

const char* const kSelectKernels =
    "SELECT kernel_id, program, architecture, compiler, template_fingerprint, name, lowered_names,"
    " compile_ms, used_at, hash, image FROM kernel";

StoredKernel read_kernel(const SQLite::Statement& row) {
  const auto text = [&](int column) { return row.getColumn(column).getString(); };
  StoredKernel kernel{.record = {.key = {text(1), text(2), text(3)},
                                 .template_fingerprint = text(4),
                                 .name = text(5),
                                 .lowered_names = {},
                                 .compile_ms = row.getColumn(7).getDouble(),
                                 .image = text(10)},
                      .used_at = text(8)};
  const std::string names = text(6);
  for (std::size_t begin = 0; begin < names.size();) {
    const std::size_t end = std::min(names.find('\n', begin), names.size());
    kernel.record.lowered_names.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  kernel.is_damaged = hash_of(kernel.record) != text(9);
  return kernel;
}

std::optional<StoredKernel> SqliteKernels::find(const KernelKey& key) const {
  return connection_->read("read a kernel of", [&](SQLite::Database& database) {
    SQLite::Statement rows(database, std::string(kSelectKernels) + kFindKernel);
    rows.bind(":program", key.program);
    rows.bind(":architecture", key.architecture);
    std::optional<StoredKernel> found;
    while (rows.executeStep()) {
      if (found && found->record.key.compiler == key.compiler) break;
      found = read_kernel(rows);
    }
    return found;
  });
}

std::size_t SqliteKernels::put(const KernelRecord& kernel, std::uint64_t max_bytes) {
  require_kernel(kernel);
  if (kernel.image.size() > max_bytes) return 0;
  constexpr std::uint64_t kMost = INT64_MAX;  // SQLite's integers are signed
  return connection_->write("store a kernel in", [&](SQLite::Database& database) {
    SQLite::Statement put(database, kPut);
    bind_key(put, kernel.key);
    put.bind(":template_fingerprint", kernel.template_fingerprint);
    put.bind(":name", kernel.name);
    put.bind(":lowered_names", fmt::format("{}", fmt::join(kernel.lowered_names, "\n")));
    put.bind(":compile_ms", kernel.compile_ms);
    put.bind(":used_at", utc_now());
    put.bind(":image_bytes", static_cast<std::int64_t>(kernel.image.size()));
    put.bind(":hash", hash_of(kernel));
    put.bind(":image", kernel.image.data(), static_cast<int>(kernel.image.size()));
    put.exec();
    SQLite::Statement drop(database, kDropLeastUsed);
    drop.bind(":max_bytes", static_cast<std::int64_t>(std::min(max_bytes, kMost)));
    return static_cast<std::size_t>(drop.exec());
  });
}

void SqliteKernels::touch(const KernelKey& key) {
  connection_->write("note the use of a kernel in", [&](SQLite::Database& database) {
    SQLite::Statement statement(database, kTouch);
    bind_key(statement, key);
    statement.bind(":used_at", utc_now());
    return statement.exec();
  });
}

void SqliteKernels::erase(const KernelKey& key) {
  connection_->write("drop a kernel of", [&](SQLite::Database& database) {
    SQLite::Statement statement(database, kErase);
    bind_key(statement, key);
    return statement.exec();
  });
}

KernelUsage SqliteKernels::usage() const {
  return connection_->read("count the kernels of", [](SQLite::Database& database) {
    SQLite::Statement statement(database,
                                "SELECT count(*), ifnull(sum(image_bytes), 0) FROM kernel");
    statement.executeStep();
    return KernelUsage{.kernels = static_cast<std::size_t>(statement.getColumn(0).getInt64()),
                       .bytes = static_cast<std::uint64_t>(statement.getColumn(1).getInt64())};
  });
}

}  // namespace foldtune
