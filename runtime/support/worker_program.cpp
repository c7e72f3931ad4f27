#include "runtime/support/worker_program.h"

#include <dlfcn.h>
#include <fmt/ranges.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "cache/hash.h"
#include "cache/printable.h"
#include "foldtune/error.h"
#include "templates/embedded.h"

namespace foldtune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "FOLDTUNE_WORKER";
constexpr const char* kOwnProgram = "/proc/self/exe";

/// The file that this code was loaded from, without symbolic links: a link to a library need not
/// lie where the library is installed.
fs::path own_file() {
  Dl_info info{};
  link_map* map = nullptr;
  const int found = ::dladdr1(reinterpret_cast<const void*>(&own_file), &info,
                              reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP);
  // The program itself has no name there.
  const bool is_library = found != 0 && map != nullptr && *map->l_name != '\0';
  // That of a program which was replaced since is "... (deleted)", in the same folder.
  std::error_code error;
  const fs::path named = is_library ? fs::path(map->l_name) : fs::read_symlink(kOwnProgram, error);
  fs::path file = error ? fs::path() : fs::weakly_canonical(named, error);
  if (!error) return file;
  throw Unavailable(fmt::format(
      "starting a worker, in which configurations are tried: {} does not say where Foldtune is: "
      "{}; let {} name the program foldtune-worker",
      is_library ? named.string() : kOwnProgram, error.message(), kVariable));
}

std::optional<uid_t> owner_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return status.st_uid;
}

bool can_be_run(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

std::string named_worker(const char* name) {
  if (can_be_run(name)) return name;
  const bool is_there = ::access(name, F_OK) == 0;
  throw Unavailable(fmt::format(
      "starting a worker: {} names {}, which {}; let it name foldtune-worker, or remove it",
      kVariable, printable(name), is_there ? "is no program that can be run" : "is not there"));
}

}  // namespace

fs::path find_worker_program(const fs::path& file) {
  const fs::path place = FOLDTUNE_WORKER_PLACE;
  const std::optional<uid_t> owner = owner_of(file);
  // A program in /tmp/mine must not start what anyone may put into /tmp.
  const auto is_fit = [&](const fs::path& candidate) {
    if (!can_be_run(candidate)) return false;
    const std::optional<uid_t> of_candidate = owner_of(candidate);
    return of_candidate == uid_t{0} || of_candidate == ::geteuid() || of_candidate == owner;
  };
  for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
    if (is_fit(folder / place)) return folder / place;
    if (folder == folder.parent_path()) break;
  }
  fs::path installed = FOLDTUNE_INSTALLED_WORKER;
  if (is_fit(installed)) return installed;
  throw Unavailable(fmt::format(
      "starting a worker, in which configurations are tried: there is no {} in the folder of {} or "
      "in one above it, nor {}, of root, of this user or of that file's owner; install all of "
      "Foldtune, its library and its programs, or let {} name the program foldtune-worker",
      place.string(), file.string(), installed.string(), kVariable));
}

std::string build_name() {
  return FOLDTUNE_VERSION "-" + hash_hex(fmt::format("{}", fmt::join(embedded_hashes(), " ")));
}

std::vector<std::string> worker_program(std::vector<std::string> work) {
  const char* const name = std::getenv(kVariable);
  const bool is_named = name != nullptr && *name != '\0';
  std::vector<std::string> command{
      is_named ? named_worker(name) : find_worker_program(own_file()).string(), build_name()};
  command.insert(command.end(), std::make_move_iterator(work.begin()),
                 std::make_move_iterator(work.end()));
  return command;
}

}  // namespace foldtune
