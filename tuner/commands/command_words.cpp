#include "tuner/commands/command_words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "foldtune/error.h"
#include "tuner/commands/options.h"

namespace foldtune {
namespace {

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

/// "tune --help".
std::string help_of(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? "--help" : verb.get_name() + " --help";
}

/// The words of a command line after the program's name. What CLI11 would read in another way than
/// people do becomes two words: of "--db=" it takes what follows for the value, and a variable of
/// the shell that is empty would make `--db= --dry-run` write to a database of that name; of "-o=x"
/// it makes the value "=x". Throws for a flag with a value.
std::vector<std::string> split_words(const CLI::App& verb, std::vector<std::string> arguments) {
  std::vector<std::string> words;
  bool has_options = true;
  for (std::string& word : arguments) {
    has_options = has_options && word != "--";
    const std::size_t end = word.find('=');
    const CLI::Option* const option =
        has_options && end != std::string::npos ? find_option(verb, word.substr(0, end)) : nullptr;
    if (option != nullptr && is_flag(*option)) {
      throw InvalidArgument(
          fmt::format("{} takes no value; see foldtune {}", word.substr(0, end), help_of(verb)));
    }
    const bool is_short = !word.starts_with("--");
    if (option != nullptr && (is_short || end + 1 == word.size())) {
      words.push_back(word.substr(0, end));
      word.erase(0, end + 1);
    } else if (word.starts_with("-:")) {
      word.replace(0, 1, "/dev/stdin");
    }
    words.push_back(std::move(word));
  }
  return words;
}

bool takes_files(const CLI::App& verb) {
  return std::ranges::any_of(verb.get_options(),
                             [](const CLI::Option* option) { return option->get_positional(); });
}

/// Throws for a value that cannot be that of `option`, which is written as `name`. An empty one, as
/// of a variable of the shell that is not set, means nothing in any option.
void require_value(const CLI::App& verb, const CLI::Option& option, const std::string& name,
                   const std::string& value) {
  if (value.empty()) {
    const std::string type = option.get_type_name();
    const bool is_file = type == kFileToRead || type == kFileToWrite;
    throw InvalidArgument(fmt::format("{} is empty; {}", name,
                                      is_file ? "name a file" : "give a value, or leave it out"));
  }
  if (find_option(verb, value) == nullptr) return;
  throw InvalidArgument(fmt::format(
      "{} has no value: {} is an option, too (if it is meant, write --{}={}); see foldtune {}",
      name, value, option.get_lnames().front(), value, help_of(verb)));
}

/// Throws for options of `verb` without their values, and for a file without a name.
void require_values(const CLI::App& verb, std::span<const std::string> words) {
  bool has_options = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    has_options = has_options && words[i] != "--";
    const CLI::Option* const option = has_options ? find_option(verb, words[i]) : nullptr;
    if (words[i].empty() && takes_files(verb)) {
      throw InvalidArgument("'' is no file; name a file");
    }
    if (option == nullptr || is_flag(*option) || i + 1 == words.size()) continue;
    require_value(verb, *option, words[i], words[i + 1]);
    ++i;
  }
}

/// The words with all files behind "--", if that is among them: CLI11 takes none there once it has
/// some from before.
std::vector<std::string> gather_files(const CLI::App& verb, std::vector<std::string> words) {
  if (verb.get_parent() == nullptr || !takes_files(verb)) return words;
  std::vector<std::string> options{words.front()};  // the verb
  std::vector<std::string> files;
  std::size_t i = 1;
  for (; i < words.size() && words[i] != "--"; ++i) {
    const bool is_file = !words[i].starts_with('-') || words[i] == "-";
    (is_file ? files : options).push_back(words[i]);
    const CLI::Option* const option = find_option(verb, words[i]);
    const bool has_value = option != nullptr && !is_flag(*option) && i + 1 < words.size();
    if (has_value) options.push_back(words[++i]);
  }
  if (i >= words.size()) return words;
  options.emplace_back("--");
  options.insert(options.end(), files.begin(), files.end());
  options.insert(options.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
  return options;
}

}  // namespace

const CLI::Option* find_option(const CLI::App& verb, const std::string& word) {
  return word.starts_with('-') ? verb.get_option_no_throw(word) : nullptr;
}

std::vector<std::string> read_words(const CLI::App& verb, std::vector<std::string> arguments) {
  std::vector<std::string> words = split_words(verb, std::move(arguments));
  require_values(verb, words);
  return gather_files(verb, std::move(words));
}

}  // namespace foldtune
