#include "tuner/commands/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "tuner/files/file_error.h"
#include "tuner/files/output_file.h"

namespace foldtune {
namespace {

bool is_closed(int descriptor) { return ::fcntl(descriptor, F_GETFD) < 0; }

void lose_errors() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  (void)::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

}  // namespace

void prepare_standard_streams() {
  // The lowest number that is free is taken, so the order matters. Those of input and output are
  // opened the wrong way round: "Bad file descriptor" is what is to be said of them.
  if (is_closed(STDIN_FILENO)) (void)::open("/dev/null", O_WRONLY);
  if (is_closed(STDOUT_FILENO)) (void)::open("/dev/null", O_RDONLY);
  if (is_closed(STDERR_FILENO)) (void)::open("/dev/null", O_WRONLY);
  if (is_of_database(STDERR_FILENO)) lose_errors();
  (void)std::signal(SIGPIPE, SIG_IGN);
  (void)std::signal(SIGXFSZ, SIG_IGN);
}

void guard_files(const std::vector<std::string>& files) {
  if (is_one_of(STDERR_FILENO, files)) lose_errors();
  if (is_of_database(STDOUT_FILENO)) {
    throw FileError(
        "writing to the standard output: it is a database, or belongs to one, which text would "
        "break; choose another place for it");
  }
  if (is_one_of(STDOUT_FILENO, files)) {
    throw FileError(
        "writing to the standard output: it is a file that the command reads, or its database, "
        "which text would break; choose another place for it");
  }
}

}  // namespace foldtune
