#include "templates/array_family.h"

#include <fmt/format.h>

#include <algorithm>

namespace foldtune {

std::span<const std::string_view> ArrayFamily::layouts() const { return alignment_names(); }

std::uint64_t ArrayFamily::max_count(int size_class) {
  return std::min(kMaxCount, max_of_size_class(size_class));
}

int ArrayFamily::adapted_width(int width, ElementType from, ElementType to) {
  return std::max(1, width * static_cast<int>(size_of(from)) / static_cast<int>(size_of(to)));
}

std::string ArrayFamily::too_many(std::uint64_t count) {
  return fmt::format("{} elements are more than the most, 2^40", count);
}

}  // namespace foldtune
