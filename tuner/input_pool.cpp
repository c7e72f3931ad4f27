#include "tuner/input_pool.h"

#include <algorithm>

#include "tuner/reference.h"

namespace foldtune {
namespace {

/// Read bandwidth is flat above this many bytes.
constexpr std::uint64_t kBandwidthBytes = std::uint64_t{1} << 30;

/// A flush reads this many times the L2: its replacement is not strictly the oldest line.
constexpr std::uint64_t kFlushL2Sizes = 4;

constexpr std::uint64_t kSliceAlignment = 256;

std::uint64_t align_up(std::uint64_t bytes) {
  return (bytes + kSliceAlignment - 1) / kSliceAlignment * kSliceAlignment;
}

/// Bytes for slices: one input of `count` elements with room for misalignment, and on a GPU enough
/// to measure its bandwidth, if that leaves most of its memory to others.
std::uint64_t bytes_for_slices(const DeviceInfo& device, ElementType type, std::uint64_t count) {
  const std::uint64_t needed = align_up((count + 1) * size_of(type));
  if (device.record.l2_bytes == 0) return needed;
  return std::max(needed, std::min(kBandwidthBytes, align_up(device.memory_bytes / 4)));
}

}  // namespace

InputPool::InputPool(Device& device, ElementType type, std::uint64_t count, std::uint64_t seed)
    : type_(type),
      slice_bytes_(bytes_for_slices(device.info(), type, count)),
      flush_bytes_(
          align_up(kFlushL2Sizes * static_cast<std::uint64_t>(device.info().record.l2_bytes))),
      host_(make_input(type, (slice_bytes_ + flush_bytes_) / size_of(type), seed)),
      device_(device, slice_bytes_ + flush_bytes_) {
  device.copy(device_.data(), host_.data(), host_.size());
}

std::uint64_t InputPool::offset(const Problem& problem) const {
  return problem.alignment == Alignment::element ? size_of(type_) : 0;
}

std::uint64_t InputPool::stride(const Problem& problem) const {
  return std::max(kSliceAlignment, align_up(problem.input_bytes() + offset(problem)));
}

int InputPool::slice_count(const Problem& problem) const {
  return static_cast<int>(std::max<std::uint64_t>(1, slice_bytes_ / stride(problem)));
}

const void* InputPool::slice(const Problem& problem, int slice) const {
  const std::uint64_t start = stride(problem) * (slice % slice_count(problem));
  return static_cast<const std::byte*>(device_.data()) + start + offset(problem);
}

const void* InputPool::host_slice(const Problem& problem) const {
  return host_.data() + offset(problem);
}

const void* InputPool::flush_region() const {
  return static_cast<const std::byte*>(device_.data()) + slice_bytes_;
}

}  // namespace foldtune
