/// The range of even bins as the kernels take it; range.h prepares it on the host.
#pragma once

namespace foldtune {

/// For elements that are integers of up to 32 bits. Element x is the `t = x - first`th, is inside
/// if t <= last, and is in bin (t * multiplier + offset) / 2^(32 + shift), or in the last one if
/// that is beyond it. The fixed-point numbers are rounded up, and have enough bits for the bin to
/// be exact.
struct IntegerRange {
  unsigned first = 0;                  ///< the lowest element inside, in two's complement
  unsigned last = 0;                   ///< the highest one, less `first`
  unsigned shift = 0;                  ///< 1 to 43
  unsigned offset_low = 0;             ///< the low 32 bits of the offset
  unsigned long long offset_high = 0;  ///< the others
  unsigned long long multiplier = 0;
};

/// For other elements: x is inside if lower <= x <= upper, and in bin (x - lower) * scale, or in
/// the last one if that is beyond it. Every operation is rounded by itself.
template <class Real>
struct RealRange {
  Real lower = 0;
  Real upper = 0;
  Real scale = 0;
};

/// What a kernel needs to find bins; it uses one of these.
struct BinRange {
  IntegerRange integers;
  RealRange<float> floats;
  RealRange<double> doubles;
  const void* edges = nullptr;  ///< of custom bins
};

}  // namespace foldtune
