#include "tuner/commands/field_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "foldtune/error.h"
#include "templates/family.h"
#include "tuner/commands/options.h"
#include "tuner/problem/count_list.h"
#include "tuner/text/table.h"

namespace foldtune {
namespace {

/// More would be no line of help.
constexpr std::size_t kFewLabels = 4;

/// Of all families, each once.
std::vector<std::string_view> labels_of(const FieldOption& option) {
  std::vector<std::string_view> labels;
  for (const auto& [family, field] : option.places) {
    for (const std::string_view label : field->labels) {
      if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
    }
  }
  return labels;
}

bool has_many_labels(const FieldOption& option) { return labels_of(option).size() > kFewLabels; }

std::string fallback_of(const Field& field) {
  if (!field.fallback) return {};
  return field.labels.empty()
             ? fmt::to_string(*field.fallback)
             : std::string(field.labels[static_cast<std::size_t>(*field.fallback)]);
}

/// "Type of the counts: u32 or u64 [u64]".
std::string help_of(const FieldOption& option, Values values) {
  if (values == Values::filter) return "Rows with one of these values, by comma [every]";
  const Field& field = *option.places.front().field;
  std::string text(field.meaning);
  const std::vector<std::string_view> labels = labels_of(option);
  if (!labels.empty() && !has_many_labels(option)) {
    text += fmt::format(": {}", fmt::join(labels, ", "));
  } else if (labels.empty()) {
    text += fmt::format(": {} to {}", field.least, field.most);
  }
  if (const std::string fallback = fallback_of(field); !fallback.empty()) {
    text += fmt::format(" [{}]", fallback);
  }
  return text;
}

/// Rows name an operator of the user's by its hash. As a filter that can be typed; it does not say
/// what to compute.
bool takes(const FieldOption::Place& place, const std::string& text, Values values) {
  Problem problem(*place.family);
  return place.family->parse(problem, *place.field, text) &&
         (values == Values::filter || problem.custom() == nullptr);
}

/// What there is, for a message.
std::string describe_values(const FieldOption& option) {
  const std::vector<std::string_view> labels = labels_of(option);
  if (!labels.empty()) return fmt::format("there is {}", fmt::join(labels, ", "));
  const Field& field = *option.places.front().field;
  return fmt::format("it takes a whole number from {} to {}, such as {}", field.least, field.most,
                     field.most >= 1024 ? "256 or 2^10" : fmt::to_string(field.most));
}

/// Digits, of a number that may be written as counts may.
std::string plain_number(const std::string& text) {
  try {
    return fmt::to_string(parse_count(text));
  } catch (const InvalidArgument&) {  // which speaks of counts
    return text;
  }
}

}  // namespace

std::vector<FieldOption> field_options() {
  std::vector<FieldOption> options;
  for (const Family* const family : families()) {
    for (const Field& field : family->fields()) {
      auto found = std::ranges::find(options, field.name, &FieldOption::name);
      if (found == options.end()) found = options.insert(found, {.name = field.name});
      found->places.push_back({family, &field});
    }
  }
  return options;
}

bool takes_custom(const FieldOption::Place& place) {
  Problem problem(*place.family);
  if (!place.family->parse(problem, *place.field, kCustom)) return false;
  problem.set_custom(std::make_shared<const CustomOperator>());
  return place.family->text(problem, *place.field) != kCustom;  // its own name
}

void add_field_options(CLI::App& app, FieldTexts& texts, std::string& family, Values values) {
  for (const FieldOption& option : field_options()) {
    const std::string name(option.name);
    CLI::Option* const added =
        app.add_option_function<std::string>(
               "--" + name, [&texts, name](const std::string& text) { texts[name] = text; },
               help_of(option, values))
            ->type_name(values != Values::one       ? "LIST"
                        : labels_of(option).empty() ? "N"
                                                    : "NAME");
    if (option.places.size() == 1 && families().size() > 1) {
      added->group(fmt::format("Family {}", option.places.front().family->name()));
    }
  }
  app.add_option("--family", family,
                 values == Values::filter
                     ? "The family of kernels [every]"
                     : "The family of kernels, where the values leave several, or the "
                       "file that describes one")
      ->type_name("NAME");
}

void add_family_files_option(CLI::App& app) {
  // cli.cpp has loaded them by now.
  app.add_option_function<std::vector<std::string>>(
         "--family", [](const std::vector<std::string>&) {},
         "The file that describes a family of your own; may be given again")
      ->type_name(kFileToRead)
      ->allow_extra_args(false);
}

std::string describe_field_values() {
  // By the values, since several fields are types.
  std::vector<std::pair<std::string, std::string>> lines;
  for (const FieldOption& option : field_options()) {
    if (!has_many_labels(option)) continue;
    std::string labels = fmt::format("{}", fmt::join(labels_of(option), ", "));
    const auto found =
        std::ranges::find(lines, labels, [](const auto& line) { return line.second; });
    if (found == lines.end()) {
      lines.emplace_back(option.name, std::move(labels));
    } else {
      found->first += fmt::format(", {}", option.name);
    }
  }
  std::string text = "Values of the options, of which lists are by comma, or every:";
  constexpr std::size_t kColumns = 100;
  for (const auto& [names, labels] : lines) {
    text += '\n' + wrap(fmt::format("  {}: {}", names, labels), kColumns, 4);
  }
  return text;
}

std::vector<const Family*> require_families(const std::string& name) {
  if (name.empty()) return {families().begin(), families().end()};
  std::error_code is_lost;  // the working folder, without which it is no path
  const std::string path = std::filesystem::absolute(name, is_lost).string();
  std::vector<std::string_view> names;
  for (const Family* const family : families()) {
    const bool is_of_file = !family->path().empty() && family->path() == path;
    if (family->name() == name || is_of_file) return {family};
    names.push_back(family->name());
  }
  throw InvalidArgument(
      fmt::format("--family: there is no '{}'; there is {}", name, fmt::join(names, ", ")));
}

std::string require_value(const FieldOption& option, const std::string& text, Values values) {
  std::string value = labels_of(option).empty() ? plain_number(text) : text;
  const bool is_known = std::ranges::any_of(
      option.places, [&](const auto& place) { return takes(place, value, values); });
  if (is_known) return value;
  throw InvalidArgument(
      fmt::format("--{}: there is no '{}'; {}", option.name, text, describe_values(option)));
}

std::vector<std::string> require_values(const FieldOption& option, const std::string& list,
                                        Values kind) {
  std::vector<std::string> values;
  if (list == kEvery && !labels_of(option).empty()) {
    const bool has_custom = std::ranges::any_of(option.places, takes_custom);
    for (const std::string_view label : labels_of(option)) {
      if (!has_custom || label != kCustom) values.emplace_back(label);
    }
    return values;
  }
  for (const std::string_view item : split_list(fmt::format("--{}", option.name), list)) {
    std::string value = require_value(option, std::string(item), kind);
    if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
  }
  return values;
}

}  // namespace foldtune
