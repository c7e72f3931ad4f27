/// foldtune-worker: the program in whose processes Foldtune tries configurations, compiles and
/// tunes. It is installed with the library, so that all of that works in any program, and in
/// Python.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace foldtune {

/// The command that starts it for `work`, as its first arguments say it: {"try", "cuda:0", "1"}
/// (tuner/worker/main.cpp). It is the file that $FOLDTUNE_WORKER names, else the one that
/// `find_worker_program` finds beside the program or the library that this code is linked into.
/// Throws Unavailable, with what was looked for and where, if it is not there.
std::vector<std::string> worker_program(std::vector<std::string> work);

/// The worker of Foldtune's code in `file`, a program or a library:
/// libexec/foldtune/foldtune-worker (as configured) in its folder or in the nearest one above it
/// that has it, which is right for an installation and for a build tree; else where this build is
/// to be installed, for a program that is linked with the static library. Throws Unavailable.
std::filesystem::path find_worker_program(const std::filesystem::path& file);

/// What a worker and who starts it must have in common: "0.1.0-0123456789abcdef...", the version
/// and the fingerprint of the kernels' sources. The worker is told it before its work, and refuses
/// another one.
std::string build_name();

}  // namespace foldtune
