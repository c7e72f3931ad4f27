#include "tuner/commands/files_read.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <utility>

#include "cache/store_error.h"
#include "templates/family.h"
#include "tuner/commands/options.h"

namespace foldtune {
namespace {

constexpr const char* kDatabaseOption = "--db";

bool is_read(const CLI::Option& option) {
  return option.get_positional() || option.get_type_name() == kFileToRead;
}

/// The file of "data.npz:x" is one of several; which one is not known before it is looked for.
void add_file(std::vector<std::string>& files, const std::string& name) {
  for (std::size_t end = name.find(':');; end = name.find(':', end + 1)) {
    const std::string path = name.substr(0, end);
    files.push_back(path == "-" ? "/dev/stdin" : path);
    if (end == std::string::npos) return;
  }
}

/// That of --db, else the default one; none where there is no place for that.
std::optional<std::string> database_of(const CLI::Option& option) {
  if (!option.results().empty()) return option.results().front();
  try {
    return database_path(std::nullopt);
  } catch (const StoreError&) {  // the verb says so if it needs one
    return std::nullopt;
  }
}

}  // namespace

std::vector<std::string> files_read(const CLI::App& verb) {
  std::vector<std::string> files;
  for (const CLI::Option* const option : verb.get_options()) {
    if (!is_read(*option)) continue;
    for (const std::string& name : option->results()) add_file(files, name);
  }
  const CLI::Option* const database = verb.get_option_no_throw(kDatabaseOption);
  if (const auto path = database != nullptr ? database_of(*database) : std::nullopt) {
    for (const char* const end : {"", "-wal", "-shm", "-journal"}) files.push_back(*path + end);
  }
  for (const Family* const family : families()) {
    for (std::string& file : family->files()) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace foldtune
