/// Custom operators as text: JSON files, and what they share with the command line.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "foldtune/custom.h"

namespace foldtune {

/// What is said of an operator, before it is understood.
class CustomText {
 public:
  /// `key` is a member of CustomOperator. Lists are by comma: inputs are "f32,u8", an accumulator
  /// is "f32" or "value:f32,index:u32".
  void set(const std::string& key, std::string value) { values_[key] = std::move(value); }

  /// Throws InvalidArgument for what cannot be understood. Whether the operator can be compiled is
  /// left to its find_fault.
  CustomOperator parse() const;

 private:
  /// Null if nothing is said of it.
  const std::string* find(const std::string& key) const;

  std::map<std::string, std::string> values_;
};

/// The object of a JSON file: strings under the names of the members of CustomOperator, `inputs`
/// perhaps a list of types, `accumulator` perhaps an object of names and types, and numbers where a
/// string is one. Throws FileError for a file that cannot be read or is not JSON; InvalidArgument
/// for other keys and other forms.
CustomText read_custom_file(const std::string& path);

}  // namespace foldtune
