#include "tuner/measure/input_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "foldtune/error.h"
#include "tuner/verify/reference.h"

namespace foldtune {
namespace {

/// Read bandwidth is flat above this many bytes. It is also several times any L2, as rotating
/// inputs need.
constexpr std::uint64_t kBandwidthBytes = std::uint64_t{1} << 30;

/// A flush reads this many times the L2: its replacement is not strictly the oldest line.
constexpr std::uint64_t kFlushL2Sizes = 4;

/// Slices begin at multiples of this many elements: at 256 bytes or more, whatever the type.
constexpr std::uint64_t kSliceElements = 256;

std::uint64_t align_up(std::uint64_t value) {
  return (value + kSliceElements - 1) / kSliceElements * kSliceElements;
}

std::size_t widest_input(const Problem& problem) {
  std::size_t widest = 1;
  for (const ElementType type : problem.input_types()) widest = std::max(widest, size_of(type));
  return widest;
}

/// Elements of each input for slices: the problem's with room for misalignment, and on a GPU enough
/// to measure its bandwidth, if that leaves most of its memory to others.
std::uint64_t elements_for_slices(const DeviceInfo& device, const Problem& problem) {
  const std::uint64_t needed = align_up(problem.count + 1);
  if (device.record.l2_bytes == 0) return needed;
  const std::uint64_t bytes = std::min(kBandwidthBytes, device.memory_bytes / 4);
  return std::max(needed, align_up(bytes / widest_input(problem)));
}

/// Not cleared, which would be one thread's work on a gigabyte.
std::unique_ptr<std::byte[]> allocate_on_host(std::size_t bytes) {
  try {
    return std::make_unique_for_overwrite<std::byte[]>(bytes);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(fmt::format(
        "Allocating {} bytes for inputs on the host: out of memory. Choose a smaller input.",
        bytes));
  }
}

}  // namespace

InputPool::InputPool(Device& device, const Problem& problem, std::uint64_t seed)
    : problem_(problem),
      slice_elements_(elements_for_slices(device.info(), problem)),
      flush_bytes_(
          align_up(kFlushL2Sizes * static_cast<std::uint64_t>(device.info().record.l2_bytes))) {
  const std::vector<ElementType> types = problem.input_types();
  body_bytes_ = slice_elements_ * size_of(types.front());
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::uint64_t flush_elements = i == 0 ? flush_bytes_ / size_of(types[i]) : 0;
    const std::size_t bytes = (slice_elements_ + flush_elements) * size_of(types[i]);
    inputs_.push_back(
        {.type = types[i], .device = DeviceBuffer(device, bytes), .host = allocate_on_host(bytes)});
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Input& input = inputs_[i];
    const std::size_t bytes = input.device.size();
    fill_input(problem, i, {input.host.get(), bytes}, seed);
    device.copy(input.device.data(), input.host.get(), bytes);
  }
}

std::uint64_t InputPool::bytes_for(const DeviceInfo& device, const Problem& problem) {
  std::uint64_t bytes =
      align_up(kFlushL2Sizes * static_cast<std::uint64_t>(device.record.l2_bytes));
  for (const ElementType type : problem.input_types()) {
    bytes += elements_for_slices(device, problem) * size_of(type);
  }
  return bytes;
}

bool InputPool::serves(const Problem& problem) const {
  return problem.count <= problem_.count && same_elements(problem, problem_);
}

bool InputPool::same_elements(const Problem& a, const Problem& b) {
  return a.input_types() == b.input_types() && element_rule(a) == element_rule(b);
}

std::vector<std::size_t> InputPool::groups(const std::vector<Problem>& problems) {
  std::vector<std::size_t> groups;
  std::vector<const Problem*> firsts;
  for (const Problem& problem : problems) {
    const auto found = std::ranges::find_if(
        firsts, [&](const Problem* first) { return same_elements(*first, problem); });
    groups.push_back(static_cast<std::size_t>(found - firsts.begin()));
    if (found == firsts.end()) firsts.push_back(&problem);
  }
  return groups;
}

std::uint64_t InputPool::offset(const Problem& problem) const {
  return problem.alignment == Alignment::element ? 1 : 0;
}

std::uint64_t InputPool::stride(const Problem& problem) const {
  return std::max(kSliceElements, align_up(problem.count + offset(problem)));
}

int InputPool::slice_count(const Problem& problem) const {
  return static_cast<int>(std::max<std::uint64_t>(1, slice_elements_ / stride(problem)));
}

InputPool::Pointers InputPool::slice(const Problem& problem, int slice) const {
  const std::uint64_t start =
      stride(problem) * static_cast<std::uint64_t>(slice % slice_count(problem)) + offset(problem);
  Pointers pointers{};
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    pointers.at(i) =
        static_cast<const std::byte*>(inputs_[i].device.data()) + start * size_of(inputs_[i].type);
  }
  return pointers;
}

InputPool::Pointers InputPool::host_slice(const Problem& problem) const {
  Pointers pointers{};
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    pointers.at(i) = inputs_[i].host.get() + offset(problem) * size_of(inputs_[i].type);
  }
  return pointers;
}

const void* InputPool::flush_region() const {
  return static_cast<const std::byte*>(body()) + body_bytes_;
}

}  // namespace foldtune
