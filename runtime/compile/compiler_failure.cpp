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

/// Colours and links, as compilers write them for a terminal.
const std::regex& terminal_sequence() {
  static const std::regex expression("\x1b(\\[[0-9;]*[A-Za-z]|\\][^\x07\x1b]*(\x07|\x1b\\\\))");
  return expression;
}

/// "program:2:5: error: ..." of a compiler, "map:1: Error: ..." of an assembler that read what the
/// compiler had ended ("{standard input}" may be half of it).
const std::regex& fault_at_place() {
  static const std::regex expression(
      R"([:(+]\d+([:,]\d+)?\)?: ((fatal )?error|sorry, unimplemented): |)"
      R"(^(?!\{standard input\}).*:\d+: Error: )");
  return expression;
}

/// What is said at a place of the program, and is not about it: files of the compiler's own, and
/// what this machine lacks.
const std::regex& lack_at_place() {
  static const std::regex expression(
      R"(fatal error: .*(error writing|error closing|for writing|closing output|writing output|)"
      R"(opening output|can't write|can't create|error in backend|No space left|Disk quota|)"
      R"(File too large|Input/output error|Too many open files|Cannot allocate memory)|)"
      R"(Error: can't (close|write|create))");
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
      R"(^[^:]+: .*(signal terminated program|terminated with signal|unable to execute command))");
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
    if (std::regex_search(line, fault_at_place())) {
      is_named = is_named || !std::regex_search(line, lack_at_place());
    } else if (std::regex_search(line, fault_of_names())) {
      is_named = true;
    } else if (std::regex_search(line, end_by_signal())) {
      return false;
    }
  }
  return is_named;
}

std::string without_terminal_sequences(const std::string& log) {
  return std::regex_replace(log, terminal_sequence(), "");
}

bool lacks_room(const std::filesystem::path& folder) {
  constexpr std::uintmax_t kEnough = std::uintmax_t{4} << 20;  // of the temporary files of a run
  std::error_code is_unknown;
  const std::filesystem::space_info space = std::filesystem::space(folder, is_unknown);
  return !is_unknown && space.available < kEnough;
}

}  // namespace foldtune
