/// What the families have in common whose calls read arrays in vectors. What every call asks is
/// defined here, to be inlined.
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

  /// As enum Alignment.
  std::span<const std::string_view> layouts() const final;

 protected:
  ~ArrayFamily() = default;

  /// Empty if an array may have so many elements, else what is wrong.
  static std::string find_count_fault(std::uint64_t count) {
    return count <= kMaxCount ? std::string() : too_many(count);
  }

  /// The layout of a call, of whose inputs' addresses this is the bitwise or.
  static int layout_of(std::uintptr_t addresses) {
    const bool is_aligned = addresses % kMaxLoadBytes == 0;
    return static_cast<int>(is_aligned ? Alignment::vector : Alignment::element);
  }

  /// The largest count of a size class that may be.
  static std::uint64_t max_count(int size_class);

  /// The elements of a vector of as many bytes as `width` elements of type `from` have.
  static int adapted_width(int width, ElementType from, ElementType to);

 private:
  static std::string too_many(std::uint64_t count);
};

}  // namespace foldtune
