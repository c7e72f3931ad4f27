/// What is said to people beside results.
#pragma once

#include <functional>
#include <string>

namespace foldtune {

/// Is told a sentence without a full stop. May be called from several threads.
using Notify = std::function<void(const std::string& text)>;

/// Writes a line to the standard error. What cannot be written, since it is closed or full, is
/// lost: nobody's call fails for that.
void write_error_line(const std::string& line);

/// Writes "foldtune: note: TEXT" to the standard error, once per process and text.
void note_once(const std::string& text);

}  // namespace foldtune
