/// A map that entries are added to and never taken from: it is read in nanoseconds, without a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

namespace foldtune {

/// `Key` has `std::uint64_t bits() const`, which tell most keys apart. Values stay where they are.
template <class Key, class Value>
class AppendOnlyMap {
 public:
  /// Null if there is none. May be called at any time, from several threads.
  Value* find(const Key& key) const noexcept {
    const Entry* entry = lists_[list_of(key)].load(std::memory_order_acquire);
    while (entry != nullptr && entry->key != key) entry = entry->next;
    return entry == nullptr ? nullptr : entry->value.get();
  }

  /// Adds the value of a key that has none. By one thread at a time.
  Value& add(const Key& key, std::unique_ptr<Value> value) {
    std::atomic<const Entry*>& list = lists_[list_of(key)];
    // An entry is complete when a list has it, and never changes again: so readers need no lock.
    const Entry& entry = entries_.emplace_back(
        Entry{.key = key, .value = std::move(value), .next = list.load(std::memory_order_relaxed)});
    list.store(&entry, std::memory_order_release);
    return *entry.value;
  }

 private:
  /// Of a list of keys with like hashes.
  struct Entry {
    Key key;
    std::unique_ptr<Value> value;
    const Entry* next;
  };
  /// So many lists that few keys share one.
  static constexpr int kLog2Lists = 6;

  /// A product spreads what differs in any of the bits to the highest ones.
  static std::size_t list_of(const Key& key) noexcept {
    constexpr std::uint64_t kGolden = 0x9E37'79B9'7F4A'7C15;
    return static_cast<std::size_t>((key.bits() * kGolden) >> (64 - kLog2Lists));
  }

  std::array<std::atomic<const Entry*>, std::size_t{1} << kLog2Lists> lists_{};
  std::deque<Entry> entries_;  // which stay where they are
};

}  // namespace foldtune
