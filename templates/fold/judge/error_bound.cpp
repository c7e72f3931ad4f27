#include "templates/fold/judge/error_bound.h"

#include <algorithm>
#include <cmath>

#include "templates/fold/judge/reference_row.h"
#include "tuner/verify/elements.h"

namespace foldtune {
namespace {

/// The most that `roundings` of them in a row change a number by, relative to it:
/// (1 + u)^roundings - 1. It holds for any number of them. u is a little above the accumulator's
/// unit roundoff, for the reference has roundings too: in long double, as many at most.
long double growth(std::uint64_t roundings, ElementType accumulator) {
  const long double u = unit_roundoff(accumulator) * (1 + 0x1p-10L);
  return std::expm1(static_cast<long double>(roundings) * std::log1p(u));
}

/// Roundings of an element when it becomes a number of the accumulator's type.
std::uint64_t conversion_roundings(const Reduction& reduction) {
  return !is_floating(reduction.type) && size_of(reduction.type) == 8 ? 1 : 0;
}

/// A GPU's atomic addition of f32 in global memory takes denormal operands, and gives denormal
/// sums, as 0.
long double flushed(const Reduction& reduction, const FoldShape& shape) {
  if (reduction.accumulator_type() != ElementType::f32) return 0;
  return 2 * static_cast<long double>(shape.memory_atomics) * 0x1p-126L;
}

/// With the rounding of a result within `bound` of `value` to the result's type. f64 becomes f16
/// and bf16 by way of f32.
long double round_result(const Reduction& reduction, long double value, long double bound) {
  const ElementType type = reduction.result_type();
  if (size_of(type) >= size_of(reduction.accumulator_type())) return bound;
  const long double narrow = unit_roundoff(type);
  const long double wide = unit_roundoff(ElementType::f32);
  const long double relative = narrow + wide + narrow * wide;
  return bound + relative * (std::fabs(value) + bound) + least_positive(type);
}

/// The bound of the rounded square root of what is within `bound` of `value`. The root is steeper
/// below the value than above it.
long double root_bound(const Reduction& reduction, long double value, long double bound) {
  const long double exact = std::sqrt(value);
  const long double off =
      std::max(exact - std::sqrt(std::max(0.0L, value - bound)), std::sqrt(value + bound) - exact);
  return off + growth(1, reduction.accumulator_type()) * (exact + off) +
         least_positive(reduction.accumulator_type());
}

}  // namespace

/// Each element is multiplied by (1 + e), |e| <= u, once in every addition that it passes through.
long double sum_bound(const Reduction& reduction, const FoldShape& shape,
                      const Reference& reference) {
  const std::uint64_t roundings = shape.depth + conversion_roundings(reduction);
  return growth(roundings, reduction.accumulator_type()) * reference.sum_of_magnitudes +
         flushed(reduction, shape);
}

/// As a sum of terms that have the rounding of the multiplication, and of the conversion of both
/// factors. A product below the least normal number is off by half the least positive one.
long double sum_of_products_bound(const Reduction& reduction, const FoldShape& shape,
                                  const Reference& reference) {
  const ElementType accumulator = reduction.accumulator_type();
  const std::uint64_t roundings = shape.depth + 1 + 2 * conversion_roundings(reduction);
  const long double grown = growth(roundings, accumulator);
  const long double underflow =
      static_cast<long double>(reference.count) * least_positive(accumulator);
  return grown * reference.sum_of_magnitudes + (1 + grown) * underflow + flushed(reduction, shape);
}

/// The squares are scaled, so that what is lost of one is below the last bit of their sum.
long double nrm2_bound(const Reduction& reduction, const FoldShape& shape,
                       const Reference& reference) {
  const std::uint64_t roundings = shape.depth + 2 + 2 * conversion_roundings(reduction);
  const long double squares = reference.sum_of_magnitudes;
  return root_bound(reduction, squares, growth(roundings, reduction.accumulator_type()) * squares);
}

/// The sum's, with that of two ranges, divided by the count. That the divisor is rounded is as bad
/// as two roundings of the quotient.
long double mean_bound(const Reduction& reduction, const FoldShape& shape,
                       const Reference& reference) {
  const auto count = static_cast<long double>(reference.count);
  const FoldShape of_both{.depth = shape.depth + 1, .memory_atomics = shape.memory_atomics};
  const long double bound = sum_bound(reduction, of_both, reference) / count;
  return bound +
         growth(3, reduction.accumulator_type()) *
             (std::fabs(reference.numbers[0].floating) + bound) +
         least_positive(reduction.accumulator_type());
}

/// How far the sum of squared deviations may be off.
///
/// Chan's merge of parts of na and nb elements with means a and b and sums of squared deviations Ma
/// and Mb, n = na + nb: the mean a + (b - a) w, w = nb/n, and Ma + Mb + (b - a)^2 W, W = na nb/n.
/// A mean is the sum of two numbers, the second of which has what the first was rounded by.
///
/// The mean: let no element be larger than X, nor farther from the mean of all than D; then no
/// part's mean is, and |b - a| <= 2 D. The first number takes one rounding in a merge, u X, which
/// the second one gets. So after d merges the second is at most g(2 d) X, and what it is rounded by
/// g(2 d)^2 X, where g(k) = (1 + u)^k - 1. The distance b - a has 3 roundings, w has 3, and their
/// product 2 when it comes to the second number: less than 16 u D in a merge. So the mean is off by
/// E <= g(16 d) D + g(3 d)^2 X, d counting one more for the tile.
///
/// The squares: in exact arithmetic M is the sum of all merges' (b - a)^2 W. A difference that is
/// off by 2 E changes that sum, a squared norm, from M to at most r^2 = (sqrt(M) + 2 E sqrt(V))^2,
/// V being the sum of all W. A term has 9 roundings (the difference's twice, the weight's 3, a
/// conversion, 3 products) and passes two additions in a merge; the division adds 3, with that of
/// its divisor: r^2 (1 + g(2 d + 12)) - M.
///
/// V: W <= min(na, nb), and an element that is in the smaller part of a merge is in one at least
/// twice as large after it, so V <= n log2(n).
///
/// A thread folds the k elements of a tile by their distances from one of them, b: the mean is b
/// and the distances' mean s/k, off by less than log2(k) merges add. The squares of the distances,
/// q, less s^2/k are M; each has 3 roundings and passes log2(k) additions, and b is one of the
/// elements, so that q = M + k (b - mean)^2 <= (k + 1) M. What is lost is less than g(log2(k) + 6)
/// (2 k + 1) M.
///
/// A warp that merges its parts at once, up to 5 of each lane, counts as 5 merges and one for each
/// part of a lane after the first, and is no worse. The mean is b + sum (a - b) w, b being a
/// part's: (a - b) w has 6 roundings and passes 10 additions, so it adds less than 35 u D, where 5
/// merges add 80. A term has 5 roundings and passes 2 + 5 additions, and one for each part of a
/// lane after the first. Its W are the counts of the parts: V grows by n in each of the 4 places
/// where a warp merges, in the block twice and in the grid as often.
///
/// So the bound is relative to the deviations, as that of two passes is, and elements far from zero
/// come in by the square of u. Elements that are rounded when they are converted move by u X.
long double second_moment_bound(const Reduction& reduction, const FoldShape& shape,
                                const Reference& reference) {
  const ElementType accumulator = reduction.accumulator_type();
  const auto count = static_cast<long double>(reference.count);
  const long double far = reference.largest_magnitude;
  const auto square = [](long double x) { return x * x; };
  const long double mean_error =
      growth(16 * (shape.depth + 1), accumulator) * reference.largest_deviation +
      square(growth(3 * (shape.depth + 1), accumulator)) * far +
      growth(conversion_roundings(reduction), accumulator) * far + least_positive(accumulator);
  const long double norm =
      std::sqrt(reference.second_moment) +
      2 * mean_error * std::sqrt(count * (4 + std::log2(std::max(2.0L, count))));
  return square(norm) * (1 + growth(2 * shape.depth + 12, accumulator)) - reference.second_moment +
         growth(8, accumulator) * count * square(growth(shape.depth, accumulator) * far);
}

long double variance_bound(const Reduction& reduction, const FoldShape& shape,
                           const Reference& reference) {
  const auto divisor = static_cast<long double>(reference.count) - reduction.ddof;
  return second_moment_bound(reduction, shape, reference) / divisor +
         least_positive(reduction.accumulator_type());
}

long double stddev_bound(const Reduction& reduction, const FoldShape& shape,
                         const Reference& reference) {
  const auto divisor = static_cast<long double>(reference.count) - reduction.ddof;
  return root_bound(reduction, reference.second_moment / divisor,
                    second_moment_bound(reduction, shape, reference) / divisor);
}

/// A merge makes S = H + L exp(t) of two sums, t <= 0: L exp(t) is off by 3 |t| u (the rounding of
/// t, and of its product with log2(e), itself rounded), 2 ulps of the power (4 u) and the roundings
/// of the product and the sum, relative to itself. H holds its greatest element, so S >= H >= 1,
/// and L <= n. If |t| <= ln(n) + 1 that is at most e = (3 ln(n) + 9) u of S; if not, L |t| exp(t)
/// <= n |t| exp(-|t|) is less than ln(n) + 1, and so it is e again. Second-order terms are less
/// than the 1 u more that is counted; a power that is 0, since it is less than the least normal
/// number, is off by less than that. All terms are positive, so d merges leave the sum between (1 -
/// e)^d and (1 + e)^d of what it should be, and its logarithm off by -d ln(1 - e) at most. Then the
/// logarithm itself is off by 2 ulps, and the last sum is rounded. That elements are rounded when
/// they are converted moves all by |x| u at most. A warp that merges at once makes one such product
/// of each part, and the additions of the merges in its place.
long double logsumexp_bound(const Reduction& reduction, const FoldShape& shape,
                            const Reference& reference) {
  const long double u = growth(1, reduction.accumulator_type());
  const long double log_count = std::log(std::max(1.0L, static_cast<long double>(reference.count)));
  const long double merge = (3 * log_count + 10) * u;
  const long double of_sum = -static_cast<long double>(shape.depth) * std::log1p(-merge);
  const long double of_log = 4 * u * (log_count + of_sum);
  const long double of_elements =
      conversion_roundings(reduction) == 0 ? 0 : u * reference.largest_magnitude;
  const long double bound = of_sum + of_log + of_elements;
  return bound + u * (std::fabs(reference.numbers[0].floating) + bound);
}

/// However the elements meet, all roundings are factors (1 + e) of the one product: one for each
/// multiplication, of which those by 1 and -1 are exact, and one for each conversion. No partial
/// product may leave the range of normal numbers; the last one may.
long double product_bound(const Reduction& reduction, const FoldShape&,
                          const Reference& reference) {
  const std::uint64_t roundings = reference.factors * (1 + conversion_roundings(reduction));
  return growth(roundings, reduction.accumulator_type()) *
             std::fabs(reference.numbers[0].floating) +
         least_positive(reduction.accumulator_type());
}

long double error_bound(const Reduction& reduction, const FoldShape& shape,
                        const Reference& reference) {
  if (reduction.op == Operator::custom || is_exact(reduction)) return 0;
  const long double bound = reference_row(reduction.op).bound(reduction, shape, reference);
  return round_result(reduction, reference.numbers[0].floating, bound);
}

}  // namespace foldtune
