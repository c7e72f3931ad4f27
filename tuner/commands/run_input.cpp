#include "tuner/commands/run_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "foldtune/error.h"

namespace foldtune {
namespace {

/// Elements are paired by their indices. A raw file has no shape: it fits any of its count.
void require_same_shape(const std::string& what, const InputArray& first, const InputArray& other) {
  if (first.shape() && other.shape() && *first.shape() != *other.shape()) {
    throw InvalidArgument(fmt::format(
        "{} has the shape {} and {} has {}: {} folds them together, so they must be equal",
        first.name(), format_shape(*first.shape()), other.name(), format_shape(*other.shape()),
        what));
  }
  if (first.count() != other.count()) {
    throw InvalidArgument(fmt::format(
        "{} has {} elements and {} has {}: {} folds them together, so they must be as many",
        first.name(), first.count(), other.name(), other.count(), what));
  }
}

}  // namespace

std::vector<InputArray> open_inputs(const std::string& what, const std::vector<std::string>& names,
                                    const std::vector<std::optional<WantedType>>& types,
                                    InputFormat format) {
  if (names.size() != types.size()) {
    throw InvalidArgument(fmt::format("{} takes {} file{}, not {}", what, types.size(),
                                      types.size() == 1 ? "" : "s", names.size()));
  }
  std::vector<InputArray> inputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::optional<WantedType> type = types[i];
    if (!type && i > 0) {
      const InputArray& first = inputs.front();
      type = {.type = first.type(),
              .remedy = fmt::format("{} takes elements of one type, and {} holds {}: convert one "
                                    "with array.astype",
                                    what, first.name(), name(first.type()))};
    }
    inputs.emplace_back(names[i], type, format);
    require_same_shape(what, inputs.front(), inputs.back());
  }
  return inputs;
}

DeviceBuffer copy_to_device(Device& device, const InputArray& input, ElementOrder order) {
  DeviceBuffer buffer(device, std::max<std::uint64_t>(input.bytes(), 1));
  input.read(order, [&](std::uint64_t offset, std::span<const std::byte> piece) {
    device.copy(static_cast<std::byte*>(buffer.data()) + offset, piece.data(), piece.size());
  });
  return buffer;
}

}  // namespace foldtune
