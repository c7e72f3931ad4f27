/// The standard streams of the program, whatever it was started with.
#pragma once

#include <string>
#include <vector>

namespace foldtune {

/// To be called first: descriptors 0, 1 and 2 are taken from now on, so that no file that is opened
/// later becomes a standard stream. Of those that are closed, reading the input and writing the
/// output are errors, and messages go nowhere, as they do where the standard error is a database.
/// What cannot be written is an error of the write, and ends the process no longer: for want of a
/// reader (SIGPIPE), or of a limit on the size of files (SIGXFSZ).
void prepare_standard_streams();

/// Throws FileError where the standard output would be written into a database or one of `files`,
/// which the command reads. Where the standard error would, messages go nowhere.
void guard_files(const std::vector<std::string>& files);

}  // namespace foldtune
