#include "tuner/commands/run_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "foldtune/error.h"

namespace foldtune {
namespace {

/// Bytes that are read and copied to the device at a time.
constexpr std::size_t kChunkBytes = std::size_t{32} << 20;

}  // namespace

std::vector<InputArray> open_inputs(const std::string& what, const std::vector<std::string>& paths,
                                    const std::vector<std::optional<ElementType>>& types) {
  if (paths.size() != types.size()) {
    throw InvalidArgument(fmt::format("{} takes {} file{}, not {}", what, types.size(),
                                      types.size() == 1 ? "" : "s", paths.size()));
  }
  std::vector<InputArray> inputs;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    InputFile file(paths[i]);
    std::optional<ElementType> type = types[i];
    if (!type && i > 0) type = inputs.front().elements.type;
    const InputElements elements = find_elements(file, type);
    inputs.push_back({.file = std::move(file), .elements = elements});
    const InputArray& first = inputs.front();
    if (elements.count != first.elements.count) {
      throw InvalidArgument(
          fmt::format("{} has {} elements and {} has {}: {} folds them together, so they must be "
                      "as many",
                      first.file.path(), first.elements.count, paths[i], elements.count, what));
    }
  }
  return inputs;
}

DeviceBuffer copy_to_device(Device& device, const InputArray& input) {
  const std::uint64_t bytes = input.elements.count * size_of(input.elements.type);
  DeviceBuffer buffer(device, std::max<std::uint64_t>(bytes, 1));
  std::vector<std::byte> chunk(std::min<std::uint64_t>(bytes, kChunkBytes));
  for (std::uint64_t done = 0; done < bytes;) {
    const std::span<std::byte> part =
        std::span(chunk).first(std::min<std::uint64_t>(chunk.size(), bytes - done));
    input.file.read(input.elements.offset + done, part);
    device.copy(static_cast<std::byte*>(buffer.data()) + done, part.data(), part.size());
    done += part.size();
  }
  return buffer;
}

}  // namespace foldtune
