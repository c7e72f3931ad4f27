/// The words of a command line, read as people mean them, before CLI11 reads them.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
class Option;
}  // namespace CLI

namespace foldtune {

/// The option of `verb` that a word names, "--db" or "-o"; null for all else.
const CLI::Option* find_option(const CLI::App& verb, const std::string& word);

/// The words for CLI11, from those after the program's name. `verb` is the one that they begin
/// with, else the program. Throws InvalidArgument for an option without its value, a flag with one,
/// and a file without a name.
std::vector<std::string> read_words(const CLI::App& verb, std::vector<std::string> arguments);

}  // namespace foldtune
