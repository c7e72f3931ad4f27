#include "tests/cache/child_process.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <utility>

namespace foldtune::test {
namespace {

constexpr uid_t kNobody = 65534;
constexpr std::size_t kLongestMessage = 65536;

std::pair<int, int> connected_pair() {
  int ends[2];
  // Keeps messages apart, and reports the other end's exit.
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::runtime_error("cannot connect a child process");
  }
  return {ends[0], ends[1]};
}

void drop_privileges() {
  if (::geteuid() != 0) return;
  if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) {
    throw std::runtime_error("cannot become nobody");
  }
}

}  // namespace

Line::~Line() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Line::Line(Line&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

void Line::send(const std::string& message) {
  if (::send(descriptor_, message.data(), message.size(), MSG_NOSIGNAL) < 0) {
    throw std::runtime_error("the other process does not listen");
  }
}

std::string Line::receive() {
  std::string message(kLongestMessage, '\0');
  const ssize_t size = ::recv(descriptor_, message.data(), message.size(), 0);
  if (size <= 0) throw std::runtime_error("the other process says nothing more");
  message.resize(static_cast<std::size_t>(size));
  return message;
}

ChildProcess::ChildProcess(const std::function<void(Line&)>& work, User user)
    : ChildProcess(work, user, connected_pair()) {}

ChildProcess::ChildProcess(const std::function<void(Line&)>& work, User user,
                           std::pair<int, int> ends)
    : line_(ends.first) {
  Line theirs(ends.second);
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("cannot fork");
  if (process_ > 0) return;
  ::close(ends.first);
  try {
    if (user == User::without_privileges) drop_privileges();
    work(theirs);
  } catch (const std::exception& error) {
    theirs.send(std::string("exception: ") + error.what());
  }
  ::_exit(0);
}

ChildProcess::~ChildProcess() {
  if (process_ > 0) ::waitpid(process_, nullptr, 0);
}

void ChildProcess::kill() { ::kill(process_, SIGKILL); }

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : line_(std::move(other.line_)), process_(std::exchange(other.process_, -1)) {}

}  // namespace foldtune::test
