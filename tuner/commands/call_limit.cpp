#include "tuner/commands/call_limit.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "tuner/commands/exit_code.h"
#include "tuner/text/print.h"

namespace foldtune {

CallLimit::CallLimit(std::optional<std::chrono::seconds> limit, std::string what)
    : limit_(limit), what_(std::move(what)) {
  if (!limit_) return;
  restart();
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

void CallLimit::restart() {
  if (!limit_) return;
  const std::lock_guard lock(mutex_);
  end_ = Clock::now() + *limit_;
}

void CallLimit::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (Clock::now() < end_) {
    stopped_.wait_until(lock, stop, Clock::time_point(end_), [] { return false; });
    if (stop.stop_requested()) return;
  }
  print_to(stderr,
           "foldtune: error: {}: it did not end within {} s, and was stopped. If it would end, "
           "allow it more with --timeout SECONDS\n",
           what_, limit_->count());
  ::_exit(static_cast<int>(ExitCode::device));
}

}  // namespace foldtune
