/// What the families have in common whose calls read arrays of n elements, in vectors.
#pragma once

#include <cstdint>
#include <string>

#include "templates/family.h"

namespace foldtune {

class ArrayFamily : public Family {
 public:
  using Family::find_fault;

  /// {"n"}
  std::span<const std::string_view> extents() const final;
  /// As enum Alignment.
  std::span<const std::string_view> layouts() const final;
  std::string find_fault(const Problem& problem, const Shape& shape) const final;
  /// As Family's, at once: every call asks.
  Bucket bucket(const Shape& shape) const final {
    return {{static_cast<std::int16_t>(size_class(shape[0]))}};
  }
  /// No more than kMaxCount.
  Shape max_shape(const Bucket& bucket) const final;

 protected:
  ~ArrayFamily() = default;

  /// The layout of a call, of whose inputs' addresses this is the bitwise or.
  static int layout_of(std::uintptr_t addresses);

  /// The elements of a vector of as many bytes as `width` elements of type `from` have.
  static int adapted_width(int width, ElementType from, ElementType to);
};

}  // namespace foldtune
