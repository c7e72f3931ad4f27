/// One worker process as the tuner sees it, from its start to its end.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/support/child_process.h"
#include "tuner/worker/protocol.h"

namespace foldtune {

/// Why a worker gave no answer.
struct WorkerFault {
  enum class Kind {
    ended,    ///< its process has ended
    timeout,  ///< it did not answer in time
    stopped,  ///< nobody waits for its answer any more
    garbage,  ///< its answer cannot be understood
  };
  Kind kind = Kind::ended;
  /// "signal 11 (Segmentation fault); it wrote: ...", "did not end within 10 s, and was stopped".
  std::string text;
};

/// After a fault the session is of no use, and its process is killed. Its end of life kills the
/// process, too, unless `quit` ended it.
class WorkerSession {
 public:
  using Seconds = std::chrono::duration<double>;
  using Answer = std::variant<Reply, WorkerFault>;

  /// Throws std::system_error if `command` cannot be started.
  explicit WorkerSession(const std::vector<std::string>& command) : process_(command) {}

  pid_t process() const { return process_.id(); }

  /// Whether the process has ended, though nobody asked for anything.
  bool has_ended() { return process_.wait({}).has_value(); }

  /// The next answer, or that to `request`. `stop_requested` is asked all the time; true ends the
  /// waiting. May be empty.
  Answer receive(Seconds timeout, const std::function<bool()>& stop_requested = nullptr);
  Answer ask(const Request& request, Seconds timeout,
             const std::function<bool()>& stop_requested = nullptr);

  /// A request without an answer, which goes out with the next one.
  void tell(const Request& request);

  /// Asks the process to end, and waits for it.
  void quit(Seconds timeout);

 private:
  std::string describe_end();

  ChildProcess process_;
  std::string outgoing_;  ///< what was not yet sent
  MessageBuffer incoming_;
};

/// What is wrong with such an answer to who was `doing` something; of the kind `other`.
Failure as_failure(const WorkerFault& fault, std::string_view doing);
Failure as_failure(const Reply& unexpected, std::string_view doing);

/// The expected answer, or what there was in its place.
template <class T>
std::variant<T, Failure> expect(WorkerSession::Answer answer, std::string_view doing) {
  if (const auto* const fault = std::get_if<WorkerFault>(&answer)) return as_failure(*fault, doing);
  Reply& reply = std::get<Reply>(answer);
  if (auto* const failure = std::get_if<Failure>(&reply)) return std::move(*failure);
  if (auto* const expected = std::get_if<T>(&reply)) return std::move(*expected);
  return as_failure(reply, doing);
}

}  // namespace foldtune
