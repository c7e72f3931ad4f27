#include "tuner/text/print.h"

#include <cerrno>

namespace foldtune {
namespace {

/// errno of the first write to the standard output that failed.
int& output_error() {
  static int first = 0;
  return first;
}

void note_output_error(int error) {
  if (output_error() == 0) output_error() = error;
}

}  // namespace

void write_text(std::FILE* stream, std::string_view text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if (!is_written && stream == stdout) note_output_error(errno);
}

int finish_output() {
  if (std::fflush(stdout) != 0) note_output_error(errno);
  if (std::ferror(stdout) != 0) note_output_error(EIO);  // of a library that prints by itself
  return output_error();
}

}  // namespace foldtune
