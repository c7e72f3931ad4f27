#include "runtime/stream_scratch.h"

namespace foldtune {
namespace {

/// Which stream it is. Never 0.
std::uintptr_t key_of(Stream stream) noexcept {
  constexpr std::uintptr_t kLegacy = 1;     // CU_STREAM_LEGACY, which null is, too
  constexpr std::uintptr_t kPerThread = 2;  // CU_STREAM_PER_THREAD: another one in each thread
  thread_local char thread;
  const auto handle = reinterpret_cast<std::uintptr_t>(stream);
  if (handle > kPerThread) return handle;
  return handle == kPerThread ? reinterpret_cast<std::uintptr_t>(&thread) : kLegacy;
}

}  // namespace

/// An open-addressed table, at most half full. One writer, under the owner's lock; readers need
/// none, since a slot is complete when its key is there, and never changes again.
class ScratchOfStreams::Table {
 public:
  explicit Table(std::size_t slots) : slots_(slots) {}  // a power of two

  std::size_t size() const { return slots_.size(); }

  StreamScratch* find(Key key) const noexcept {
    for (std::size_t i = start_of(key);; i = next(i)) {
      const Key found = slots_[i].key.load(std::memory_order_acquire);
      if (found == key) return slots_[i].scratch;
      if (found == 0) return nullptr;
    }
  }

  void add(Key key, StreamScratch* scratch) noexcept {
    std::size_t i = start_of(key);
    while (slots_[i].key.load(std::memory_order_relaxed) != 0) i = next(i);
    slots_[i].scratch = scratch;
    slots_[i].key.store(key, std::memory_order_release);
  }

  void add_all_of(const Table& other) noexcept {
    for (const Slot& slot : other.slots_) {
      const Key key = slot.key.load(std::memory_order_relaxed);
      if (key != 0) add(key, slot.scratch);
    }
  }

 private:
  struct Slot {
    std::atomic<Key> key{0};
    StreamScratch* scratch = nullptr;
  };

  std::size_t start_of(Key key) const noexcept {
    // Handles are addresses of like objects: a product spreads what differs in the middle bits.
    constexpr std::uint64_t kGolden = 0x9E37'79B9'7F4A'7C15;
    return static_cast<std::size_t>((std::uint64_t{key} * kGolden) >> 32) & (slots_.size() - 1);
  }
  std::size_t next(std::size_t i) const noexcept { return (i + 1) & (slots_.size() - 1); }

  std::vector<Slot> slots_;
};

ScratchOfStreams::ScratchOfStreams(Device& device, std::size_t bytes)
    : device_(device), bytes_(bytes) {
  constexpr std::size_t kFirstSlots = 16;
  table_ = tables_.emplace_back(std::make_unique<Table>(kFirstSlots)).get();
}

ScratchOfStreams::~ScratchOfStreams() = default;

StreamScratch* ScratchOfStreams::find(Stream stream) const noexcept {
  return table_.load(std::memory_order_acquire)->find(key_of(stream));
}

StreamScratch& ScratchOfStreams::make(Stream stream) {
  const Key key = key_of(stream);
  const std::lock_guard lock(mutex_);
  if (StreamScratch* const made = tables_.back()->find(key)) return *made;
  scratch_.push_back(std::make_unique<StreamScratch>(device_, bytes_, stream));
  if (2 * scratch_.size() > tables_.back()->size()) {
    auto larger = std::make_unique<Table>(2 * tables_.back()->size());
    larger->add_all_of(*tables_.back());
    table_.store(tables_.emplace_back(std::move(larger)).get(), std::memory_order_release);
  }
  tables_.back()->add(key, scratch_.back().get());
  return *scratch_.back();
}

}  // namespace foldtune
