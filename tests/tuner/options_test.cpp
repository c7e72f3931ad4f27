#include "tuner/commands/options.h"

#include <algorithm>
#include <vector>

#include "tests/catch.h"

namespace foldtune {
namespace {

TEST_CASE("All operators are those of the catalogue, histograms included") {
  const std::vector<Operator> all = parse_operators("all");
  CHECK(all.size() == operators().size() + 1);
  for (const Operator op : operators()) CHECK(std::ranges::count(all, op) == 1);
  CHECK(std::ranges::count(all, Operator::histogram) == 1);
  // It is what its user makes it.
  CHECK(std::ranges::count(all, Operator::custom) == 0);
}

}  // namespace
}  // namespace foldtune
