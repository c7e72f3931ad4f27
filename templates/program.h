/// What a compiler is given.
#pragma once

#include <string>
#include <vector>

namespace foldtune {

/// What a compiler is given: text that includes templates by their embedded names, and the kernels
/// wanted of it.
struct Program {
  std::string source;                         ///< "#include \"templates/reduce/reduce.cuh\"\n"
  std::vector<std::string> name_expressions;  ///< "foldtune::reduce<float, ...>", one per kernel
  /// Whether the source includes headers of the CUDA Toolkit, which only CUDA's compiler has.
  bool needs_toolkit = false;
  /// Whether a product and a sum may become one operation, which rounds once.
  bool fuses_multiply_add = true;

  /// What tells programs apart: equal programs have equal keys, and others do not.
  std::string key() const {
    std::string text = source;
    for (const std::string& name : name_expressions) text += '\n' + name;
    if (needs_toolkit) text += "\nneeds the toolkit";
    if (!fuses_multiply_add) text += "\nfuses nothing";
    return text;
  }

  /// Whether it differs from `other` in nothing but its kernels: one compilation can make both.
  bool goes_with(const Program& other) const {
    return source == other.source && needs_toolkit == other.needs_toolkit &&
           fuses_multiply_add == other.fuses_multiply_add;
  }

  bool operator==(const Program&) const = default;
};

}  // namespace foldtune
