/// What one call of the family `axis` works on, as host and device see it.
#pragma once

namespace foldtune {

/// result[k, l] is the fold over r and s of input[k, r, l, s]: extents that are kept and reduced in
/// turn, each of which may be 1. Rows are {n, 1, 1, r} or {1, 1, n, r}, columns {1, r, n, 1}. An
/// element's number along the axis is r * extents[3] + s.
struct AxisShape {
  unsigned long long extents[4];
  long long strides[4];         ///< of the inputs, in elements
  long long output_strides[2];  ///< of k and l, in results
};

/// How a launch deals the results to its blocks.
struct AxisWork {
  unsigned long long units;   ///< results, strips of columns, or slabs: what a group makes at once
  unsigned long long strips;  ///< of `strips`: units of one k
  unsigned prefetched;        ///< elements of each input that are brought into the L2 early
  unsigned splits;            ///< blocks that share a unit
  unsigned items;             ///< of `staged`: slabs that a block takes at a time
  unsigned columns;           ///< of `staged`: results of a slab; 1 of a row
};

}  // namespace foldtune
