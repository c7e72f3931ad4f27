/// Which configuration to try next. Pure: a search proposes, and is told the cost; it launches
/// nothing, and the same seed and costs give the same proposals.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/config_store.h"
#include "templates/space.h"

namespace foldtune {

class Candidates;

/// Proposals do not wait for results, so that several can be compiled while one is measured. Every
/// proposal is valid for the problem, and none launches the same work as another: a seed that is
/// redundant is proposed as what stands for it, one that is not valid is left out.
class Search {
 public:
  virtual ~Search() = default;

  /// What to try next, which was not proposed before. Empty when nothing is left to try.
  virtual std::optional<Config> propose() = 0;

  /// The cost (lower is better) of a proposed configuration, once per proposal; empty if it failed.
  /// What was not proposed is ignored.
  virtual void report(const Config& params, std::optional<double> cost) = 0;
};

/// The names of all searches; effort.h says which are used.
const std::vector<std::string_view>& search_names();

/// `seeds` are known to be good somewhere, the likeliest first: the first proposals, or, where the
/// search has guesses of its own, in turns with them. `seed` is of the random choices. Throws
/// InvalidArgument for a name that is no search's.
std::unique_ptr<Search> make_search(std::string_view name,
                                    const std::shared_ptr<const Candidates>& candidates,
                                    const std::vector<Config>& seeds, std::uint64_t seed);

}  // namespace foldtune
