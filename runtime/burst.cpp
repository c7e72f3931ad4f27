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
    launches_ = slow_launches_ = 0;
  } else if (launches_ < kEnough) {
    ++launches_;
    if (end - begin >= kSlow) ++slow_launches_;
    if (launches_ == kEnough) is_fast_ = 2 * slow_launches_ < launches_;
  }
  stream_ = stream;
  end_ = end;
}

}  // namespace foldtune
