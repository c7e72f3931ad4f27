#include "runtime/launch/stream_scratch.h"

namespace foldtune {
namespace {

/// Which stream it is.
std::uintptr_t key_of(Stream stream) noexcept {
  constexpr std::uintptr_t kLegacy = 1;     // CU_STREAM_LEGACY, which null is, too
  constexpr std::uintptr_t kPerThread = 2;  // CU_STREAM_PER_THREAD: another one in each thread
  thread_local char thread;
  const auto handle = reinterpret_cast<std::uintptr_t>(stream);
  if (handle > kPerThread) return handle;
  return handle == kPerThread ? reinterpret_cast<std::uintptr_t>(&thread) : kLegacy;
}

/// Handles are addresses of like objects: a product spreads what differs in the middle bits.
std::size_t hash_of(std::uintptr_t key) noexcept {
  constexpr std::uint64_t kGolden = 0x9E37'79B9'7F4A'7C15;
  return static_cast<std::size_t>((std::uint64_t{key} * kGolden) >> 32);
}

}  // namespace

StreamScratch* ScratchOfStreams::find(Stream stream) const noexcept {
  const std::uintptr_t key = key_of(stream);
  const Entry* entry = lists_[hash_of(key) % kLists].load(std::memory_order_acquire);
  while (entry != nullptr && entry->key != key) entry = entry->next;
  return entry == nullptr ? nullptr : entry->scratch.get();
}

// An entry is complete when a list has it, and never changes again, so that readers need no lock.
StreamScratch& ScratchOfStreams::make(Stream stream) {
  const std::lock_guard lock(mutex_);
  if (StreamScratch* const made = find(stream)) return *made;
  const std::uintptr_t key = key_of(stream);
  std::atomic<const Entry*>& list = lists_[hash_of(key) % kLists];
  auto scratch = std::make_unique<StreamScratch>(device_, bytes_, stream);
  const Entry& entry =
      entries_.emplace_back(Entry{.key = key, .scratch = std::move(scratch), .next = list.load()});
  list.store(&entry, std::memory_order_release);
  return *entry.scratch;
}

}  // namespace foldtune
