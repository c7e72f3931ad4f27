#include "runtime/compile/compiler_failure.h"

#include <csignal>
#include <cstdint>
#include <regex>
#include <sstream>
#include <system_error>

namespace foldtune {
namespace {

/// What `run_program` adds to a signal.
constexpr int kSignalStatus = 128;

/// "program:2:5: error: ...", "map:1: Error: ..." of an assembler: whatever follows. What is fatal
/// is the program's where it names a file that is not there, or templates without an end; else it
/// is of the compiler's own files, or a crash.
const std::regex& fault_at_place() {
  static const std::regex expression(
      R"(:\d+(:\d+)?: error: |:\d+: Error: (?!can't )|)"
      R"(:\d+(:\d+)?: fatal error: .*(No such file|file not found|instantiation))");
  return expression;
}

/// What linkers say of names.
const std::regex& fault_of_names() {
  static const std::regex expression(
      "undefined reference to|undefined symbol|multiple definition of|duplicate symbol");
  return expression;
}

/// What drivers write of a part of theirs that a signal ended: another part may have seen half of
/// what it was to read.
const std::regex& end_by_signal() {
  static const std::regex expression(
      R"(^[^ :]+: .*(signal terminated program|terminated with signal|unable to execute command))");
  return expression;
}

}  // namespace

std::optional<int> signal_of(int status) {
  // A status of the program's own may be larger than that of any signal.
  if (status <= kSignalStatus || status > kSignalStatus + SIGRTMAX) return std::nullopt;
  return status - kSignalStatus;
}

bool is_fault_of_program(const std::optional<int>& status, const std::string& log) {
  if (!status) return true;
  bool is_named = false;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, fault_at_place()) || std::regex_search(line, fault_of_names())) {
      is_named = true;
    } else if (std::regex_search(line, end_by_signal())) {
      return false;
    }
  }
  return is_named;
}

bool lacks_room(const std::filesystem::path& folder) {
  constexpr std::uintmax_t kEnough = std::uintmax_t{4} << 20;  // of the temporary files of a run
  std::error_code is_unknown;
  const std::filesystem::space_info space = std::filesystem::space(folder, is_unknown);
  return !is_unknown && space.available < kEnough;
}

}  // namespace foldtune
