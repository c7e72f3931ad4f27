// The table of searches.
#include <fmt/format.h>

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
    Entry{"default", make_default_search},       Entry{"model", make_model_search},
    Entry{"seeded", make_seeded_search},         Entry{"random", make_random_search},
    Entry{"exhaustive", make_exhaustive_search},
};

const Entry& entry_of(std::string_view name) {
  const auto* const found = std::ranges::find(kEntries, name, &Entry::name);
  if (found != kEntries.end()) return *found;
  std::string names;
  for (const Entry& entry : kEntries) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  }
  throw InvalidArgument(fmt::format("there is no search \"{}\"; there are {}", name, names));
}

}  // namespace

const std::vector<std::string_view>& search_names() {
  static const auto names = [] {
    std::vector<std::string_view> all(kEntries.size());
    std::ranges::transform(kEntries, all.begin(), &Entry::name);
    return all;
  }();
  return names;
}

std::unique_ptr<Search> make_search(std::string_view name, const SearchTask& task) {
  const Entry& entry = entry_of(name);
  return entry.make(std::make_shared<const Candidates>(task.problem, task.device), task.seeds,
                    task.seed);
}

std::unique_ptr<Search> make_search(std::string_view name,
                                    const std::shared_ptr<const Candidates>& candidates,
                                    const std::vector<Params>& seeds, std::uint64_t seed) {
  return entry_of(name).make(candidates, seeds, seed);
}

}  // namespace foldtune
