/// What tells whether the rows of a list are those that were exported.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace foldtune {

/// XXH3, 128 bits, over the rows' values: each as compact JSON with sorted keys, integral numbers
/// without a fraction, and an end of line. White space and the order of keys change nothing.
class ListHash {
 public:
  ListHash();
  ListHash(ListHash&&) noexcept;
  ListHash& operator=(ListHash&&) noexcept;
  ~ListHash();

  void add(nlohmann::json row);

  /// "xxh3_128:" and 32 hexadecimal digits.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace foldtune
