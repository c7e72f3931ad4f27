/// Ctrl-C as a request to stop.
#pragma once

namespace foldtune {

/// While one lives, the first Ctrl-C sets a flag and says so on stderr, the second one ends the
/// process at once with ExitCode::interrupted. At most one at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  bool is_interrupted() const;
};

}  // namespace foldtune
