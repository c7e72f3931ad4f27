#include "templates/array_family.h"

#include <fmt/format.h>

#include <algorithm>

#include "templates/catalog.h"
#include "templates/hardware.h"

namespace foldtune {
namespace {

constexpr std::string_view kExtents[] = {"n"};

}  // namespace

std::span<const std::string_view> ArrayFamily::extents() const { return kExtents; }

std::span<const std::string_view> ArrayFamily::layouts() const { return alignment_names(); }

std::string ArrayFamily::find_fault(const Problem&, const Shape& shape) const {
  if (shape[0] <= kMaxCount) return {};
  return fmt::format("{} elements are more than the most, 2^40", shape[0]);
}

Shape ArrayFamily::max_shape(const Bucket& bucket) const {
  return {{std::min(kMaxCount, max_of_size_class(bucket.classes[0]))}};
}

int ArrayFamily::layout_of(std::uintptr_t addresses) {
  const bool is_aligned = addresses % kMaxLoadBytes == 0;
  return static_cast<int>(is_aligned ? Alignment::vector : Alignment::element);
}

int ArrayFamily::adapted_width(int width, ElementType from, ElementType to) {
  return std::max(1, width * static_cast<int>(size_of(from)) / static_cast<int>(size_of(to)));
}

}  // namespace foldtune
