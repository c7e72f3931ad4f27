/// Configurations as numbers, so that the page names each once.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace foldtune {

/// Config of all families and versions. A shape is a family with the names of its tunables; of each
/// tunable it lists the values that were seen.
class ConfigTable {
 public:
  ConfigTable();
  ConfigTable(const ConfigTable&) = delete;
  ConfigTable& operator=(const ConfigTable&) = delete;
  ~ConfigTable();

  /// The configuration's number; the same for the same family and params. `params` is the canonical
  /// JSON of a store.
  std::size_t index_of(const std::string& family, const std::string& params);

  /// [{"family", "tunables": [{"name", "values", "fallback"}]}]; the fallback is null of a tunable
  /// that this version has not.
  nlohmann::ordered_json shapes() const;

  /// Of each configuration its shape and, for each tunable of it, the place in the list of values.
  nlohmann::ordered_json configs() const;

 private:
  struct Shape;
  std::size_t shape_of(const std::string& family, const nlohmann::ordered_json& params);

  std::vector<Shape> shapes_;
  std::vector<std::vector<std::size_t>> configs_;
  std::map<std::string, std::size_t> known_;  ///< by family and params
};

}  // namespace foldtune
