/// The command line of `foldtune`.
#pragma once

namespace foldtune {

/// Runs the verb that the command line names: results to stdout, everything else to stderr. Throws
/// nothing; the result is the process's exit code, see exit_code.h.
int run_cli(int argc, const char* const* argv);

}  // namespace foldtune
