#include "runtime/support/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <iterator>
#include <system_error>
#include <thread>

#include "runtime/support/temporary_folder.h"

namespace foldtune {
namespace {

// As for a shell.
constexpr int kSignalStatus = 128;

/// Enough for a sanitizer's report of where.
constexpr std::size_t kErrorTailBytes = 4096;

/// As many bytes as a pipe holds.
constexpr std::size_t kTransferBytes = 1 << 16;

/// A driver may take seconds to stop a kernel. What hangs longer is left to the system.
constexpr std::chrono::seconds kEndTime{10};

void check(int error, const char* doing) {
  if (error != 0) throw std::system_error(error, std::generic_category(), doing);
}

struct Ends {
  Descriptor ours;
  Descriptor theirs;
};

/// A connection that closes when another program is started, with numbers that no redirection of a
/// child's standard streams can hit.
Ends make_connection(bool for_input) {
  int ends[2];
  // For the input a socket: it has a way to send that raises no SIGPIPE.
  const int failed = for_input ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)
                               : ::pipe2(ends, O_CLOEXEC);
  check(failed == 0 ? 0 : errno, "connecting a process");
  const std::array low{Descriptor(ends[0]), Descriptor(ends[1])};
  const auto raised = [](const Descriptor& end) {
    const int number = ::fcntl(end.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    check(number >= 0 ? 0 : errno, "connecting a process");
    return Descriptor(number);
  };
  Ends result{.ours = raised(low[0]), .theirs = raised(low[1])};
  if (!for_input) ::fcntl(result.ours.number(), F_SETFL, O_NONBLOCK);
  return result;
}

/// Appends what there is to read. False at the end.
bool read_available(int descriptor, std::string& text) {
  std::array<char, kTransferBytes> buffer;
  const ssize_t size = ::read(descriptor, buffer.data(), buffer.size());
  if (size > 0) text.append(buffer.data(), static_cast<std::size_t>(size));
  return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

int milliseconds_until(ChildProcess::Time deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX));
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
/// killed compiler would look like one that failed. Ends of pipes are told as usual, whatever the
/// program around this one does with them.
class OwnProcessGroup {
 public:
  OwnProcessGroup() {
    check(posix_spawnattr_init(&attributes_), "preparing a process");
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &usual);
  }
  OwnProcessGroup(const OwnProcessGroup&) = delete;
  OwnProcessGroup& operator=(const OwnProcessGroup&) = delete;
  ~OwnProcessGroup() { posix_spawnattr_destroy(&attributes_); }

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

/// This process's, with other values for some variables ("LC_ALL=C").
std::vector<std::string> environment_with(std::vector<std::string> changes) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view old = *variable;
    const bool is_changed = std::ranges::any_of(changes, [&](const std::string& change) {
      return old.starts_with(std::string_view(change).substr(0, change.find('=') + 1));
    });
    if (!is_changed) result.emplace_back(old);
  }
  std::ranges::move(changes, std::back_inserter(result));
  return result;
}

/// As waitpid says it; empty if the process runs at the deadline, or when the wait is to stop.
std::optional<int> wait_for(pid_t process, ChildProcess::Time deadline,
                            const std::function<bool()>& stop_requested = nullptr) {
  constexpr std::chrono::milliseconds kPause{2};
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(process, &status, WNOHANG);
    if (ended == process) return status;
    // Without children, since the program around this one ignores SIGCHLD: it ended somehow.
    if (ended < 0 && errno != EINTR) return 0;
    if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    if (stop_requested && stop_requested()) return std::nullopt;
    std::this_thread::sleep_for(kPause);
  }
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

