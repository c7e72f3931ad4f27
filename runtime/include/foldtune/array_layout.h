/// How the elements of an array of several dimensions lie in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "foldtune/export.h"

namespace foldtune {

/// The extents of an array, the outermost first, and the strides between its elements. A value
/// type.
struct FOLDTUNE_API ArrayLayout {
  static constexpr std::size_t kMaxRank = 8;  ///< dimensions at most

  /// A number: an array without dimensions.
  ArrayLayout() = default;
  /// @{
  /// In C order: the last index changes fastest, and nothing lies between the elements. Throws
  /// InvalidArgument for more than kMaxRank extents.
  ArrayLayout(std::initializer_list<std::uint64_t> extents);  // NOLINT(*-explicit-*): a shape
  explicit ArrayLayout(std::span<const std::uint64_t> extents);
  /// @}
  /// With any strides, in elements; they may be 0 or negative. Throws InvalidArgument unless there
  /// are as many of them as extents, at most kMaxRank.
  ArrayLayout(std::span<const std::uint64_t> extents, std::span<const std::int64_t> strides);

  std::size_t rank = 0;                           ///< dimensions
  std::array<std::uint64_t, kMaxRank> extents{};  ///< the first `rank` of them
  std::array<std::int64_t, kMaxRank> strides{};   ///< the same, in elements
};

}  // namespace foldtune
