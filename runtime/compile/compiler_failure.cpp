#include "runtime/compile/compiler_failure.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <regex>
#include <sstream>
#include <system_error>

namespace foldtune {
namespace {

/// What `run_program` adds to a signal.
constexpr int kSignalStatus = 128;

/// What compilers, assemblers, linkers and loaders write where this machine lacks something.
constexpr std::array kLacks{"No space left on device",
                            "Disk quota exceeded",
                            "File too large",
                            "Too many open files",
                            "Resource temporarily unavailable",
                            "Cannot allocate memory",
                            "memory exhausted",
                            "out of memory",
                            "std::bad_alloc",
                            "failed to map segment",
                            "cannot map zero-fill pages",
                            "Killed signal terminated",
                            "Terminated signal terminated"};

/// What drivers write after a program of theirs that ended, whatever it has said.
constexpr std::array kLastWords{"exit status", "linker command failed", "compilation terminated"};

template <class Texts>
bool has_any(const std::string& line, const Texts& texts) {
  return std::ranges::any_of(
      texts, [&](const char* text) { return line.find(text) != std::string::npos; });
}

}  // namespace

std::optional<int> signal_of(int status) {
  // A status of the program's own may be larger than that of any signal.
  if (status <= kSignalStatus || status > kSignalStatus + SIGRTMAX) return std::nullopt;
  return status - kSignalStatus;
}

bool is_fault_of_program(const std::optional<int>& status, const std::string& log) {
  constexpr std::array kCrashes{SIGABRT, SIGFPE, SIGILL, SIGSEGV};
  // "program:2:5: error: ...", "map:1: Error: ..." of an assembler
  static const std::regex error_at_place(R"(:\d+(:\d+)?: [a-z ]*[Ee]rror)");
  if (!status) return true;
  bool says_why = false;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const bool is_of_writer = line.find("can't write") != std::string::npos;  // of the assembler
    // What follows quotes the program, whatever words are in it.
    if (!is_of_writer && std::regex_search(line, error_at_place)) return true;
    if (has_any(line, kLacks)) return false;
    says_why = says_why || (!line.empty() && !has_any(line, kLastWords));
  }
  if (const auto signal = signal_of(*status)) return std::ranges::count(kCrashes, *signal) > 0;
  return *status != 0 && says_why;
}

bool lacks_room(const std::filesystem::path& folder) {
  constexpr std::uintmax_t kEnough = std::uintmax_t{4} << 20;  // of the temporary files of a run
  std::error_code is_unknown;
  const std::filesystem::space_info space = std::filesystem::space(folder, is_unknown);
  return !is_unknown && space.available < kEnough;
}

}  // namespace foldtune
