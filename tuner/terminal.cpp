#include "tuner/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace foldtune {

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

std::size_t terminal_width(std::FILE* stream) {
  constexpr std::size_t kUsualWidth = 80;
  if (!is_terminal(stream)) return 0;
  winsize size{};
  const bool is_known = ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : kUsualWidth;
}

}  // namespace foldtune
