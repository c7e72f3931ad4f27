/// A bound of a histogram's range.
#pragma once

#include <concepts>
#include <cstdint>

namespace foldtune {

/// A number of an arithmetic type of at most 64 bits, exactly: integers do not pass through
/// `double`. Wider types (`long double`, `__int128`) do not convert.
class BinBound {
 public:
  // NOLINTBEGIN(google-explicit-constructor,hicpp-explicit-conversions): it stands for a number

  /// Of an integer, exactly.
  template <std::integral Integer>
  requires(sizeof(Integer) <= sizeof(std::uint64_t)) constexpr BinBound(Integer value)
      : nearest_(static_cast<double>(value)),
        magnitude_(value < 0 ? 0 - static_cast<std::uint64_t>(value)
                             : static_cast<std::uint64_t>(value)),
        is_negative_(value < 0),
        is_integer_(true) {}
  /// Of a real number, exactly.
  template <std::floating_point Real>
  requires(sizeof(Real) <= sizeof(double)) constexpr BinBound(Real value)
      : nearest_(static_cast<double>(value)) {}
  // NOLINTEND(google-explicit-constructor,hicpp-explicit-conversions)

  /// The number, or the double that is nearest to it.
  constexpr double nearest() const { return nearest_; }

  /// Whether it was made of an integer, of which the rest speaks.
  constexpr bool is_integer() const { return is_integer_; }
  /// Whether the integer is below 0.
  constexpr bool is_negative() const { return is_negative_; }
  /// The integer without its sign.
  constexpr std::uint64_t magnitude() const { return magnitude_; }

 private:
  double nearest_;
  std::uint64_t magnitude_ = 0;
  bool is_negative_ = false;
  bool is_integer_ = false;
};

}  // namespace foldtune
