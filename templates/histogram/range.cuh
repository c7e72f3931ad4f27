/// The range of even bins as the kernels take it; range.h prepares it on the host.
///
/// A kernel computes the place of an element in the range, in bins, and rounds that down. Where
/// rounding errors could put an element beside an edge into a wrong bin, the place is at most what
/// is right, and `doubt` says by how much it may be less: the bin is then searched among those from
/// the place to the place + doubt, which are mostly one. No place of an exact range is in doubt.
#pragma once

namespace foldtune {

/// For elements that are integers. Element x is the `t = x - first`th, is inside if t <= last, and
/// has the place (u * multiplier + offset) / 2^(32 + shift), where u is t >> narrowing, of 32 bits.
struct IntegerRange {
  unsigned long long first = 0;        ///< the lowest element inside, in two's complement
  unsigned long long last = 0;         ///< the highest one, less `first`
  unsigned narrowing = 0;              ///< 0 for elements of up to 32 bits
  unsigned shift = 0;                  ///< 1 to 43
  unsigned offset_low = 0;             ///< the low 32 bits of the offset
  unsigned long long offset_high = 0;  ///< the others
  unsigned long long multiplier = 0;
  unsigned long long doubt = 0;  ///< in units of 2^-shift
};

/// For other elements: x is inside if lower <= x <= upper. The place is (x - lower) * scale in an
/// exact range, and (x - lower) * scale + offset, in units of 2^-shift, in others. The difference
/// is rounded down.
template <class Real>
struct RealRange {
  Real lower = 0;
  Real upper = 0;
  Real scale = 0;
  Real offset = 0;
  unsigned shift = 0;
  unsigned doubt = 0;  ///< in units of 2^-shift
};

/// Where bins begin, for elements that are in doubt; range.h has the definition.
struct EvenEdges {
  double lower = 0;
  double step = 0;
  bool are_exact = false;            ///< they are those of integers, and what follows is used
  unsigned long long start = 0;      ///< of the lowest element inside, less the lower bound
  unsigned long long quotient = 0;   ///< of the range's width by the number of bins
  unsigned long long remainder = 0;  ///< the same
};

/// What a kernel needs to find bins; it uses one of these.
struct BinRange {
  IntegerRange integers;
  RealRange<float> floats;
  RealRange<double> doubles;
  EvenEdges even;
  bool is_exact = false;        ///< of even bins of elements of up to 32 bits
  const void* edges = nullptr;  ///< of custom bins
};

}  // namespace foldtune
