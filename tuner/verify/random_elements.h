/// Pseudo-random numbers as elements of every type, the same for the same seed on every machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tuner/verify/elements.h"

namespace foldtune {

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): 64 well-mixed bits of a counter.
inline std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// Uniform in [0, 1).
inline double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// The number of type T next to `value`, but less than 1.
template <class T>
T below_one(double value) {
  constexpr double kRoundoff = kIsSame<T, float16>    ? 0x1p-11
                               : kIsSame<T, bfloat16> ? 0x1p-8
                               : kIsSame<T, float>    ? 0x1p-24
                                                      : 0x1p-53;
  return store_number<T>(std::min(value, 1 - kRoundoff));
}

/// Integers of which sums do not soon leave 32 bits: 2^20, or the whole type if it is narrower.
inline constexpr std::uint64_t kIntegerRange = 1 << 20;

/// Floating-point numbers uniform in [-1, 1), integers in [-2^20, 2^20) as far as their type holds
/// that.
template <class T>
T random_element(std::uint64_t bits) {
  if constexpr (kIsFloating<Held<T>>) {
    return below_one<T>(2 * unit(bits) - 1);
  } else if constexpr (sizeof(T) < 4) {
    return static_cast<T>(bits);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(bits % (2 * kIntegerRange)) -
                          static_cast<std::int64_t>(kIntegerRange));
  } else {
    return static_cast<T>(bits % kIntegerRange);
  }
}

/// As many elements of `type` as there is room for: `make(zero, bits)`, a value of zero's type of
/// 64 random bits. `argument` tells the inputs of a problem apart. Uses all cores.
template <class Make>
void fill_elements(ElementType type, std::span<std::byte> elements, std::size_t argument,
                   std::uint64_t seed, const Make& make) {
  const std::uint64_t count = elements.size() / size_of(type);
  const std::uint64_t start = mix(mix(seed) + argument);
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    for_each_part(count, part_count(count),
                  [&](std::uint64_t begin, std::uint64_t end, std::size_t) {
                    for (std::uint64_t i = begin; i < end; ++i) {
                      const T element = make(zero, mix(start + i));
                      std::memcpy(elements.data() + i * sizeof(T), &element, sizeof(T));
                    }
                  });
  });
}

}  // namespace foldtune
