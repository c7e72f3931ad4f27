#include "tuner/measure/input_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "foldtune/error.h"
#include "tuner/verify/judge.h"

namespace foldtune {
namespace {

/// Read bandwidth is flat above this many bytes. It is also several times any L2, as rotating
/// inputs need.
constexpr std::uint64_t kBandwidthBytes = std::uint64_t{1} << 30;

/// A flush reads this many times the L2: its replacement is not strictly the oldest line.
constexpr std::uint64_t kFlushL2Sizes = 4;

/// Slices begin at multiples of this many elements: at 256 bytes or more, whatever the type.
constexpr std::uint64_t kSliceElements = 256;

/// Addresses that are off by a multiple of this many elements are of the same layout.
constexpr std::uint64_t kMaxOffset = 16;

std::uint64_t align_up(std::uint64_t value) {
  return (value + kSliceElements - 1) / kSliceElements * kSliceElements;
}

/// Elements of an input for slices: the workload's with room for misalignment, and on a GPU enough
/// to measure its bandwidth, if that leaves most of its memory to others. `widest`: bytes of an
/// element, of all inputs, which have equally many slices.
std::uint64_t elements_for_slices(const DeviceInfo& device, std::uint64_t elements,
                                  std::size_t widest) {
  const std::uint64_t needed = align_up(elements + kMaxOffset);
  if (device.record.l2_bytes == 0) return needed;
  const std::uint64_t bytes = std::min(kBandwidthBytes, device.memory_bytes / 4);
  return std::max(needed, align_up(bytes / widest));
}

std::uint64_t flush_bytes_of(const DeviceInfo& device) {
  return align_up(kFlushL2Sizes * static_cast<std::uint64_t>(device.record.l2_bytes));
}

struct InputSize {
  std::size_t place = 0;
  Argument argument;
  std::uint64_t elements = 0;
};

/// The arrays that a call reads, in its order but the tables last: the flush is of the first.
std::vector<InputSize> input_sizes(const DeviceInfo& device, const Workload& workload) {
  const Family& family = workload.problem.family();
  const std::vector<Argument> arguments = family.arguments(workload.problem);
  std::size_t widest = 1;
  for (const Argument& argument : arguments) {
    const bool is_cut = argument.access == Access::input && !argument.is_table;
    if (is_cut) widest = std::max(widest, argument.element_bytes);
  }
  std::vector<InputSize> sizes;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].access != Access::input) continue;
    const std::uint64_t elements = family.elements(workload.problem, i, workload.shape);
    sizes.push_back({.place = i,
                     .argument = arguments[i],
                     .elements = arguments[i].is_table
                                     ? elements
                                     : elements_for_slices(device, elements, widest)});
  }
  std::ranges::stable_sort(sizes, {}, [](const InputSize& size) { return size.argument.is_table; });
  return sizes;
}

