/// Where the CUDA Toolkit may lie, of which nothing is linked.
#pragma once

#include <string>
#include <vector>

namespace foldtune {

/// The toolkits of the environment, best first.
std::vector<std::string> named_toolkits();

/// The toolkit of this build, and the usual place.
std::vector<std::string> usual_toolkits();

/// A library of the toolkit.
struct ToolkitLibrary {
  const char* variable;              ///< of the environment: the path that the user names
  std::vector<std::string> names;    ///< of its file, best first
  std::vector<std::string> folders;  ///< in a toolkit, best first
};

/// Where it may lie, for SharedLibrary::open: what the user names and nothing else, or, best first,
/// the toolkits of the environment, what the loader finds, the usual ones.
std::vector<std::string> library_candidates(const ToolkitLibrary& library);

}  // namespace foldtune
