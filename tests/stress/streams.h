/// Streams and memory of the device under stress.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/device/device.h"

namespace foldtune::stress {

/// Streams of a CUDA device, and names on the CPU device, where they are nothing more.
class Streams {
 public:
  Streams(const Device& device, int count);
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams();

  Stream operator[](std::size_t i) const { return streams_[i]; }
  std::size_t size() const { return streams_.size(); }

 private:
  bool is_cuda_;
  std::vector<Stream> streams_;
};

/// Makes the CUDA device's primary context current in this thread; nothing on the CPU device.
void use_in_this_thread(const Device& device);

/// Of the current context's device; empty on the CPU device.
std::optional<std::uint64_t> free_memory(const Device& device);

/// Whether it is a CUDA device.
bool is_cuda(const Device& device);

}  // namespace foldtune::stress
