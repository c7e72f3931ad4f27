/// Other programs, run to their end.
#pragma once

#include <string>
#include <vector>

namespace foldtune {

/// Runs `command` (a program, looked for in PATH, and its arguments; no shell) with its output and
/// errors written to the new file `log`, with nothing to read, in the locale C. Returns its exit
/// status, or 128 plus the signal that ended it. Throws std::system_error if it cannot be started.
int run_program(const std::vector<std::string>& command, const std::string& log);

}  // namespace foldtune
