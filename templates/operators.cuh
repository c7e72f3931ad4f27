/// What is folded: each operator is an identity and a combination, associative and commutative.
#pragma once

#include "templates/platform.cuh"

namespace foldtune {

/// The extremes of a type. For floating types these are the infinities, not the largest numbers.
template <class T>
struct Limits;

template <>
struct Limits<int32> {
  static FOLDTUNE_DEVICE int32 lowest() { return -2147483647 - 1; }
  static FOLDTUNE_DEVICE int32 highest() { return 2147483647; }
};
template <>
struct Limits<int64> {
  static FOLDTUNE_DEVICE int64 lowest() { return -9223372036854775807ll - 1; }
  static FOLDTUNE_DEVICE int64 highest() { return 9223372036854775807ll; }
};
template <>
struct Limits<float> {
  static FOLDTUNE_DEVICE float lowest() { return make(0xff800000u); }
  static FOLDTUNE_DEVICE float highest() { return make(0x7f800000u); }
  static FOLDTUNE_DEVICE float nan() { return make(0x7fc00000u); }

 private:
  static FOLDTUNE_DEVICE float make(uint32 bits) {
    float value;
    platform::from_bits(bits, value);
    return value;
  }
};
template <>
struct Limits<double> {
  static FOLDTUNE_DEVICE double lowest() { return make(0xfff0000000000000ull); }
  static FOLDTUNE_DEVICE double highest() { return make(0x7ff0000000000000ull); }
  static FOLDTUNE_DEVICE double nan() { return make(0x7ff8000000000000ull); }

 private:
  static FOLDTUNE_DEVICE double make(uint64 bits) {
    double value;
    platform::from_bits(bits, value);
    return value;
  }
};

/// Addition. Integers wrap, so they are added without a sign.
struct Sum {
  static constexpr bool kIsAddition = true;

  template <class A>
  static FOLDTUNE_DEVICE A identity() {
    return A{};
  }
  static FOLDTUNE_DEVICE float combine(float a, float b) { return a + b; }
  static FOLDTUNE_DEVICE double combine(double a, double b) { return a + b; }
  static FOLDTUNE_DEVICE int32 combine(int32 a, int32 b) {
    return static_cast<int32>(static_cast<uint32>(a) + static_cast<uint32>(b));
  }
  static FOLDTUNE_DEVICE int64 combine(int64 a, int64 b) {
    return static_cast<int64>(static_cast<uint64>(a) + static_cast<uint64>(b));
  }
};

/// The smallest element. NaN wins over every number, and -0 over +0; the NaN that is returned is
/// always the same one, so that the result's bits do not depend on the order.
struct Min {
  static constexpr bool kIsAddition = false;

  template <class A>
  static FOLDTUNE_DEVICE A identity() {
    return Limits<A>::highest();
  }
  static FOLDTUNE_DEVICE int32 combine(int32 a, int32 b) { return b < a ? b : a; }
  static FOLDTUNE_DEVICE int64 combine(int64 a, int64 b) { return b < a ? b : a; }
  template <class Float>
  static FOLDTUNE_DEVICE Float combine(Float a, Float b) {
    if constexpr (platform::kHasNativeMinimum<Float>) {
      return platform::native_minimum(a, b);
    } else {
      if (a < b) return a;
      if (b < a) return b;
      if (a == b) {  // equal bits, or zeros of either sign
        platform::from_bits(platform::to_bits(a) | platform::to_bits(b), a);
        return a;
      }
      return Limits<Float>::nan();
    }
  }
};

/// The largest element, with the rules of Min; +0 wins over -0.
struct Max {
  static constexpr bool kIsAddition = false;

  template <class A>
  static FOLDTUNE_DEVICE A identity() {
    return Limits<A>::lowest();
  }
  static FOLDTUNE_DEVICE int32 combine(int32 a, int32 b) { return a < b ? b : a; }
  static FOLDTUNE_DEVICE int64 combine(int64 a, int64 b) { return a < b ? b : a; }
  template <class Float>
  static FOLDTUNE_DEVICE Float combine(Float a, Float b) {
    if constexpr (platform::kHasNativeMinimum<Float>) {
      return platform::native_maximum(a, b);
    } else {
      if (b < a) return a;
      if (a < b) return b;
      if (a == b) {
        platform::from_bits(platform::to_bits(a) & platform::to_bits(b), a);
        return a;
      }
      return Limits<Float>::nan();
    }
  }
};

/// Combines `value` into `*target`, which other blocks combine into at the same time.
template <class Op, class A>
FOLDTUNE_DEVICE void atomic_combine(A* target, A value) {
  if constexpr (Op::kIsAddition && platform::kHasAtomicAdd) {
    platform::atomic_add(target, value);
  } else {
    using Word = decltype(platform::to_bits(value));
    Word* const word = reinterpret_cast<Word*>(target);
    Word seen = platform::load_relaxed(word);
    for (;;) {
      A current;
      platform::from_bits(seen, current);
      const Word desired = platform::to_bits(Op::combine(current, value));
      const Word found = platform::compare_and_swap(word, seen, desired);
      if (found == seen) return;
      seen = found;
    }
  }
}

}  // namespace foldtune
