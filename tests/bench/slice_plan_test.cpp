#include "bench/slice_plan.h"

#include "tests/catch.h"

namespace foldtune::bench {
namespace {

TEST_CASE("Every plan reads all of at least 256 MiB between two reads of a slice") {
  for (std::uint64_t bytes = 1; bytes <= 16 * kGiB; bytes = bytes * 3 + 5) {
    const SlicePlan plan = plan_slices(bytes);
    CHECK(plan.stride >= bytes);
    CHECK(plan.stride % kSliceAlignment == 0);
    CHECK(plan.pool_bytes() >= kLeastPoolBytes);
    CHECK(plan.calls >= kLeastCalls);
    CHECK(plan.calls % plan.slices == 0);
  }
}

TEST_CASE("The pool stays within 4 GiB unless one input is larger") {
  for (std::uint64_t bytes = 1; bytes <= 4 * kGiB; bytes = bytes * 2 + 1) {
    CHECK(plan_slices(bytes).pool_bytes() <= kMostPoolBytes + kMiB);
  }
  CHECK(plan_slices(8 * kGiB).pool_bytes() == 8 * kGiB);
}

TEST_CASE("Small inputs are many slices, and tiny ones no more than 65536") {
  CHECK(plan_slices(16 << 10).slices == 16384);
  CHECK(plan_slices(16 << 10).calls == 16384);
  CHECK(plan_slices(4).slices == 65536);
}

TEST_CASE("Inputs of a GiB are few slices, read several times over") {
  const SlicePlan plan = plan_slices(kGiB);
  CHECK(plan.slices == 4);
  CHECK(plan.calls == 16);
}

}  // namespace
}  // namespace foldtune::bench
