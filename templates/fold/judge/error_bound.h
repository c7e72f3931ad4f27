/// How far a right result may be from its reference, for each kind of fold.
#pragma once

#include "templates/fold/judge/reference.h"

namespace foldtune {

/// How a configuration brings partial results together.
struct FoldShape {
  std::uint64_t depth = 0;           ///< the most combinations that an element passes through
  std::uint64_t tile = 1;            ///< elements that a thread folds at once
  std::uint64_t memory_atomics = 0;  ///< combinations in global memory by an atomic instruction
};

/// The bound of an operator whose accumulator is a floating-point number: on the difference between
/// the last partial result, finished, and the reference, before it is rounded to the result's type.
using ErrorBound = long double (*)(const Reduction& reduction, const FoldShape& shape,
                                   const Reference& reference);

/// The most by which the (first) number of a right result may differ from the reference; 0 for
/// everything that must be exact, and for custom operators, of which nothing is known. For sums it
/// is ((1 + u)^d - 1) * sum|map(x)|, where d is `shape.depth`, and u the accumulator's unit
/// roundoff; error_bound.cpp derives the others.
long double error_bound(const Reduction& reduction, const FoldShape& shape,
                        const Reference& reference);

long double sum_bound(const Reduction& reduction, const FoldShape& shape,
                      const Reference& reference);
long double sum_of_products_bound(const Reduction& reduction, const FoldShape& shape,
                                  const Reference& reference);
long double nrm2_bound(const Reduction& reduction, const FoldShape& shape,
                       const Reference& reference);
long double mean_bound(const Reduction& reduction, const FoldShape& shape,
                       const Reference& reference);
long double variance_bound(const Reduction& reduction, const FoldShape& shape,
                           const Reference& reference);
long double stddev_bound(const Reduction& reduction, const FoldShape& shape,
                         const Reference& reference);
long double logsumexp_bound(const Reduction& reduction, const FoldShape& shape,
                            const Reference& reference);
long double product_bound(const Reduction& reduction, const FoldShape& shape,
                          const Reference& reference);

}  // namespace foldtune
