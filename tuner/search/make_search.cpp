// The table of searches.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "foldtune/error.h"
#include "tuner/search/candidate_search.h"

namespace foldtune {
namespace {

struct Entry {
  std::string_view name;
  MakeSearch* make;
};

constexpr std::array kEntries{
    Entry{"default", make_default_search},
    Entry{"seeded", make_seeded_search},
    Entry{"random", make_random_search},
    Entry{"exhaustive", make_exhaustive_search},
};

}  // namespace

const std::vector<std::string_view>& search_names() {
  static const auto names = [] {
    std::vector<std::string_view> all(kEntries.size());
    std::ranges::transform(kEntries, all.begin(), &Entry::name);
    return all;
  }();
  return names;
}

std::unique_ptr<Search> make_search(std::string_view name,
                                    const std::shared_ptr<const Candidates>& candidates,
                                    const std::vector<Config>& seeds, std::uint64_t seed) {
  const auto* const found = std::ranges::find(kEntries, name, &Entry::name);
  if (found != kEntries.end()) return found->make(candidates, seeds, seed);
  throw InvalidArgument(
      fmt::format("there is no search '{}': use one of {}", name, fmt::join(search_names(), ", ")));
}

}  // namespace foldtune
