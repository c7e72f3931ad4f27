#include "runtime/burst.h"

namespace foldtune {

Burst& Burst::of_this_thread() noexcept {
  thread_local Burst burst;
  return burst;
}

void Burst::note_graph(Stream stream, Time end) noexcept {
  stream_ = stream;
  end_ = end;
}

void Burst::note_launch(Stream stream, Time begin, Time end) noexcept {
  const bool is_next = goes_on(stream, begin);
  stream_ = stream;
  end_ = end;
  switch (phase_) {
    case Phase::unknown:
      return begin_counting(end);
    case Phase::counting:
      if (!is_next) return watch_later();
      if (++launches_ < kEnough) return;
      if ((end - begin_) / kEnough < kSlow) return watch_later();
      phase_ = Phase::slow;
      return;
    case Phase::slow:
      if (!is_next) begin_counting(end);  // after a burst another one may come
      return;
  }
}

void Burst::begin_counting(Time now) noexcept {
  phase_ = Phase::counting;
  launches_ = 0;
  begin_ = now;
}

void Burst::watch_later() noexcept {
  phase_ = Phase::unknown;
  unwatched_ = kUnwatched;
}

}  // namespace foldtune
