/// What foldtune-worker does, for its main function and for those of programs with families of
/// their own.
#pragma once

#include <string>
#include <vector>

namespace foldtune {

/// For another process of the same build (build_name), which speaks with it through its standard
/// input and output as tuner/worker/protocol.h says. `arguments`, without the program's name:
///
///     BUILD try DEVICE SEED [FAMILY...]      tries configurations on a device
///     BUILD compile ARCHITECTURE             compiles with NVRTC
///     BUILD tune [FAMILY...]                 tunes problems, and starts workers for it
///
/// FAMILY is the path of a description of kernels, which messages may then name. Returns the exit
/// status.
int run_worker_program(const std::vector<std::string>& arguments);

}  // namespace foldtune
