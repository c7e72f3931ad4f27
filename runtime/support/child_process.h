/// Other programs: run to their end, or talked with.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/support/descriptor.h"

namespace foldtune {

/// A program that is run to its end.
struct ProgramRun {
  std::vector<std::string> command;  ///< a program, looked for in PATH, and its arguments; no shell
  std::string log;                   ///< a new file, for its output and its errors
  std::string temporaries;     ///< the folder that TMPDIR names to it; empty: that of this one
  std::chrono::seconds limit;  ///< after this it is killed, with the processes of its group
  /// Asked all the time; true kills it as the limit does. May be empty.
  std::function<bool()> stop_requested = nullptr;
};

/// Runs it with nothing to read, in the locale C, in a process group of its own. Returns its exit
/// status, or 128 plus the signal that ended it; empty if it was stopped, at its limit or before.
/// Throws std::system_error if it cannot be started.
std::optional<int> run_program(const ProgramRun& run);

/// A running program with pipes to its input, its output and its errors, in a process group of its
/// own, so that Ctrl-C does not reach it. Not thread-safe.
class ChildProcess {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Starts `command`, found as by `run_program`. Throws std::system_error if that fails.
  explicit ChildProcess(const std::vector<std::string>& command);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  /// Kills it if it still runs, and waits for its end, though not for ever: a process may hang in a
  /// driver. In a fork, whose child it is not, nothing.
  ~ChildProcess();

  pid_t id() const { return id_; }

  enum class Transfer {
    moved,     ///< bytes were moved; there may be more
    deadline,  ///< nothing could be moved in time
    closed,    ///< the process has closed its output, most likely by its end
  };
  /// Waits until bytes can be moved, and moves them: from the front of `outgoing` to the process,
  /// from its output to the end of `incoming`. What a process does not take that has closed its
  /// input is dropped. Throws std::system_error.
  Transfer transfer(std::string_view& outgoing, std::string& incoming, Time deadline);

  /// The last few thousand bytes of what it has written to its errors.
  const std::string& error_tail();

  void close_input() { input_ = Descriptor(); }
  void kill();

  /// How it ended, as waitpid says it; empty if it runs at the deadline.
  std::optional<int> wait(Time deadline);

 private:
  bool read_errors();

  const pid_t parent_ = ::getpid();
  pid_t id_ = -1;
  std::optional<int> status_;
  Descriptor input_;
  Descriptor output_;
  Descriptor errors_;
  std::string error_tail_;
};

/// "exit status 3", "signal 11 (Segmentation fault)".
std::string describe_end(int status);

}  // namespace foldtune
