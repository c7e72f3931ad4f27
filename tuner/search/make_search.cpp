// The table of searches.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "foldtune/error.h"
#include "tuner/search/candidate_search.h"

namespace foldtune {
namespace {

struct Entry {
  SearchKind kind;
  MakeSearch* make;
};

constexpr std::array kEntries{
    Entry{{"default", "the model's guesses, neighbours of the best, and what is unknown"},
          make_default_search},
    Entry{{"model", "an analytic prior, refined by what was measured"}, make_model_search},
    Entry{{"local", "a random sample, then neighbours of the best"}, make_local_search},
    Entry{{"halving", "many with few samples, the better ones again with more"},
          make_halving_search},
    Entry{{"random", "in random order"}, make_random_search},
    Entry{{"exhaustive", "everything, configurations of one program together"},
          make_exhaustive_search},
};

const Entry& entry_of(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kEntries, [&](const Entry& entry) { return entry.kind.name == name; });
  if (found != kEntries.end()) return *found;
  std::string names;
  for (const Entry& entry : kEntries) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.kind.name);
  }
  throw InvalidArgument(fmt::format("there is no search \"{}\"; there are {}", name, names));
}

/// A list of something of every entry.
template <class T, class Get>
std::vector<T> collect(const Get& get) {
  std::vector<T> all;
  all.reserve(kEntries.size());
  std::ranges::transform(kEntries, std::back_inserter(all), get);
  return all;
}

}  // namespace

const std::vector<SearchKind>& search_kinds() {
  static const auto kinds = collect<SearchKind>([](const Entry& entry) { return entry.kind; });
  return kinds;
}

const std::vector<std::string_view>& search_names() {
  static const auto names =
      collect<std::string_view>([](const Entry& entry) { return entry.kind.name; });
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
