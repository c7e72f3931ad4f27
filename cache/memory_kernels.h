/// Kept kernels that live and die with the process.
#pragma once

#include <mutex>
#include <vector>

#include "cache/kernel_store.h"

namespace foldtune {

class MemoryKernels final : public KernelStore {
 public:
  std::optional<StoredKernel> find(const KernelKey& key) const override;
  std::size_t put(const KernelRecord& kernel, std::uint64_t most_bytes) override;
  void touch(const KernelKey& key) override;
  void erase(const KernelKey& key) override;
  KernelUsage usage() const override;

 private:
  struct Entry {
    StoredKernel kernel;
    std::uint64_t put_at;  ///< Place in the order of puts.
  };

  // The caller holds the lock.
  std::vector<Entry>::iterator place_of(const KernelKey& key);

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  // The one that was used last comes last.
  std::uint64_t puts_ = 0;
};

}  // namespace foldtune
