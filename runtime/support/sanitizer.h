/// Which sanitizer the program is built with, and what it must be told about fibers.
#pragma once

#include <cstddef>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define FOLDTUNE_ADDRESS_SANITIZER 1
#elif defined(__SANITIZE_THREAD__)
#define FOLDTUNE_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FOLDTUNE_ADDRESS_SANITIZER 1
#elif __has_feature(thread_sanitizer)
#define FOLDTUNE_THREAD_SANITIZER 1
#endif
#endif

#ifdef FOLDTUNE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FOLDTUNE_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace foldtune {

#ifdef FOLDTUNE_ADDRESS_SANITIZER
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif
#ifdef FOLDTUNE_THREAD_SANITIZER
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

struct StackBounds {
  const void* bottom = nullptr;  ///< the lowest address
  std::size_t size = 0;          ///< in bytes
};

/// Just before the switch to the stack `next`. `*fake_stack` keeps what AddressSanitizer knows of
/// the stack that is left; null if that one will never run again.
inline void leave_stack([[maybe_unused]] void** fake_stack, [[maybe_unused]] StackBounds next) {
#ifdef FOLDTUNE_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(fake_stack, next.bottom, next.size);
#endif
}

/// Just after a switch, on the stack that is entered: what `leave_stack` kept of it, null for a new
/// one. Returns the bounds of the stack that was left.
inline StackBounds enter_stack([[maybe_unused]] void* fake_stack) {
  StackBounds previous;
#ifdef FOLDTUNE_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(fake_stack, &previous.bottom, &previous.size);
#endif
  return previous;
}

/// Before a stack or its addresses are used again: its last user's frames may have been left, not
/// returned from.
inline void forget_stack([[maybe_unused]] StackBounds stack) {
#ifdef FOLDTUNE_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(stack.bottom, stack.size);
#endif
}

/// What ThreadSanitizer takes a fiber for: a thread of its own, which no switch synchronises with
/// another one. Move-only; nothing in other builds.
class WatchedFiber {
 public:
#ifdef FOLDTUNE_THREAD_SANITIZER
  /// The running one, which is not owned.
  static WatchedFiber current() { return WatchedFiber(__tsan_get_current_fiber(), false); }
  static WatchedFiber make() { return WatchedFiber(__tsan_create_fiber(0), true); }

  WatchedFiber() = default;
  WatchedFiber(WatchedFiber&& other) noexcept { swap(other); }
  WatchedFiber& operator=(WatchedFiber&& other) noexcept {
    swap(other);
    return *this;
  }
  ~WatchedFiber() {
    if (is_owned_) __tsan_destroy_fiber(fiber_);
  }

  /// Just before the switch to it.
  void enter() const { __tsan_switch_to_fiber(fiber_, __tsan_switch_to_fiber_no_sync); }

 private:
  WatchedFiber(void* fiber, bool is_owned) : fiber_(fiber), is_owned_(is_owned) {}
  void swap(WatchedFiber& other) noexcept {
    std::swap(fiber_, other.fiber_);
    std::swap(is_owned_, other.is_owned_);
  }

  void* fiber_ = nullptr;
  bool is_owned_ = false;
#else
  static WatchedFiber current() { return {}; }
  static WatchedFiber make() { return {}; }
  void enter() const {}
#endif
};

/// What the thread did until now comes before what those do that call `synchronize_after` with the
/// same address from now on.
inline void synchronize_before([[maybe_unused]] void* address) {
#ifdef FOLDTUNE_THREAD_SANITIZER
  __tsan_release(address);
#endif
}
inline void synchronize_after([[maybe_unused]] void* address) {
#ifdef FOLDTUNE_THREAD_SANITIZER
  __tsan_acquire(address);
#endif
}

}  // namespace foldtune
