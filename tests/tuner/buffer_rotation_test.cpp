#include "tuner/measure/buffer_rotation.h"

#include <array>

#include "tests/catch.h"
#include "tests/fakes/fake_device.h"

namespace foldtune {
namespace {

std::uintptr_t address(const BufferRotation& areas, int area) {
  return reinterpret_cast<std::uintptr_t>(areas.at(area));
}

TEST_CASE("BufferRotation: they are apart, aligned, and in different kilobytes of a larger block") {
  test::FakeDevice device;
  constexpr std::uintptr_t kAlignment = 256;
  for (const std::size_t bytes : {4, 192, 1024, 5000, 60'000}) {
    CAPTURE(bytes);
    const BufferRotation areas(device, bytes);
    REQUIRE(areas.count() > 1);
    for (int i = 0; i < areas.count(); ++i) {
      CHECK(address(areas, i) % kAlignment == 0);
      if (i == 0) continue;
      CHECK(address(areas, i) >= address(areas, i - 1) + bytes);
      CHECK((address(areas, i) - address(areas, i - 1)) / 1024 % 2 == 1);
    }
  }
}

TEST_CASE("BufferRotation: memory is zero and belongs to the device") {
  test::FakeDevice device;
  {
    const BufferRotation areas(device, 192);
    CHECK(device.counts().live_allocations == 1);
    std::array<std::byte, 192> content{};
    content.fill(std::byte{1});
    device.copy(content.data(), areas.at(areas.count() - 1), content.size());
    CHECK(content == std::array<std::byte, 192>{});
  }
  CHECK(device.counts().live_allocations == 0);
}

TEST_CASE("BufferRotation: what takes megabytes has one, and nothing has none") {
  test::FakeDevice device;
  const BufferRotation large(device, std::size_t{8} << 20);
  CHECK(large.count() == 1);
  CHECK(large.at(0) != nullptr);
  const BufferRotation empty(device, 0);
  CHECK(empty.count() == 1);
  CHECK(empty.at(0) == nullptr);
  CHECK(device.counts().live_allocations == 1);
}

}  // namespace
}  // namespace foldtune
