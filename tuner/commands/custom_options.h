/// Custom operators on the command line: of a JSON file, of options, or of both.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "foldtune/custom.h"
#include "tuner/files/custom_file.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace foldtune {

/// As they were typed; empty where they were not. --accumulator and --result belong to them, too.
struct CustomOptions {
  std::optional<std::string> file;
  std::map<std::string, std::string> parts;  ///< "map" of --map, and so on
  /// What the file holds, which may be a pipe, so that it is read once. Set by make_custom.
  mutable std::optional<CustomText> text{};
};

void add_custom_options(CLI::App& app, CustomOptions& options);

/// The first option that was given: "--map"; empty if there is none.
std::string first_given(const CustomOptions& options);

/// The options that were given, as a shell takes them, each after a space.
std::string to_arguments(const CustomOptions& options);

/// Whether the field of this name is said by the operator: "accumulator" and "result".
bool is_part_of_custom(std::string_view field);

/// The operator of the file, if there is one, with what the options change. Without an accumulator
/// it has that of a sum of the first input, and without a result type that of the accumulator's
/// first field. Throws FileError for a file that cannot be read or is no JSON; InvalidArgument for
/// what the operator does not have, or what is of another form.
CustomOperator make_custom(const CustomOptions& options,
                           const std::optional<std::string>& accumulator,
                           const std::optional<std::string>& result);

}  // namespace foldtune
