/// The scratch of one plan on every stream that it is used on.
#pragma once

#include <cstdint>
#include <mutex>

#include "runtime/device/device.h"
#include "runtime/launch/append_only_map.h"

namespace foldtune {

/// The scratch of a plan on one stream. The stream keeps calls apart, whichever threads they are
/// from.
struct StreamScratch {
  StreamScratch(Device& device, std::size_t bytes, Stream stream) : memory(device, bytes, stream) {}

  DeviceBuffer memory;
  /// For calls of several launches, among which none of another call may be enqueued.
  std::mutex enqueuing;
};

/// Finds the scratch of a stream without a lock, in nanoseconds. Never gives scratch back: streams
/// that come and go take one another's handles, and so their scratch. All member functions may be
/// called from several threads.
class ScratchOfStreams {
 public:
  /// `bytes` for each stream. The device must outlive it.
  ScratchOfStreams(Device& device, std::size_t bytes) : device_(device), bytes_(bytes) {}

  /// Null if the stream has none yet.
  StreamScratch* find(Stream stream) const noexcept;

  /// Makes the stream's scratch if it has none. Throws OutOfMemory, DeviceError.
  StreamScratch& make(Stream stream);

 private:
  /// Which stream it is.
  struct Key {
    explicit Key(Stream stream) noexcept;
    std::uint64_t bits() const { return handle; }
    bool operator==(const Key&) const = default;
    std::uintptr_t handle;
  };

  Device& device_;
  const std::size_t bytes_;
  std::mutex mutex_;  // of what is added
  AppendOnlyMap<Key, StreamScratch> scratch_;
};

}  // namespace foldtune
