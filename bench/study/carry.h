/// What it costs to use one size's best configuration at another size.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/study/replay.h"

namespace foldtune {

/// What one kind of carrying came to. A loss is the time over that of the best configuration there,
/// less 1.
struct Losses {
  std::vector<double> losses;
  int unusable = 0;  ///< not valid there, not searched, not recorded, or failed
};

/// Whether the inputs of the size that is carried to fit the device's L2.
enum class Inputs { in_l2, beyond_l2 };

struct CarryTable {
  /// The best of a smaller size at one so many size classes larger; below 0, of a larger one.
  std::map<int, std::map<Inputs, Losses>> carried;
  std::map<Inputs, Losses> untuned;  ///< of the configuration that is used untuned
};

/// Of all pairs among the landscapes that differ in nothing but the size, by at most `most`
/// classes.
CarryTable study_carrying(const std::vector<Ground>& grounds, int most);

/// A row for each kind: how often, and the quartiles of the losses.
std::string format_carrying(const CarryTable& table);

}  // namespace foldtune
