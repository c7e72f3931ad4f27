#include "runtime/device/cuda/graph_memory.h"

#include <algorithm>
#include <bit>

namespace foldtune {
namespace {

/// Few sizes, so that what one plan's graph gave back serves another plan's.
std::size_t size_of_piece(std::size_t bytes) {
  constexpr std::size_t kLeast = 512;
  return std::bit_ceil(std::max(bytes, kLeast));
}

}  // namespace

// A list is threaded through the pieces, so that to give one back allocates nothing.
GraphMemory::Lease GraphMemory::lend(const std::shared_ptr<State>& state, Piece& piece) {
  return {piece.memory, [state, &piece](void*) {
            const std::lock_guard lock(state->mutex);
            piece.next = *piece.idle;
            *piece.idle = &piece;
          }};
}

GraphMemory::Lease GraphMemory::take(std::size_t bytes,
                                     const std::function<void*(std::size_t)>& allocate) {
  const std::size_t size = size_of_piece(bytes);
  if (Piece* const idle = take_idle(size)) return lend(state_, *idle);
  // Without the lock: a thread of the driver that gives a piece back must not wait for the driver.
  void* const memory = allocate(size);
  const std::lock_guard lock(state_->mutex);
  Piece*& idle = state_->idle[size];
  return lend(state_, state_->pieces.emplace_back(Piece{.memory = memory, .idle = &idle}));
}

GraphMemory::Piece* GraphMemory::take_idle(std::size_t size) {
  const std::lock_guard lock(state_->mutex);
  Piece*& idle = state_->idle[size];
  Piece* const first = idle;
  if (first != nullptr) idle = first->next;
  return first;
}

std::vector<void*> GraphMemory::all() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<void*> memory;
  for (const Piece& piece : state_->pieces) memory.push_back(piece.memory);
  return memory;
}

}  // namespace foldtune
