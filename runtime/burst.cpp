#include "runtime/burst.h"

namespace foldtune {

Burst& Burst::of_this_thread() noexcept {
  thread_local Burst burst;
  return burst;
}

bool Burst::goes_on(Stream stream, Time now) noexcept {
  if (!is_slow_ || launches_ < kAgain || stream != stream_ || now >= until_) return false;
  trusted_ = kTrusted;
  until_ = now + (kTrusted + 1) * (kGraph + kPause);
  return true;
}

void Burst::note_launch(Stream stream, Time begin, Time end) noexcept {
  const bool is_next = stream == stream_ && begin < until_;
  const Time time = end - end_;
  trusted_ = 0;
  stream_ = stream;
  end_ = end;
  until_ = end + kPause;
  if (!is_next) return note_break();
  ++launches_;
  time_ += time;
  if (launches_ < (is_slow_ ? kAgain : kEnough)) return;
  breaks_ = 0;
  if (is_slow_) return;
  is_slow_ = time_ / launches_ >= kSlow;
  if (!is_slow_) unwatched_ = kUnwatched;
}

void Burst::note_break() noexcept {
  launches_ = 0;
  time_ = Time{0};
  if (++breaks_ <= kBreaks) return;
  breaks_ = 0;
  is_slow_ = false;
  unwatched_ = kUnwatched;
}

}  // namespace foldtune
