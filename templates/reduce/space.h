/// The tunables of the family `reduce` as the host sees them: their names, their values, which
/// combinations are valid for a problem, and their JSON.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foldtune/problem.h"
#include "templates/reduce/params.cuh"

namespace foldtune {

/// One field of ReduceParams. Enumerators are handled as their integers; `labels` names them.
struct Tunable {
  std::string_view name;                     ///< as in ReduceParams and in JSON
  std::string_view device_type;              ///< of an enumeration, "" for an integer
  std::span<const std::string_view> labels;  ///< of an enumeration, empty for an integer
  std::span<const int> values;               ///< in ascending order
  int (*get)(const ReduceParams& params);
  void (*set)(ReduceParams& params, int value);
};

bool operator==(const ReduceParams& a, const ReduceParams& b);

/// Every field of ReduceParams, in its order.
std::span<const Tunable> reduce_tunables();

/// The valid configurations of one problem. A value type.
class ReduceSpace {
 public:
  explicit ReduceSpace(const Problem& problem);

  /// Whether `params` computes the problem and keeps its promises.
  bool contains(const ReduceParams& params) const;

  /// All configurations, each once.
  std::vector<ReduceParams> enumerate() const;
  std::uint64_t size() const;

  /// The configurations that differ from `params` in one tunable, by one step of its values (any
  /// other value for an enumeration).
  std::vector<ReduceParams> neighbours(const ReduceParams& params) const;

  /// Configurations that together hold every valid pair of two tunables' values (pairwise
  /// coverage). Deterministic.
  std::vector<ReduceParams> covering_sample() const;

  /// Whether another configuration of the space launches the same work for the problem's count, so
  /// that trying this one is a waste.
  bool is_redundant(const ReduceParams& params, int multiprocessor_count) const;

  /// The configuration that is used where nothing was tuned.
  ReduceParams default_params(int multiprocessor_count) const;

 private:
  Problem problem_;
};

/// {"block_size":256,...}; every tunable, in the order of the struct.
std::string to_json(const ReduceParams& params);

/// The inverse. Throws std::invalid_argument that names what is missing, unknown or out of range.
ReduceParams reduce_params_from_json(std::string_view json);

/// "foldtune::ReduceParams{.block_size=256,...}", a template argument.
std::string to_template_argument(const ReduceParams& params);

/// Elements that one block loads at a time.
std::uint64_t tile_elements(const ReduceParams& params);

/// Blocks of the grid for `count` elements on a device that holds `resident_blocks` at a time.
std::uint32_t grid_blocks(const ReduceParams& params, std::uint64_t count, int resident_blocks);

}  // namespace foldtune
