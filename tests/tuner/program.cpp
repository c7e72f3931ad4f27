#include "tests/tuner/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace foldtune::test {
namespace {

constexpr uid_t kNobody = 65534;
constexpr int kSignalStatus = 128;
constexpr int kNotStarted = 127;

/// A copy that every user can run: the build may lie in a folder that others cannot enter.
const std::string& program_for_nobody() {
  namespace fs = std::filesystem;
  static const TemporaryFolder folder;
  static const std::string program = [] {
    std::string copy = folder.file("foldtune");
    fs::copy_file(FOLDTUNE_PROGRAM, copy);
    constexpr auto kForAll = fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                             fs::perms::others_read | fs::perms::others_exec;
    const fs::path worker = folder.path() / FOLDTUNE_WORKER_PLACE;  // where the copy finds it
    fs::create_directories(worker.parent_path());
    fs::copy_file(FOLDTUNE_WORKER_PROGRAM, worker);
    for (const fs::path& path : {folder.path(), fs::path(copy), worker}) {
      fs::permissions(path, kForAll);
    }
    return copy;
  }();
  return program;
}

/// What happens between fork and exec; returns only if it fails.
void become_program(const std::string& program, const std::vector<std::string>& arguments,
                    const std::map<std::string, std::string>& environment, bool as_nobody,
                    const TemporaryFolder& folder) {
  const auto redirect = [&](int to, const std::string& file) {
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, S_IRUSR | S_IWUSR);
    ::dup2(descriptor, to);
    ::close(descriptor);
  };
  redirect(STDOUT_FILENO, folder.file("out"));
  redirect(STDERR_FILENO, folder.file("err"));
  for (const auto& [variable, value] : environment) {
    value.empty() ? ::unsetenv(variable.c_str()) : ::setenv(variable.c_str(), value.c_str(), 1);
  }
  if (as_nobody) ::unsetenv("CXX");  // it may lie where others may not go, as the program does
  if (as_nobody && ::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) return;
  std::vector<char*> pointers{const_cast<char*>("foldtune")};
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
}

}  // namespace

RunningProgram::RunningProgram(const std::vector<std::string>& arguments,
                               const std::map<std::string, std::string>& environment,
                               bool as_nobody) {
  const std::string program = as_nobody ? program_for_nobody() : FOLDTUNE_PROGRAM;
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("cannot fork");
  if (process_ > 0) return;
  become_program(program, arguments, environment, as_nobody, folder_);
  ::_exit(kNotStarted);
}

RunningProgram::~RunningProgram() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

void RunningProgram::send_signal(int number) { ::kill(process_, number); }

std::string RunningProgram::err_so_far() const { return read_file(folder_.file("err")); }

Outcome RunningProgram::wait() {
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalStatus + WTERMSIG(status),
          .out = read_file(folder_.file("out")),
          .err = read_file(folder_.file("err"))};
}

std::string Workplace::write(const std::string& name, const std::string& bytes) const {
  std::ofstream(file(name), std::ios::binary) << bytes;
  return file(name);
}

Outcome Workplace::run(const std::vector<std::string>& arguments) const {
  return RunningProgram(arguments, environment_, /*as_nobody=*/false).wait();
}

Outcome Workplace::run_as_nobody(const std::vector<std::string>& arguments) const {
  return RunningProgram(arguments, environment_, /*as_nobody=*/true).wait();
}

RunningProgram Workplace::start(const std::vector<std::string>& arguments) const {
  return RunningProgram(arguments, environment_, /*as_nobody=*/false);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace foldtune::test
