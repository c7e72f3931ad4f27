#include "runtime/toolkit.h"

#include <fmt/format.h>

#include <cstdlib>

namespace foldtune {

std::vector<std::string> named_toolkits() {
  std::vector<std::string> toolkits;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* toolkit = std::getenv(variable)) toolkits.emplace_back(toolkit);
  }
  return toolkits;
}

std::vector<std::string> usual_toolkits() { return {FOLDTUNE_CUDA_TOOLKIT, "/usr/local/cuda"}; }

std::vector<std::string> library_candidates(const ToolkitLibrary& library) {
  if (const char* path = std::getenv(library.variable)) return {path};
  std::vector<std::string> prefixes;
  const auto add = [&](const std::vector<std::string>& toolkits) {
    for (const std::string& toolkit : toolkits) {
      for (const std::string& folder : library.folders) {
        prefixes.push_back(fmt::format("{}/{}/", toolkit, folder));
      }
    }
  };
  add(named_toolkits());
  prefixes.emplace_back("");  // where the loader looks
  add(usual_toolkits());
  std::vector<std::string> paths;
  for (const std::string& prefix : prefixes) {
    for (const std::string& name : library.names) paths.push_back(prefix + name);
  }
  return paths;
}

}  // namespace foldtune
