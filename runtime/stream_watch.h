/// Which streams were destroyed. The driver cannot be asked: to it a handle is an address, and it
/// reads what lies there (driver 580 ends the process), or takes it for a new stream.
#pragma once

#include <mutex>
#include <unordered_set>

#include "foldtune/stream.h"

namespace foldtune {

/// May be used from several threads.
class StreamWatch {
 public:
  /// That of the process, which CUPTI tells of all streams from the first call on; null, and the
  /// log is told, where CUPTI is not found, or a profiler has it already.
  static StreamWatch* get();

  /// A destroyed stream's handle may be a new one's.
  void note_created(Stream stream);
  void note_destroyed(Stream stream);

  /// False for a stream of which nothing was noted.
  bool was_destroyed(Stream stream) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_set<Stream> destroyed_;
};

}  // namespace foldtune
