#include "tuner/measure/rotation.h"

#include "tests/catch.h"

namespace foldtune {
namespace {

constexpr std::uint64_t kKib = 1 << 10;
constexpr std::uint64_t kMib = 1 << 20;
constexpr std::uint64_t kL2 = 60 * kMib;
constexpr int kMany = 1 << 20;  ///< slices

std::uint64_t lap_bytes(std::uint64_t bytes, const Rotation& rotation) {
  return bytes * static_cast<std::uint64_t>(rotation.slices);
}

TEST_CASE("Rotation: a lap reads several times the L2, whatever the input") {
  for (std::uint64_t bytes = 512 * kKib; bytes <= 1024 * kMib; bytes *= 2) {
    CAPTURE(bytes);
    const Rotation rotation = plan_rotation(bytes, kL2, kMany, 4);
    CHECK(lap_bytes(bytes, rotation) >= 4 * kL2);
    CHECK(lap_bytes(bytes, rotation) < 4 * kL2 + bytes);
    CHECK_FALSE(rotation.needs_flush);
    CHECK(rotation.calls >= 4);
    CHECK(rotation.calls <= kMostRotatingCalls);
    CHECK(rotation.calls % rotation.slices == 0);
  }
}

TEST_CASE("Rotation: inputs too small for a lap need a flush") {
  for (const std::uint64_t bytes : {std::uint64_t{4}, 4 * kKib, 256 * kKib}) {
    const Rotation rotation = plan_rotation(bytes, kL2, kMany, 384);
    CHECK(rotation.slices == kMostRotatingCalls);
    CHECK(rotation.calls == kMostRotatingCalls);
    CHECK(rotation.needs_flush);
  }
}

TEST_CASE("Rotation: a large input is one slice, called a few times") {
  const Rotation rotation = plan_rotation(1024 * kMib, kL2, kMany, 4);
  CHECK(rotation.slices == 1);
  CHECK(rotation.calls == 4);
}

TEST_CASE("Rotation: no more slices than there are") {
  const Rotation rotation = plan_rotation(kMib, kL2, 3, 10);
  CHECK(rotation.slices == 3);
  CHECK(rotation.calls == 12);
  CHECK(rotation.needs_flush);
  CHECK(plan_rotation(kMib, kL2, 0, 1).slices == 1);
}

TEST_CASE("Rotation: there is none without an L2") {
  const Rotation rotation = plan_rotation(kMib, 0, kMany, 1);
  CHECK(rotation.slices == 1);
  CHECK(rotation.calls == 1);
  CHECK_FALSE(rotation.needs_flush);
}

}  // namespace
}  // namespace foldtune