std::optional<int> run_program(const ProgramRun& run) {
  FileActions actions;
  actions.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  actions.open(STDOUT_FILENO, run.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  actions.duplicate(STDOUT_FILENO, STDERR_FILENO);
  std::vector<std::string> arguments = run.command;
  std::vector<std::string> changes{"LC_ALL=C"};
  if (!run.temporaries.empty()) changes.push_back("TMPDIR=" + run.temporaries);
  std::vector<std::string> environment = environment_with(std::move(changes));

  const OwnProcessGroup group;
  pid_t child = 0;
  check(posix_spawnp(&child, arguments.at(0).c_str(), actions.get(), group.get(),
                     pointers(arguments).data(), pointers(environment).data()),
        run.command[0].c_str());
  const std::optional<int> status =
      wait_for(child, std::chrono::steady_clock::now() + run.limit, run.stop_requested);
  if (!status) {
    ::kill(-child, SIGKILL);
    wait_for(child, std::chrono::steady_clock::now() + kEndTime);
    return std::nullopt;
  }
  return WIFEXITED(*status) ? WEXITSTATUS(*status) : kSignalStatus + WTERMSIG(*status);
}

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
  Ends input = make_connection(/*for_input=*/true);
  Ends output = make_connection(/*for_input=*/false);
  Ends errors = make_connection(/*for_input=*/false);
  FileActions actions;
  actions.duplicate(input.theirs.number(), STDIN_FILENO);
  actions.duplicate(output.theirs.number(), STDOUT_FILENO);
  actions.duplicate(errors.theirs.number(), STDERR_FILENO);
  std::vector<std::string> arguments = command;
  const OwnProcessGroup group;
  check(posix_spawnp(&id_, command.at(0).c_str(), actions.get(), group.get(),
                     pointers(arguments).data(), environ),
        command[0].c_str());
  input_ = std::move(input.ours);
  output_ = std::move(output.ours);
  errors_ = std::move(errors.ours);
}

ChildProcess::~ChildProcess() {
  if (parent_ != ::getpid()) return;
  const bool is_over = status_.has_value();
  kill();
  wait(std::chrono::steady_clock::now() + kEndTime);
  if (!is_over) remove_abandoned_folders();
}

void ChildProcess::kill() {
  // The number of a process that was waited for may be another's by now.
  if (!status_) ::kill(-id_, SIGKILL);
}

std::optional<int> ChildProcess::wait(Time deadline) {
  if (!status_) status_ = wait_for(id_, deadline);
  return status_;
}

ChildProcess::Transfer ChildProcess::transfer(std::string_view& outgoing, std::string& incoming,
                                              Time deadline) {
  for (;;) {
    // A negative number is one that poll leaves out.
    std::array<pollfd, 3> wanted{
        pollfd{outgoing.empty() ? -1 : input_.number(), POLLOUT, 0},
        pollfd{output_.number(), POLLIN, 0},
        pollfd{errors_.number(), POLLIN, 0},
    };
    const int ready = ::poll(wanted.data(), wanted.size(), milliseconds_until(deadline));
    if (ready < 0 && errno != EINTR) check(errno, "waiting for a process");
    if (ready <= 0) {
      if (std::chrono::steady_clock::now() >= deadline) return Transfer::deadline;
      continue;
    }
    if (wanted[2].revents != 0 && !read_errors()) errors_ = Descriptor();
    if (wanted[1].revents != 0) {
      const std::size_t before = incoming.size();
      if (!read_available(output_.number(), incoming)) return Transfer::closed;
      if (incoming.size() > before) return Transfer::moved;
    }
    if (wanted[0].revents != 0) {
      const ssize_t size =
          ::send(input_.number(), outgoing.data(), outgoing.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (size >= 0) {
        outgoing.remove_prefix(static_cast<std::size_t>(size));
        return Transfer::moved;
      }
      if (errno == EPIPE || errno == ECONNRESET) {
        outgoing = {};
      } else if (errno != EAGAIN && errno != EINTR) {
        check(errno, "writing to a process");
      }
    }
    // A process that does nothing but write errors is not waited for any longer.
    if (std::chrono::steady_clock::now() >= deadline) return Transfer::deadline;
  }
}

/// False at the end.
bool ChildProcess::read_errors() {
  const bool goes_on = read_available(errors_.number(), error_tail_);
  if (error_tail_.size() > kErrorTailBytes) {
    error_tail_.erase(0, error_tail_.size() - kErrorTailBytes);
  }
  return goes_on;
}

const std::string& ChildProcess::error_tail() {
  // What the pipe holds, and no more, should a process be writing all the time.
  constexpr int kReads = 4;
  for (int i = 0; i < kReads && errors_.number() >= 0; ++i) {
    pollfd ready{errors_.number(), POLLIN, 0};
    if (::poll(&ready, 1, 0) <= 0) break;
    if (!read_errors()) errors_ = Descriptor();
  }
  return error_tail_;
}

std::string describe_end(int status) {
  if (WIFEXITED(status)) return fmt::format("exit status {}", WEXITSTATUS(status));
  return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
}

}  // namespace foldtune
