#include "tuner/commands/custom_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <utility>

#include "tuner/commands/options.h"
#include "tuner/text/format.h"

namespace foldtune {
namespace {

struct Flag {
  const char* name;  ///< without "--": also the key in a file
  const char* help;
  const char* type;
};
constexpr std::array kFlags{
    Flag{"name", "A name for people [unnamed]", "NAME"},
    Flag{"inputs", "Element types by comma, of 1 to 4 files [f32]", "LIST"},
    Flag{"identity", "The accumulator of nothing [0]", "CODE"},
    Flag{"map", "Of the elements x, y, z, w and the index i [x]", "CODE"},
    Flag{"combine", "Of two accumulators [a + b]", "CODE"},
    Flag{"finish", "Of the accumulator a and the count n [a]", "CODE"},
    Flag{"tolerance", "How far right results may be apart, relatively [0.001]", "NUMBER"},
};

}  // namespace

void add_custom_options(CLI::App& app, CustomOptions& options) {
  constexpr const char* kGroup = "Custom operators";
  app.add_option("--custom", options.file, "An operator in a JSON file; what follows changes it")
      ->type_name(kFileToRead)
      ->group(kGroup);
  for (const Flag& flag : kFlags) {
    app.add_option_function<std::string>(
           fmt::format("--{}", flag.name),
           [&options, &flag](const std::string& text) { options.parts[flag.name] = text; },
           flag.help)
        ->type_name(flag.type)
        ->group(kGroup);
  }
}

std::string first_given(const CustomOptions& options) {
  if (options.file) return "--custom";
  for (const Flag& flag : kFlags) {
    if (options.parts.contains(flag.name)) return fmt::format("--{}", flag.name);
  }
  return {};
}

std::string to_arguments(const CustomOptions& options) {
  std::string text;
  if (options.file) text += fmt::format(" --custom {}", shell_quoted(*options.file));
  for (const Flag& flag : kFlags) {
    const auto part = options.parts.find(flag.name);
    // With '=', since a value may begin with '-'.
    if (part != options.parts.end()) {
      text += fmt::format(" --{}={}", flag.name, shell_quoted(part->second));
    }
  }
  return text;
}

bool is_part_of_custom(std::string_view field) {
  return field == "accumulator" || field == "result";
}

CustomOperator make_custom(const CustomOptions& options,
                           const std::optional<std::string>& accumulator,
                           const std::optional<std::string>& result) {
  CustomText text;
  if (options.file && !options.text) options.text = read_custom_file(*options.file);
  if (options.text) text = *options.text;
  for (const auto& [key, value] : options.parts) text.set(key, value);
  if (accumulator) text.set("accumulator", *accumulator);
  if (result) text.set("result", *result);
  return text.parse();
}

}  // namespace foldtune