bool has_tables_of_shape(const Problem& problem) {
  return std::ranges::any_of(problem.family().arguments(problem), &Argument::follows_shape);
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

InputPool::InputPool(Device& device, const Workload& workload, std::uint64_t seed)
    : device_(device),
      workload_(workload),
      seed_(seed),
      flush_bytes_(flush_bytes_of(device.info())) {
  for (const InputSize& size : input_sizes(device.info(), workload)) {
    if (size.argument.follows_shape) continue;
    const std::size_t element_bytes = size.argument.element_bytes;
    std::size_t bytes = size.elements * element_bytes;
    if (inputs_.empty()) {
      body_bytes_ = bytes;
      bytes += flush_bytes_;
    }
    inputs_.push_back({.place = size.place,
                       .element_bytes = element_bytes,
                       .is_table = size.argument.is_table,
                       .elements = size.elements,
                       .device = DeviceBuffer(device, bytes),
                       .host = allocate_on_host(bytes)});
  }
  if (inputs_.empty()) flush_bytes_ = 0;
  const Judge& judge = judge_of(workload.problem);
  for (const Input& input : inputs_) {
    const std::size_t bytes = input.device.size();
    judge.fill(workload.problem, input.place, {input.host.get(), bytes}, seed);
    device.copy(input.device.data(), input.host.get(), bytes);
  }
}

std::uint64_t InputPool::bytes_for(const DeviceInfo& device, const Workload& workload) {
  std::uint64_t bytes = flush_bytes_of(device);
  for (const InputSize& size : input_sizes(device, workload)) {
    bytes += size.elements * size.argument.element_bytes;
  }
  return bytes;
}

bool InputPool::serves(const Workload& workload) const {
  if (!has_same_inputs(workload.problem, workload_.problem)) return false;
  return std::ranges::all_of(inputs_, [&](const Input& input) {
    const std::uint64_t elements =
        workload.problem.family().elements(workload.problem, input.place, workload.shape);
    return (input.is_table ? elements : align_up(elements + kMaxOffset)) <= input.elements;
  });
}

bool InputPool::has_same_inputs(const Problem& a, const Problem& b) {
  return &a.family() == &b.family() && judge_of(a).has_same_inputs(a, b);
}

std::vector<std::size_t> InputPool::groups(const std::vector<Workload>& workloads) {
  std::vector<std::size_t> groups;
  std::vector<const Problem*> firsts;
  for (const Workload& workload : workloads) {
    const auto found = std::ranges::find_if(
        firsts, [&](const Problem* first) { return has_same_inputs(*first, workload.problem); });
    groups.push_back(static_cast<std::size_t>(found - firsts.begin()));
    if (found == firsts.end()) firsts.push_back(&workload.problem);
  }
  return groups;
}

std::shared_ptr<const InputPool::Tables> InputPool::tables_of(const Workload& workload) const {
  /// Of the workload that is measured, and of the next one.
  constexpr std::size_t kKept = 2;
  const std::lock_guard lock(tables_mutex_);
  const auto found =
      std::ranges::find(tables_, workload.shape, [](const auto& tables) { return tables->shape; });
  if (found != tables_.end()) return *found;
  auto made = std::make_shared<Tables>();
  made->shape = workload.shape;
  for (const InputSize& size : input_sizes(device_.info(), workload)) {
    if (!size.argument.follows_shape) continue;
    const std::size_t bytes = size.elements * size.argument.element_bytes;
    made->inputs.push_back({.place = size.place,
                            .element_bytes = size.argument.element_bytes,
                            .is_table = true,
                            .elements = size.elements,
                            .device = DeviceBuffer(device_, bytes),
                            .host = allocate_on_host(bytes)});
    const Input& table = made->inputs.back();
    judge_of(workload.problem)
        .fill_for_shape(workload, table.place, {table.host.get(), bytes}, seed_);
    device_.copy(table.device.data(), table.host.get(), bytes);
  }
  if (tables_.size() == kKept) tables_.pop_front();
  tables_.push_back(made);
  return made;
}

InputPool::Arguments InputPool::addresses(const Workload& workload, std::uint64_t offset,
                                          bool on_host) const {
  Arguments addresses{};
  for (const Input& input : inputs_) {
    auto* const begin = on_host ? input.host.get() : static_cast<std::byte*>(input.device.data());
    addresses.at(input.place) = begin + (input.is_table ? 0 : offset * input.element_bytes);
  }
  const std::vector<Argument> arguments = workload.problem.family().arguments(workload.problem);
  if (has_tables_of_shape(workload.problem)) {
    const std::shared_ptr<const Tables> tables = tables_of(workload);
    for (const Input& table : tables->inputs) {
      addresses.at(table.place) =
          on_host ? static_cast<void*>(table.host.get()) : static_cast<void*>(table.device.data());
    }
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].access != Access::scalar) continue;
    addresses.at(i) = const_cast<void*>(judge_of(workload.problem).scalar(workload.problem, i));
  }
  return addresses;
}

std::uint64_t InputPool::offset(const Workload& workload) const {
  for (std::uint64_t offset = 0; offset < kMaxOffset; ++offset) {
    const Call call{.shape = workload.shape,
                    .arguments = addresses(workload, offset, /*on_host=*/false)};
    if (workload.problem.family().serves(workload.layout, workload.problem, call)) return offset;
  }
  const auto layouts = workload.problem.family().layouts();
  const auto usual = static_cast<std::size_t>(usual_layout(workload.problem, workload.shape));
  throw InvalidArgument(fmt::format(
      "inputs for {}: no new array has the layout {}, wherever it begins; leave the layout out, "
      "and it is {}",
      to_string(workload), layouts[static_cast<std::size_t>(workload.layout)], layouts[usual]));
}

InputPool::Slices InputPool::slices(const Workload& workload) const {
  const std::uint64_t begin = offset(workload);
  Slices slices;
  if (has_tables_of_shape(workload.problem)) slices.tables_ = tables_of(workload);
  slices.first_ = addresses(workload, begin, /*on_host=*/false);
  std::uint64_t count = 0;
  for (const Input& input : inputs_) {
    if (input.is_table) continue;
    const std::uint64_t elements =
        workload.problem.family().elements(workload.problem, input.place, workload.shape);
    const std::uint64_t stride = std::max(kSliceElements, align_up(elements + begin));
    const std::uint64_t fitting = input.elements / stride;
    count = count == 0 ? fitting : std::min(count, fitting);
    slices.strides_.at(input.place) = stride * input.element_bytes;
    slices.used_ = std::max(slices.used_, input.place + 1);
  }
  slices.count_ = static_cast<int>(std::clamp<std::uint64_t>(count, 1, INT32_MAX));
  return slices;
}

InputPool::Arguments InputPool::host_slice(const Workload& workload) const {
  return addresses(workload, offset(workload), /*on_host=*/true);
}

void* InputPool::flush_region() const { return static_cast<std::byte*>(body()) + body_bytes_; }

}  // namespace foldtune
