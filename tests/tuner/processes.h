/// What becomes of the processes that a test starts.
#pragma once

#include <sys/types.h>
#include <sys/wait.h>

#include <cerrno>
#include <fstream>
#include <string>

namespace foldtune::test {

/// Whether this process has children, those that have ended and were not waited for too.
inline bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

/// Whether the process runs; one that has ended and was not waited for does not.
inline bool is_running(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string number;
  std::string name;
  std::string state;
  return file >> number >> name >> state && state != "Z" && state != "X";
}

}  // namespace foldtune::test
