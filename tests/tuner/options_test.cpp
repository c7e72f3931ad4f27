#include "tuner/commands/options.h"

#include <algorithm>
#include <vector>

#include "tests/catch.h"

using namespace foldtune;

TEST_CASE("all operators are those of the catalogue, histograms included", "[options]") {
  const std::vector<Operator> all = parse_operators("all");
  CHECK(all.size() == operators().size() + 1);
  for (const Operator op : operators()) CHECK(std::ranges::count(all, op) == 1);
  CHECK(std::ranges::count(all, Operator::histogram) == 1);
  // It is what its user makes it.
  CHECK(std::ranges::count(all, Operator::custom) == 0);
}
