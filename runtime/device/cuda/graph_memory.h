/// Which memory of a device belongs to graphs.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace foldtune {

/// Lends pieces of a device's memory, and lends again what came back. May be used from several
/// threads. Knows no device: whoever made the memory frees it.
class GraphMemory {
 public:
  /// A piece, for as long as there is a copy of this. The last one may go in any thread, in one of
  /// the driver's, too, and later than the GraphMemory: all it does is to note that the piece is
  /// idle.
  using Lease = std::shared_ptr<void>;

  /// A piece of at least `bytes` that nobody has: an idle one, with what is in it, else what
  /// `allocate` makes of the number of bytes that it is given.
  Lease take(std::size_t bytes, const std::function<void*(std::size_t bytes)>& allocate);

  /// Every piece, whoever has it.
  std::vector<void*> all() const;

 private:
  struct Piece {
    void* memory = nullptr;
    Piece** idle = nullptr;  ///< the list that it belongs to, of its size
    Piece* next = nullptr;   ///< in that list
  };
  /// What leases use, and keep.
  struct State {
    mutable std::mutex mutex;  // guards what follows
    std::deque<Piece> pieces;  // which stay where they are
    std::map<std::size_t, Piece*> idle;
  };

  Piece* take_idle(std::size_t size);
  static Lease lend(const std::shared_ptr<State>& state, Piece& piece);

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace foldtune
