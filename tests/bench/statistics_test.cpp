#include "bench/statistics.h"

#include "tests/catch.h"

namespace foldtune::bench {
namespace {

using Samples = std::vector<double>;

TEST_CASE("The median is the middle sample, or the mean of the middle two") {
  CHECK(median(Samples{7}) == 7);
  CHECK(median(Samples{9, 1, 4}) == 4);
  CHECK(median(Samples{8, 1, 2, 4}) == 3);
}

TEST_CASE("One outlier moves neither the median nor the deviation") {
  CHECK(median(Samples{1, 2, 3, 4, 1000}) == 3);
  CHECK(median_absolute_deviation(Samples{1, 2, 3, 4, 1000}) == 1);
  CHECK(median_absolute_deviation(Samples{5, 5, 5}) == 0);
}

TEST_CASE("The geometric mean weighs twice as fast and half as fast alike") {
  CHECK(std::abs(geometric_mean(Samples{2, 0.5}) - 1) < 1e-12);
  CHECK(std::abs(geometric_mean(Samples{1, 10, 100}) - 10) < 1e-12);
}

}  // namespace
}  // namespace foldtune::bench
