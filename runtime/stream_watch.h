/// Which streams were destroyed. The driver cannot be asked: each of its functions that takes a
/// stream ends the process on a handle that is no more, or takes it for a newer stream's. CUPTI,
/// opened at run time, tells of every stream of the process that is created or destroyed.
#pragma once

#include <mutex>
#include <unordered_set>

#include "foldtune/stream.h"

namespace foldtune {

/// Begins, at the first call, to watch the streams of the process, until it ends. A process has one
/// subscriber of CUPTI, so that a profiler which is there keeps this from watching, and one that
/// comes later cannot subscribe. Whether streams are watched; if not, the log is told why, once.
bool begin_stream_watch();

/// Whether the stream was destroyed since then. Never so of the default streams, nor of any stream
/// while none are watched.
bool was_destroyed(Stream stream);

/// The handles of streams that were destroyed, and that no newer stream has. Member functions may
/// be called from several threads.
class DestroyedStreams {
 public:
  void on_created(Stream stream);
  void on_destroyed(Stream stream);
  bool contains(Stream stream) const;

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::unordered_set<Stream> handles_;
};

}  // namespace foldtune
