#include "runtime/launch/stream_scratch.h"

#include <memory>

namespace foldtune {

ScratchOfStreams::Key::Key(Stream stream) noexcept
    : handle(reinterpret_cast<std::uintptr_t>(stream)) {
  constexpr std::uintptr_t kLegacy = 1;     // CU_STREAM_LEGACY, which null is, too
  constexpr std::uintptr_t kPerThread = 2;  // CU_STREAM_PER_THREAD: another one in each thread
  thread_local char thread;
  if (handle > kPerThread) return;
  handle = handle == kPerThread ? reinterpret_cast<std::uintptr_t>(&thread) : kLegacy;
}

StreamScratch* ScratchOfStreams::find(Stream stream) const noexcept {
  return scratch_.find(Key(stream));
}

StreamScratch& ScratchOfStreams::make(Stream stream) {
  const std::lock_guard lock(mutex_);
  const Key key(stream);
  if (StreamScratch* const made = scratch_.find(key)) return *made;
  return scratch_.add(key, std::make_unique<StreamScratch>(device_, bytes_, stream));
}

}  // namespace foldtune
