#include "runtime/launch/append_only_map.h"

#include <thread>
#include <vector>

#include "tests/catch.h"

namespace foldtune::test {
namespace {

struct Key {
  std::uint64_t number;
  std::uint64_t bits() const { return number; }
  bool operator==(const Key&) const = default;
};

/// Whose keys all share a list.
struct LikeKey {
  int number;
  static std::uint64_t bits() { return 7; }
  bool operator==(const LikeKey&) const = default;
};

TEST_CASE("AppendOnlyMap: finds what was added, wherever its key's bits differ") {
  AppendOnlyMap<Key, int> map;
  std::vector<const int*> values;
  for (int bit = 0; bit < 64; ++bit) {
    const Key key{std::uint64_t{1} << bit};
    CHECK(map.find(key) == nullptr);
    values.push_back(&map.add(key, std::make_unique<int>(bit)));
  }
  for (int bit = 0; bit < 64; ++bit) {
    const int* const found = map.find({std::uint64_t{1} << bit});
    CHECK(found == values[bit]);
    CHECK(*found == bit);
  }
  CHECK(map.find({3}) == nullptr);
}

TEST_CASE("AppendOnlyMap: keys may share a list") {
  AppendOnlyMap<LikeKey, int> map;
  for (int i = 0; i < 100; ++i) map.add({i}, std::make_unique<int>(2 * i));
  for (int i = 0; i < 100; ++i) CHECK(*map.find({i}) == 2 * i);
  CHECK(map.find({100}) == nullptr);
}

TEST_CASE("AppendOnlyMap: is read while it grows") {
  AppendOnlyMap<Key, std::uint64_t> map;
  constexpr std::uint64_t kKeys = 2000;
  std::vector<std::jthread> readers;
  std::vector<std::uint64_t> wrong(4);
  for (std::uint64_t& own : wrong) {
    readers.emplace_back([&] {
      for (std::uint64_t i = 0; i < kKeys;) {
        const std::uint64_t* const found = map.find({i});
        if (found == nullptr) continue;
        if (*found != i + 1) ++own;
        ++i;
      }
    });
  }
  for (std::uint64_t i = 0; i < kKeys; ++i) map.add({i}, std::make_unique<std::uint64_t>(i + 1));
  readers.clear();
  CHECK(wrong == std::vector<std::uint64_t>(4));
}

}  // namespace
}  // namespace foldtune::test
