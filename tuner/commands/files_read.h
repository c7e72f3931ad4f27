/// The files that a command reads, which nothing that it writes may replace or be appended to.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace foldtune {

/// All that the parsed options of `verb` name for reading, the database with what SQLite keeps
/// beside it, and the families' descriptions and sources. Names, not all of which need exist.
std::vector<std::string> files_read(const CLI::App& verb);

}  // namespace foldtune
