/// What the families have in common whose calls read arrays of n elements, in vectors. What every
/// call asks is defined here, to be inlined.
#pragma once

#include <cstdint>
#include <string>

#include "templates/catalog.h"
#include "templates/family.h"
#include "templates/hardware.h"

namespace foldtune {

class ArrayFamily : public Family {
 public:
  using Family::find_fault;

  /// {"n"}
  std::span<const std::string_view> extents() const final;
  /// As enum Alignment.
  std::span<const std::string_view> layouts() const final;
  std::string find_fault(const Problem&, const Shape& shape) const final {
    return shape[0] <= kMaxCount ? std::string() : too_many(shape[0]);
  }
  /// As Family's.
  Bucket bucket(const Shape& shape) const final {
    return {{static_cast<std::int16_t>(size_class(shape[0]))}};
  }
  /// No more than kMaxCount.
  Shape max_shape(const Bucket& bucket) const final;

 protected:
  ~ArrayFamily() = default;

  /// The layout of a call, of whose inputs' addresses this is the bitwise or.
  static int layout_of(std::uintptr_t addresses) {
    const bool is_aligned = addresses % kMaxLoadBytes == 0;
    return static_cast<int>(is_aligned ? Alignment::vector : Alignment::element);
  }

  /// The elements of a vector of as many bytes as `width` elements of type `from` have.
  static int adapted_width(int width, ElementType from, ElementType to);

 private:
  static std::string too_many(std::uint64_t count);
};

}  // namespace foldtune
