/// The built program, run as a child process.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "tests/cache/temporary_folder.h"

namespace foldtune::test {

// The exit codes of docs/command-line.md, as numbers: scripts have them, too.
constexpr int kUsage = 2;
constexpr int kUnavailable = 3;
constexpr int kFile = 4;
constexpr int kDatabase = 5;
constexpr int kInterrupted = 130;

struct Outcome {
  int exit_code = -1;  ///< 128 + the signal's number for a process that a signal ended
  std::string out;
  std::string err;
};

/// A process of `foldtune` that may still be running.
class RunningProgram {
 public:
  RunningProgram(const std::vector<std::string>& arguments,
                 const std::map<std::string, std::string>& environment, bool as_nobody);
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram();

  void send_signal(int number);
  /// What it has written to stderr by now.
  std::string err_so_far() const;
  Outcome wait();

 private:
  TemporaryFolder folder_;
  pid_t process_ = -1;
};

/// A folder with a tuning database that does not exist yet, for one test.
class Workplace {
 public:
  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string database() const { return file("tuning.db"); }
  std::string write(const std::string& name, const std::string& bytes) const;
  const std::filesystem::path& path() const { return folder_.path(); }

  /// Environment variables for all later processes; an empty value removes one.
  void set(const std::string& variable, const std::string& value) {
    environment_[variable] = value;
  }

  /// With FOLDTUNE_DB naming `database()`.
  Outcome run(const std::vector<std::string>& arguments) const;
  /// The same as a user whom permissions bind.
  Outcome run_as_nobody(const std::vector<std::string>& arguments) const;
  RunningProgram start(const std::vector<std::string>& arguments) const;

 private:
  TemporaryFolder folder_;
  std::map<std::string, std::string> environment_{{"FOLDTUNE_DB", database()}};
};

std::string read_file(const std::string& path);

/// The bytes of numbers.
template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace foldtune::test
