/// Element types as they are stored, and numbers as registers hold them.
#pragma once

#include "templates/device/platform.cuh"

namespace foldtune {

/// IEEE half precision, as stored.
struct float16 {
  uint16 bits;
};

/// The upper half of a float, as stored.
struct bfloat16 {
  uint16 bits;
};

template <class T, class U>
inline constexpr bool kIsSame = false;
template <class T>
inline constexpr bool kIsSame<T, T> = true;

template <class T>
inline constexpr bool kIsFloating = false;
template <>
inline constexpr bool kIsFloating<float> = true;
template <>
inline constexpr bool kIsFloating<double> = true;

/// What registers hold a number of type T in: nothing narrower than 32 bits.
template <class T>
struct HeldAs {
  using type = T;
};
template <>
struct HeldAs<signed char> {
  using type = int32;
};
template <>
struct HeldAs<unsigned char> {
  using type = uint32;
};
template <>
struct HeldAs<short> {
  using type = int32;
};
template <>
struct HeldAs<unsigned short> {
  using type = uint32;
};
template <>
struct HeldAs<float16> {
  using type = float;
};
template <>
struct HeldAs<bfloat16> {
  using type = float;
};
template <class T>
using Held = typename HeldAs<T>::type;

/// The unsigned type of an integer that registers hold; a floating type is its own.
template <class T>
struct MagnitudeOf {
  using type = T;
};
template <>
struct MagnitudeOf<int32> {
  using type = uint32;
};
template <>
struct MagnitudeOf<int64> {
  using type = uint64;
};
template <class T>
using Magnitude = typename MagnitudeOf<T>::type;

/// The unsigned integer of a size in bytes.
template <int kSize>
struct WordOfSize;
template <>
struct WordOfSize<1> {
  using type = uint8;
};
template <>
struct WordOfSize<2> {
  using type = uint16;
};
template <>
struct WordOfSize<4> {
  using type = uint32;
};
template <>
struct WordOfSize<8> {
  using type = uint64;
};
template <int kSize>
using Word = typename WordOfSize<kSize>::type;

/// `kWidth` elements that are loaded by one instruction.
template <class T, int kWidth>
struct alignas(sizeof(T) * kWidth) Pack {
  T elements[kWidth];
};

template <class To, class From>
FOLDTUNE_DEVICE To bit_cast(const From& value) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, value);
}

/// An element as registers hold it. Exact.
template <class T>
FOLDTUNE_DEVICE Held<T> load_number(T element) {
  if constexpr (kIsSame<T, float16>) {
    return platform::half_to_float(element.bits);
  } else if constexpr (kIsSame<T, bfloat16>) {
    return bit_cast<float>(static_cast<uint32>(element.bits) << 16);
  } else {
    return element;
  }
}

/// The nearest number of type T; integers wrap.
template <class T, class Number>
FOLDTUNE_DEVICE T store_number(Number number) {
  if constexpr (kIsSame<T, float16>) {
    return float16{platform::float_to_half(static_cast<float>(number))};
  } else if constexpr (kIsSame<T, bfloat16>) {
    const float value = static_cast<float>(number);
    const uint32 bits = bit_cast<uint32>(value);
    if (value != value) return bfloat16{0x7fff};
    return bfloat16{static_cast<uint16>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
  } else {
    return static_cast<T>(number);
  }
}

/// The extremes of a type that registers hold. For floating types these are the infinities.
template <class T>
struct Limits {
  static FOLDTUNE_DEVICE T lowest() {
    if constexpr (kIsFloating<T>) {
      return -highest();
    } else if constexpr (T(-1) < T(0)) {
      return static_cast<T>(Magnitude<T>{1} << (8 * sizeof(T) - 1));
    } else {
      return 0;
    }
  }
  static FOLDTUNE_DEVICE T highest() {
    if constexpr (kIsSame<T, float>) {
      return bit_cast<float>(0x7f800000u);
    } else if constexpr (kIsSame<T, double>) {
      return bit_cast<double>(0x7ff0000000000000ull);
    } else {
      return static_cast<T>(~static_cast<Magnitude<T>>(lowest()));
    }
  }
  static FOLDTUNE_DEVICE T nan() {
    if constexpr (kIsSame<T, float>) {
      return bit_cast<float>(0x7fc00000u);
    } else {
      return bit_cast<double>(0x7ff8000000000000ull);
    }
  }
};

/// The extremes of an integer element type, as registers hold it: i8 ends at 127.
template <class T>
FOLDTUNE_DEVICE Held<T> lowest_element() {
  if constexpr (sizeof(T) < 4 && !kIsFloating<Held<T>>) {
    return T(-1) < T(0) ? -(Held<T>{1} << (8 * sizeof(T) - 1)) : Held<T>{0};
  } else {
    return Limits<Held<T>>::lowest();
  }
}
template <class T>
FOLDTUNE_DEVICE Held<T> highest_element() {
  if constexpr (sizeof(T) < 4 && !kIsFloating<Held<T>>) {
    return (Held<T>{1} << (8 * sizeof(T) - (T(-1) < T(0) ? 1 : 0))) - 1;
  } else {
    return Limits<Held<T>>::highest();
  }
}

template <class T>
FOLDTUNE_DEVICE bool is_nan(T value) {
  if constexpr (kIsFloating<T>) {
    return value != value;
  } else {
    return false;
  }
}

// Arithmetic in which integers wrap, as unsigned ones do.
template <class T>
FOLDTUNE_DEVICE T add(T a, T b) {
  return static_cast<T>(static_cast<Magnitude<T>>(a) + static_cast<Magnitude<T>>(b));
}
template <class T>
FOLDTUNE_DEVICE T multiply(T a, T b) {
  return static_cast<T>(static_cast<Magnitude<T>>(a) * static_cast<Magnitude<T>>(b));
}
/// |value|; of integers without a sign, so that the lowest one has its own.
template <class T>
FOLDTUNE_DEVICE Magnitude<T> magnitude(T value) {
  if constexpr (kIsFloating<T>) {
    return value <= T{0} ? T{0} - value : value;  // -0, too, becomes +0; NaN stays
  } else if constexpr (kIsSame<T, Magnitude<T>>) {
    return value;
  } else {
    const auto bits = static_cast<Magnitude<T>>(value);
    return value < T{0} ? Magnitude<T>{0} - bits : bits;
  }
}

}  // namespace foldtune
