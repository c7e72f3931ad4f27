/// Which devices are meant where rows are chosen.
#pragma once

#include <string>

namespace foldtune {

/// A device is meant if each condition in use holds for it. An empty one is not in use.
struct DeviceFilter {
  std::string kind{};       ///< "cpu"
  std::string name{};       ///< all of its name
  std::string name_part{};  ///< whatever its case

  bool is_any() const { return kind.empty() && name.empty() && name_part.empty(); }
};

}  // namespace foldtune
