/// Kept kernels in the table `kernel` of a database.
#pragma once

#include <SQLiteCpp/Statement.h>

#include <memory>
#include <utility>

#include "cache/kernel_store.h"
#include "cache/sqlite_connection.h"

namespace foldtune {

class SqliteKernels final : public KernelStore {
 public:
  explicit SqliteKernels(std::shared_ptr<SqliteConnection> connection)
      : connection_(std::move(connection)) {}

  std::optional<StoredKernel> find(const KernelKey& key) const override;
  std::size_t put(const KernelRecord& kernel, std::uint64_t max_bytes) override;
  void touch(const KernelKey& key) override;
  void erase(const KernelKey& key) override;
  KernelUsage usage() const override;

 private:
  std::shared_ptr<SqliteConnection> connection_;
};

/// Selects what `read_kernel` reads, after the `kernel_id`.
extern const char* const kSelectKernels;
StoredKernel read_kernel(const SQLite::Statement& row);

}  // namespace foldtune
