/// Other programs: run to their end, or talked with.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foldtune {

/// Runs `command` (a program, looked for in PATH, and its arguments; no shell) with its output and
/// errors written to the new file `log`, with nothing to read, in the locale C. Returns its exit
/// status, or 128 plus the signal that ended it. Throws std::system_error if it cannot be started.
int run_program(const std::vector<std::string>& command, const std::string& log);

/// A file descriptor that is closed at the end of its life. Move-only.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int number() const { return number_; }  ///< -1: none

 private:
  int number_ = -1;
};

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
  /// driver.
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
