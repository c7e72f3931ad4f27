#include "runtime/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>

namespace foldtune {
namespace {

// As for a shell.
constexpr int kSignalStatus = 128;

void check(int error, const char* doing) {
  if (error != 0) throw std::system_error(error, std::generic_category(), doing);
}

class FileActions {
 public:
  FileActions() { check(posix_spawn_file_actions_init(&actions_), "preparing a process"); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }

  void open(int descriptor, const char* path, int flags) {
    constexpr mode_t kPrivate = S_IRUSR | S_IWUSR;
    check(posix_spawn_file_actions_addopen(&actions_, descriptor, path, flags, kPrivate),
          "redirecting a process");
  }
  void duplicate(int from, int to) {
    check(posix_spawn_file_actions_adddup2(&actions_, from, to), "redirecting a process");
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

/// A process group of its own, so that Ctrl-C reaches the program that waits and not the child: a
/// killed compiler would look like one that failed.
class OwnProcessGroup {
 public:
  OwnProcessGroup() {
    check(posix_spawnattr_init(&attributes_), "preparing a process");
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  OwnProcessGroup(const OwnProcessGroup&) = delete;
  OwnProcessGroup& operator=(const OwnProcessGroup&) = delete;
  ~OwnProcessGroup() { posix_spawnattr_destroy(&attributes_); }

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

std::vector<std::string> environment_in_locale_c() {
  std::vector<std::string> result = {"LC_ALL=C"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("LC_ALL=")) result.emplace_back(*variable);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

int run_program(const std::vector<std::string>& command, const std::string& log) {
  FileActions actions;
  actions.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  actions.open(STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  actions.duplicate(STDOUT_FILENO, STDERR_FILENO);
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = environment_in_locale_c();

  const OwnProcessGroup group;
  pid_t child = 0;
  check(posix_spawnp(&child, command.at(0).c_str(), actions.get(), group.get(),
                     pointers(arguments).data(), pointers(environment).data()),
        command[0].c_str());
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) check(errno, command[0].c_str());
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalStatus + WTERMSIG(status);
}

}  // namespace foldtune
