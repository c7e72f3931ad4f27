#include "tuner/worker/serve.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>

#include "runtime/support/child_process.h"
#include "tuner/worker/protocol.h"

namespace foldtune {
namespace {

/// As many bytes as a pipe holds.
constexpr std::size_t kReadBytes = 1 << 16;

void check(bool is_good, const char* doing) {
  if (!is_good) throw std::system_error(errno, std::generic_category(), doing);
}

/// False at the end.
bool read_more(int descriptor, MessageBuffer& buffer) {
  std::array<char, kReadBytes> bytes;
  for (;;) {
    const ssize_t size = ::read(descriptor, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    check(size >= 0, "reading requests");
    buffer.append({bytes.data(), static_cast<std::size_t>(size)});
    return size > 0;
  }
}

void send(const WorkerLine& line, const Reply& reply) {
  const std::string bytes = encode(reply);
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t size = ::write(line.replies, rest.data(), rest.size());
    if (size < 0 && errno == EINTR) continue;
    check(size >= 0, "writing a reply");
    rest.remove_prefix(static_cast<std::size_t>(size));
  }
}

/// Empty at the end.
std::optional<Request> receive(const WorkerLine& line, MessageBuffer& buffer) {
  for (;;) {
    if (auto request = take_request(buffer)) return request;
    if (read_more(line.requests, buffer)) continue;
    if (buffer.is_empty()) return std::nullopt;
    throw ProtocolError("reading a message: the requests end in the middle of it");
  }
}

// These functions return whether there can be more requests.

bool answer(Evaluator& evaluator, const WorkerLine& line, const SetWorkload& request) {
  try {
    evaluator.set_workload(request.workload, request.largest);
    send(line, WorkloadReady{evaluator.read_bandwidth_gbps()});
  } catch (const std::system_error&) {  // of the line itself
    throw;
  } catch (const std::exception&) {  // a family's faults are no reason to end, either
    send(line, describe_current_exception());
  }
  return true;
}

bool answer(Evaluator& evaluator, const WorkerLine&, const Announce& next) {
  evaluator.announce(next.workload);
  return true;
}

bool answer(Evaluator& evaluator, const WorkerLine& line, const Trial& trial) {
  send(line, Begun{});
  const MeasurementRecord record = evaluator.evaluate(trial);
  send(line, record);
  return record.outcome != Outcome::crashed;
}

bool answer(const Compiler& compiler, const WorkerLine& line, const Program& program) {
  try {
    send(line, compiler.compile(program));
  } catch (const Error&) {
    send(line, describe_current_exception());
  }
  return true;
}

using Tune = Tuned (*)(const TuneRequest& request);
bool answer(Tune tune, const WorkerLine& line, const TuneRequest& request) {
  send(line, Begun{});
  send(line, tune(request));
  return true;
}

template <class Server>
bool answer(Server&, const WorkerLine&, const Quit&) {
  return false;
}

template <class Server, class Message>
bool answer(Server&, const WorkerLine&, const Message&) {
  throw ProtocolError("answering a request: it is for a worker of the other kind");
}

template <class Server>
void answer_all(Server& server, const WorkerLine& line) {
  MessageBuffer buffer;
  while (const auto request = receive(line, buffer)) {
    const bool goes_on =
        std::visit([&](const auto& message) { return answer(server, line, message); }, *request);
    if (!goes_on) return;
  }
}

}  // namespace

void serve(Evaluator& evaluator, const WorkerLine& line) {
  send(line, Hello{evaluator.info(), evaluator.compiler_version()});
  evaluator.tell_of_runs([line] { send(line, Begun{}); });
  answer_all(evaluator, line);
}

void serve(const Compiler& compiler, const WorkerLine& line) {
  send(line, CompilerHello{compiler.version()});
  answer_all(compiler, line);
}

void serve(Tune tune, const WorkerLine& line) { answer_all(tune, line); }

int run_worker(const std::function<void(const WorkerLine& line)>& work) {
  // The thread that started this one may be gone already; then the requests have ended, too.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Descriptor requests(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  const Descriptor replies(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ::dup2(nothing.number(), STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  const WorkerLine line{.requests = requests.number(), .replies = replies.number()};
  try {
    work(line);
    return 0;
  } catch (...) {
    send(line, describe_current_exception());
    return 1;
  }
}

}  // namespace foldtune
