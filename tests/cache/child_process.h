/// A second process that a test talks with.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace foldtune::test {

/// One end of the line between two processes. It throws `std::runtime_error` if the other is gone.
class Line {
 public:
  explicit Line(int descriptor) : descriptor_(descriptor) {}
  ~Line();
  Line(Line&& other) noexcept;
  Line& operator=(Line&&) = delete;

  void send(const std::string& message);
  std::string receive();

 private:
  int descriptor_;
};

enum class User {
  same,
  without_privileges,  ///< "nobody" where the tests run as root, whom no permission binds.
};

/// Runs `work` in a forked process. An exception out of it is sent as "exception: ..."; no
/// destructor of the parent's objects runs there. No store may be open in this process at the fork.
class ChildProcess {
 public:
  explicit ChildProcess(const std::function<void(Line&)>& work, User user = User::same);
  /// Waits for its end.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  void send(const std::string& message) { line_.send(message); }
  std::string receive() { return line_.receive(); }
  /// Ends it at once, as `kill -9` does.
  void kill();

 private:
  ChildProcess(const std::function<void(Line&)>& work, User user, std::pair<int, int> ends);

  Line line_;
  pid_t process_ = -1;
};

}  // namespace foldtune::test
