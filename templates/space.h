/// The configurations that are valid for a workload.
#pragma once

#include <span>
#include <vector>

#include "foldtune/workload.h"
#include "templates/family.h"

namespace foldtune {

/// Which part of a space.
enum class Extent {
  searched,  ///< what a search tries
  all,       ///< also what is kept for comparison, and what needs parts of the CUDA Toolkit
};

/// The valid configurations of one workload. A value type.
class Space {
 public:
  explicit Space(const Workload& workload, Extent extent = Extent::searched);

  /// Whether `params` computes the problem and keeps its promises, whatever the extent.
  bool contains(const Config& params) const;

  /// All configurations of the extent, each once.
  std::vector<Config> enumerate() const;

  /// The configurations of the extent that differ from `params` in one tunable, by one step of its
  /// values (any other value for an enumeration).
  std::vector<Config> neighbours(const Config& params) const;

  /// Whether another configuration of the space launches the same work for the workload's shape,
  /// so that trying this one is a waste.
  bool is_redundant(const Config& params, int multiprocessor_count) const;

  /// The one of those configurations that is not redundant; `params` itself if it is not.
  Config canonical(const Config& params, int multiprocessor_count) const;

  /// The configuration that is used where nothing was tuned.
  Config default_params(int multiprocessor_count) const;

 private:
  std::span<const int> values_of(const Tunable& tunable) const;
  /// Whether the valid configuration, of values of the extent, is in it.
  bool is_in_extent(const Config& params) const;

  Workload workload_;
  const Family* family_;
  Extent extent_;
};

}  // namespace foldtune
