#include "tuner/worker/session.h"

#include <fmt/format.h>

#include <algorithm>

namespace foldtune {
namespace {

using Clock = std::chrono::steady_clock;

/// Between a process's last word and its end the driver may take its time to free what it holds.
constexpr std::chrono::seconds kEndTime{10};

/// A request to stop is answered within it.
constexpr std::chrono::milliseconds kStopCheck{50};

/// Of the errors that a worker wrote; the last ones say the most.
constexpr std::size_t kShownErrorBytes = 1000;

ChildProcess::Time after(WorkerSession::Seconds seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds);
}

}  // namespace

WorkerSession::Answer WorkerSession::ask(const Request& request, Seconds timeout,
                                         const std::function<bool()>& stop_requested) {
  tell(request);
  return receive(timeout, stop_requested);
}

void WorkerSession::tell(const Request& request) { outgoing_ += encode(request); }

WorkerSession::Answer WorkerSession::receive(Seconds timeout,
                                             const std::function<bool()>& stop_requested) {
  const ChildProcess::Time deadline = after(timeout);
  std::string_view outgoing = outgoing_;
  for (;;) {
    try {
      if (auto reply = take_reply(incoming_)) {
        outgoing_.clear();
        return std::move(*reply);
      }
    } catch (const ProtocolError& error) {
      process_.kill();
      return WorkerFault{WorkerFault::Kind::garbage,
                         fmt::format("its answer cannot be understood: {}", error.what())};
    }
    std::string bytes;
    const ChildProcess::Time next =
        stop_requested ? std::min(deadline, Clock::now() + kStopCheck) : deadline;
    switch (process_.transfer(outgoing, bytes, next)) {
      case ChildProcess::Transfer::moved:
        incoming_.append(bytes);
        break;
      case ChildProcess::Transfer::closed:
        return WorkerFault{WorkerFault::Kind::ended, describe_end()};
      case ChildProcess::Transfer::deadline:
        if (stop_requested && stop_requested()) {
          process_.kill();
          return WorkerFault{WorkerFault::Kind::stopped, "was stopped, as was asked for"};
        }
        if (next < deadline) break;
        process_.kill();
        return WorkerFault{
            WorkerFault::Kind::timeout,
            fmt::format("did not end within {:.3g} s, and was stopped", timeout.count())};
    }
  }
}

void WorkerSession::quit(Seconds timeout) {
  const ChildProcess::Time deadline = after(timeout);
  const std::string bytes = encode(Quit{});
  std::string_view outgoing = bytes;
  std::string ignored;
  while (process_.transfer(outgoing, ignored, deadline) == ChildProcess::Transfer::moved) {
  }
  process_.wait(deadline);
}

std::string WorkerSession::describe_end() {
  const std::optional<int> status = process_.wait(after(kEndTime));
  if (!status) process_.kill();
  std::string errors = process_.error_tail();
  if (errors.size() > kShownErrorBytes) errors.erase(0, errors.size() - kShownErrorBytes);
  while (!errors.empty() && errors.back() == '\n') errors.pop_back();
  return fmt::format("{}{}{}", status ? foldtune::describe_end(*status) : "an output it closed",
                     errors.empty() ? "" : "; it wrote: ", errors);
}

Failure as_failure(const WorkerFault& fault, std::string_view doing) {
  const bool has_ended = fault.kind == WorkerFault::Kind::ended;
  return {Failure::Kind::other,
          fmt::format("{}: {}{}", doing, has_ended ? "the worker ended with " : "", fault.text)};
}

Failure as_failure(const Reply&, std::string_view doing) {
  return {Failure::Kind::other, fmt::format("{}: the worker gave another answer", doing)};
}

}  // namespace foldtune
