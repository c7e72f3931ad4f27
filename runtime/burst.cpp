#include "runtime/burst.h"

namespace foldtune {

Burst& Burst::of_this_thread() noexcept {
  thread_local Burst burst;
  return burst;
}

void Burst::note_graph(Stream stream, Time end) {
  stream_ = stream;
  end_ = end;
}

void Burst::note_launch(Stream stream, Time begin, Time end) {
  if (!goes_on(stream, begin)) {
    begin_ = end;
    launches_ = 0;
    is_slow_ = false;
  } else if (launches_ < kEnough && ++launches_ == kEnough) {
    const Time each = (end - begin_) / kEnough;
    is_slow_ = each >= kSlow;
    is_fast_ = each < kFast;
  }
  stream_ = stream;
  end_ = end;
}

}  // namespace foldtune
