#include "runtime/compile/compiler_failure.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <initializer_list>
#include <sstream>
#include <system_error>

namespace foldtune {
namespace {

/// What `run_program` adds to a signal.
constexpr int kSignalStatus = 128;

/// Of a line "program:2:5: fatal error: ...".
struct Diagnostic {
  std::string_view file;
  std::string_view severity;
  std::string_view message;
};

/// "program:2:5", "program:2", "program(2,5)", "program +2:5": the file, empty for what is no
/// place.
std::string_view file_of_place(std::string_view place) {
  constexpr std::string_view kDigits = "0123456789";
  if (place.ends_with(')')) place.remove_suffix(1);
  std::string_view file;
  for (int number = 0; number < 2; ++number) {  // the column, and the line
    const std::size_t end = place.find_last_not_of(kDigits) + 1;
    if (end == 0 || end == place.size() || std::string_view(":,(+").find(place[end - 1]) > 3) break;
    file = place = place.substr(0, end - 1);
  }
  return file;
}

/// What compilers and assemblers say at a place; empty for other lines.
std::optional<Diagnostic> parse_diagnostic(std::string_view line) {
  constexpr std::string_view kSeverities[] = {"fatal error", "error", "sorry, unimplemented",
                                              "Error"};
  for (std::size_t at = line.find(": "); at != std::string_view::npos;
       at = line.find(": ", at + 1)) {
    const std::string_view rest = line.substr(at + 2);
    for (const std::string_view severity : kSeverities) {
      if (!rest.starts_with(severity) || !rest.substr(severity.size()).starts_with(": ")) continue;
      const std::string_view file = file_of_place(line.substr(0, at));
      if (file.empty()) return std::nullopt;
      return Diagnostic{file, severity, rest.substr(severity.size() + 2)};
    }
  }
  return std::nullopt;
}

/// Whether a compiler says at a place of the program that it cannot write its own files, or that
/// this machine lacks something.
bool tells_of_lack(std::string_view message) {
  constexpr std::string_view kBegins[] = {"error writing",  "error closing",   "when writing",
                                          "closing output", "opening output",  "can't write",
                                          "can't create",   "error in backend"};
  constexpr std::string_view kEnds[] = {"No space left on device", "Disk quota exceeded",
                                        "File too large",          "Input/output error",
                                        "Too many open files",     "Too many open files in system",
                                        "Cannot allocate memory"};
  return std::ranges::any_of(kBegins, [&](auto words) { return message.starts_with(words); }) ||
         std::ranges::any_of(kEnds, [&](auto words) { return message.ends_with(words); }) ||
         message.find("for writing") != std::string_view::npos;
}

bool is_of_program(const Diagnostic& said) {
  // An assembler may have read half of what the compiler was to write. What is wrong with the
  // program itself it tells at a place of that.
  if (said.file == "{standard input}" || said.file.ends_with(".s")) return false;
  return said.severity != "fatal error" || !tells_of_lack(said.message);
}

bool has_any(std::string_view line, std::initializer_list<std::string_view> texts) {
  return std::ranges::any_of(texts,
                             [&](auto text) { return line.find(text) != std::string_view::npos; });
}

/// What linkers say of names. Those of the platform are there, if the compiler wrote all that it
/// was to write.
bool is_fault_of_names(std::string_view line) {
  return has_any(line, {"undefined reference to", "undefined symbol", "undefined hidden symbol",
                        "multiple definition of", "duplicate symbol"}) &&
         !has_any(line, {"foldtune::platform::"});
}

/// What linkers say of a part whose end is missing, where compilers write this section.
bool is_about_missing_end(std::string_view line) {
  return has_any(line, {"missing .note.GNU-stack section"});
}

/// What drivers write of a part of theirs that a signal ended, "g++: fatal error: ...": another
/// part may have seen half of what it was to read.
bool is_end_by_signal(std::string_view line) {
  const std::string_view driver = line.substr(0, line.find(": "));
  return driver.size() < line.size() &&
         driver.find_first_of("\"'(){};:") == std::string_view::npos &&
         has_any(line, {"signal terminated program", "terminated with signal",
                        "unable to execute command"});
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
    if (const std::optional<Diagnostic> said = parse_diagnostic(line)) {
      is_named = is_named || is_of_program(*said);
    } else if (is_fault_of_names(line)) {
      is_named = true;
    } else if (is_end_by_signal(line) || is_about_missing_end(line)) {
      return false;
    }
  }
  return is_named;
}

std::string without_terminal_sequences(std::string_view log) {
  constexpr char kEscape = '\x1b';
  constexpr char kBell = '\a';
  std::string text;
  for (std::size_t at = 0; at < log.size(); ++at) {
    const std::string_view rest = log.substr(at);
    if (rest.starts_with("\x1b[")) {  // "\x1b[01;31m"
      at += std::min(rest.find_first_not_of("0123456789;", 2), rest.size());
    } else if (rest.starts_with("\x1b]")) {  // "\x1b]8;;https://...\a", or with "\x1b\\" at its end
      const std::size_t end = std::min(rest.find_first_of("\x1b\a", 2), rest.size() - 1);
      at += rest[end] == kBell ? end : end + 1;
    } else if (log[at] != kEscape) {
      text += log[at];
    }
  }
  return text;
}

bool lacks_room(const std::filesystem::path& folder) {
  constexpr std::uintmax_t kEnough = std::uintmax_t{4} << 20;  // of the temporary files of a run
  std::error_code is_unknown;
  const std::filesystem::space_info space = std::filesystem::space(folder, is_unknown);
  return !is_unknown && space.available < kEnough;
}

}  // namespace foldtune
