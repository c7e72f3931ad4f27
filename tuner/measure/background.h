/// Work that must not disturb a timing.
#pragma once

#include <sys/resource.h>

namespace foldtune {

/// The calling thread, and those that it starts from now on, take the processor when others leave
/// it: a thread that launches what is timed should not wait for one.
inline void run_in_background() {
  constexpr int kNice = 10;
  // Without effect is as good as before.
  (void)::setpriority(PRIO_PROCESS, 0, kNice);
}

}  // namespace foldtune
