/// Tunables as the host sees them: their names, their values, which combinations are valid for a
/// problem, and their JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "foldtune/problem.h"
#include "templates/histogram/params.cuh"
#include "templates/reduce/params.cuh"

namespace foldtune {

/// The tunables of a family: its struct of the device code.
using Params = std::variant<ReduceParams, HistogramParams>;

/// One field of a family's struct. Enumerators are handled as their integers; `labels` names them.
struct Tunable {
  std::string_view name;                     ///< as in the struct and in JSON
  std::string_view device_type;              ///< of an enumeration, "" for an integer
  std::span<const std::string_view> labels;  ///< of an enumeration, empty for an integer
  std::span<const int> values;               ///< in ascending order
  std::span<const int> searched;             ///< those of them that a search tries
  int (*get)(const Params& params);
  void (*set)(Params& params, int value);
};

/// What a family says of its tunables.
struct FamilyRules {
  std::string_view device_struct;     ///< "foldtune::ReduceParams"
  Params first;                       ///< of the family, with the struct's own defaults
  std::span<const Tunable> tunables;  ///< every field, in the order of the struct
  /// Whether values that are each allowed are so together, for the problem and its promises.
  bool (*is_valid)(const Problem& problem, const Params& params);
  /// Whether a search tries a valid configuration whose values are all searched: not if it is known
  /// to be slow for the problem's count.
  bool (*is_searched)(const Problem& problem, const Params& params);
  /// Of all configurations that launch the same work for the problem's count, the one that stands
  /// for them.
  Params (*canonical)(const Problem& problem, const Params& params, int multiprocessor_count);
  /// The configuration that is used where nothing was tuned.
  Params (*default_params)(const Problem& problem, int multiprocessor_count);
  /// Configurations that are known to be good somewhere: a search tries them first.
  std::vector<Params> (*known_good)(const Problem& problem);
};
const FamilyRules& rules(Family family);

bool operator==(const Params& a, const Params& b);
Family family_of(const Params& params);

/// Which part of a space.
enum class Extent {
  searched,  ///< what a search tries
  all,       ///< also what is kept for comparison, and what needs parts of the CUDA Toolkit
};

/// The valid configurations of one problem. A value type.
class Space {
 public:
  explicit Space(const Problem& problem, Extent extent = Extent::searched);

  /// Whether `params` computes the problem and keeps its promises, whatever the extent.
  bool contains(const Params& params) const;

  /// All configurations of the extent, each once.
  std::vector<Params> enumerate() const;

  /// The configurations of the extent that differ from `params` in one tunable, by one step of its
  /// values (any other value for an enumeration).
  std::vector<Params> neighbours(const Params& params) const;

  /// Whether another configuration of the space launches the same work for the problem's count, so
  /// that trying this one is a waste.
  bool is_redundant(const Params& params, int multiprocessor_count) const;

  /// The one of those configurations that is not redundant; `params` itself if it is not.
  Params canonical(const Params& params, int multiprocessor_count) const;

  /// The configuration that is used where nothing was tuned.
  Params default_params(int multiprocessor_count) const;

 private:
  std::span<const int> values_of(const Tunable& tunable) const;
  /// Whether the valid configuration, of values of the extent, is in it.
  bool is_in_extent(const Params& params) const;

  Problem problem_;
  const FamilyRules* rules_;
  Extent extent_;
};

/// {"block_size":256,...}; every tunable, in the order of the struct.
std::string to_json(const Params& params);

/// The inverse. Throws std::invalid_argument that names what is missing, unknown or out of range.
Params params_from_json(Family family, std::string_view json);

/// "foldtune::ReduceParams{.block_size=256,...}", a template argument.
std::string to_template_argument(const Params& params);

}  // namespace foldtune
