#include "cache/sqlite_kernels.h"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "cache/record_check.h"

namespace foldtune {
namespace {

// Of equal times the id decides, so that what is put now is never what is dropped.
constexpr const char* kDropLeastUsed = R"sql(
DELETE FROM kernel WHERE kernel_id IN (
  SELECT kernel_id FROM (
    SELECT kernel_id, sum(image_bytes) OVER (ORDER BY used_at DESC, kernel_id DESC) AS bytes
    FROM kernel)
  WHERE bytes > :most_bytes)
)sql";

// A new id even for a key that is there: the ids are the order of puts.
constexpr const char* kPut = R"sql(
INSERT OR REPLACE INTO kernel (program, architecture, compiler, template_fingerprint, name,
  lowered_names, compile_ms, used_at, image_bytes, hash, image)
VALUES (:program, :architecture, :compiler, :template_fingerprint, :name, :lowered_names,
  :compile_ms, :used_at, :image_bytes, :hash, :image)
)sql";

constexpr const char* kFindKernel = R"sql(
SELECT * FROM kernel WHERE program = :program AND architecture = :architecture
ORDER BY compiler = :compiler DESC, kernel_id DESC LIMIT 1
)sql";

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

StoredKernel read_kernel(SQLite::Statement& row) {
  const auto text = [&](const char* column) { return row.getColumn(column).getString(); };
  StoredKernel kernel{.record = {.key = {text("program"), text("architecture"), text("compiler")},
                                 .template_fingerprint = text("template_fingerprint"),
                                 .name = text("name"),
                                 .lowered_names = {},
                                 .compile_ms = row.getColumn("compile_ms").getDouble(),
                                 .image = text("image")},
                      .used_at = text("used_at")};
  const auto names = nlohmann::json::parse(text("lowered_names"), nullptr, false);
  for (const nlohmann::json& name : names) {
    if (name.is_string()) kernel.record.lowered_names.push_back(name.get<std::string>());
  }
  kernel.is_damaged = hash_of(kernel.record) != text("hash");
  return kernel;
}

std::optional<StoredKernel> SqliteKernels::find(const KernelKey& key) const {
  return connection_->read("read a kernel of",
                           [&](SQLite::Database& database) -> std::optional<StoredKernel> {
                             SQLite::Statement statement(database, kFindKernel);
                             bind_key(statement, key);
                             if (!statement.executeStep()) return std::nullopt;
                             return read_kernel(statement);
                           });
}

std::size_t SqliteKernels::put(const KernelRecord& kernel, std::uint64_t most_bytes) {
  require_kernel(kernel);
  if (kernel.image.size() > most_bytes) return 0;
  constexpr std::uint64_t kMost = INT64_MAX;  // SQLite's integers are signed
  return connection_->write("store a kernel in", [&](SQLite::Database& database) {
    SQLite::Statement put(database, kPut);
    bind_key(put, kernel.key);
    put.bind(":template_fingerprint", kernel.template_fingerprint);
    put.bind(":name", kernel.name);
    put.bind(":lowered_names", nlohmann::json(kernel.lowered_names).dump());
    put.bind(":compile_ms", kernel.compile_ms);
    put.bind(":used_at", utc_now());
    put.bind(":image_bytes", static_cast<std::int64_t>(kernel.image.size()));
    put.bind(":hash", hash_of(kernel));
    put.bind(":image", kernel.image.data(), static_cast<int>(kernel.image.size()));
    put.exec();
    SQLite::Statement drop(database, kDropLeastUsed);
    drop.bind(":most_bytes", static_cast<std::int64_t>(std::min(most_bytes, kMost)));
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
