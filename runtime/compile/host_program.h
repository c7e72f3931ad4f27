/// A program for a GPU as a translation unit for the host's compiler.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/device/compiler.h"

namespace foldtune {

/// The name that the library which is made of it has for the kernel of the name expression `index`.
std::string host_entry_name(std::size_t index);

/// The program, and for each of its kernels a function that runs one thread of it. What compilers
/// say of it has the lines of the program, and no name of this machine's files.
std::string host_program(const Program& program);

}  // namespace foldtune
