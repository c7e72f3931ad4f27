#include "cache/memory_kernels.h"

#include <algorithm>
#include <utility>

#include "cache/record_check.h"

namespace foldtune {

std::vector<MemoryKernels::Entry>::iterator MemoryKernels::place_of(const KernelKey& key) {
  return std::ranges::find_if(entries_,
                              [&](const Entry& entry) { return entry.kernel.record.key == key; });
}

std::optional<StoredKernel> MemoryKernels::find(const KernelKey& key) const {
  const std::lock_guard lock(mutex_);
  const Entry* found = nullptr;
  const auto rank = [&](const Entry& entry) {
    return std::pair(entry.kernel.record.key.compiler == key.compiler, entry.put_at);
  };
  for (const Entry& entry : entries_) {
    const KernelKey& other = entry.kernel.record.key;
    if (other.program != key.program || other.architecture != key.architecture) continue;
    if (found == nullptr || rank(*found) < rank(entry)) found = &entry;
  }
  return found == nullptr ? std::nullopt : std::optional(found->kernel);
}

std::size_t MemoryKernels::put(const KernelRecord& kernel, std::uint64_t most_bytes) {
  require_kernel(kernel);
  if (kernel.image.size() > most_bytes) return 0;
  const std::lock_guard lock(mutex_);
  if (const auto old = place_of(kernel.key); old != entries_.end()) entries_.erase(old);
  entries_.push_back({{.record = kernel, .used_at = utc_now()}, ++puts_});
  std::uint64_t bytes = 0;
  std::size_t kept = 0;
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry, ++kept) {
    bytes += entry->kernel.record.image.size();
    if (bytes > most_bytes) break;
  }
  const std::size_t dropped = entries_.size() - kept;
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(dropped));
  return dropped;
}

void MemoryKernels::touch(const KernelKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = place_of(key);
  if (found == entries_.end()) return;
  found->kernel.used_at = utc_now();
  std::rotate(found, found + 1, entries_.end());
}

void MemoryKernels::erase(const KernelKey& key) {
  const std::lock_guard lock(mutex_);
  if (const auto found = place_of(key); found != entries_.end()) entries_.erase(found);
}

KernelUsage MemoryKernels::usage() const {
  const std::lock_guard lock(mutex_);
  KernelUsage usage{.kernels = entries_.size()};
  for (const Entry& entry : entries_) usage.bytes += entry.kernel.record.image.size();
  return usage;
}

}  // namespace foldtune
