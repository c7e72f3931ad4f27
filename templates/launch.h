/// Launches as data: what a family makes of a call, and a device enqueues.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "templates/call.h"

namespace foldtune {

/// The extents of a grid or of a block.
struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

struct Launch {
  static constexpr std::size_t kMaxArguments = 16;

  std::size_t kernel = 0;          ///< its index in the program
  Dim3 grid{};                     ///< blocks
  Dim3 block{.x = 32};             ///< threads of a block
  std::uint32_t shared_bytes = 0;  ///< dynamic shared memory of a block
  bool is_cluster = false;         ///< all blocks are one cluster, where the device has clusters
  /// Whether the grid may begin before the stream's earlier work is complete: only for a kernel
  /// that calls `platform::await_previous_grid` before it touches what that may use.
  bool overlaps_previous = false;
  /// Addresses of the kernel's parameters, as for cuLaunchKernel.
  std::array<void*, kMaxArguments> arguments;  // NOLINT(*-member-init): set as far as it is used

  /// Sets the arguments, in the order of the kernel's parameters.
  template <class... Pointers>
  void pass(Pointers... addresses) {
    static_assert(sizeof...(addresses) <= kMaxArguments);
    std::size_t i = 0;
    ((arguments[i++] = addresses), ...);
  }
};

/// The launches of one call, in their order, with the values of their arguments. Made for the stack
/// of the hot path: allocates nothing, and sets nothing that is not used.
class Launches {
 public:
  static constexpr std::size_t kMaxLaunches = 3;
  static constexpr std::size_t kMaxKept = 32;  ///< values of `keep`, of 16 bytes at most

  Launches() {}                        // NOLINT(*-member-init,*-use-equals-default)
  Launches(const Launches&) = delete;  // arguments point into it
  Launches& operator=(const Launches&) = delete;

  /// Adds a launch, whose arguments are to be passed.
  Launch& add(std::size_t kernel, Dim3 grid, Dim3 block) {
    if (size_ == kMaxLaunches) throw std::logic_error("more launches than a call may have");
    Launch& launch = *new (&launches_[size_++]) Launch;
    launch.kernel = kernel;
    launch.grid = grid;
    launch.block = block;
    return launch;
  }

  /// The address of a value that outlives the launches, such as one of the call.
  template <class T>
  static void* address(const T& value) {
    return const_cast<T*>(&value);
  }
  template <class T>
  static void* address(const T&& temporary) = delete;

  /// The address of a copy, which lives as long as the launches.
  template <class T>
  void* keep(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kAlignment);
    constexpr std::size_t kBytes = (sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    if (used_ + kBytes > sizeof(values_)) {
      throw std::logic_error("more values than the arguments of a call may have");
    }
    void* const place = values_ + used_;
    used_ += kBytes;
    return std::memcpy(place, &value, sizeof(T));
  }

  /// The address of an index, of the width that the kernel has; it outlives the launches.
  void* keep_index(const std::uint64_t& index, bool in_64_bits) {
    return in_64_bits ? address(index) : keep(static_cast<std::uint32_t>(index));
  }
  void* keep_index(const std::uint64_t&& temporary, bool in_64_bits) = delete;

  std::size_t size() const { return size_; }
  const Launch* begin() const { return launches_; }
  const Launch* end() const { return launches_ + size_; }

 private:
  static constexpr std::size_t kAlignment = 16;

  union {                            // not begun until they are added
    Launch launches_[kMaxLaunches];  // NOLINT(readability-identifier-naming): private all the same
  };
  std::size_t size_ = 0;
  alignas(kAlignment) std::byte values_[kMaxKept * kAlignment];
  std::size_t used_ = 0;
};

/// The launches of a variant on one device, worked out but for what differs from call to call.
/// Member functions may be called from several threads.
class Launcher {
 public:
  Launcher() = default;
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  virtual ~Launcher() = default;

  /// Threads of a block of the program's first kernel.
  virtual std::uint32_t block_size() const = 0;

  /// Bytes of scratch that a call of this shape needs, or 0: then it may be null.
  virtual std::size_t scratch_bytes(const Shape& shape) const = 0;

  /// The same for every call whose extents are at most those of `most`.
  virtual std::size_t max_scratch_bytes(const Shape& most) const { return scratch_bytes(most); }

  /// The launches of a call, which outlives them; its shape is of the variant's bucket, or smaller.
  /// Its arguments may all be null: then only the grids count. The hot path's one virtual call.
  virtual void fill(const Call& call, void* scratch, Launches& launches) const = 0;
};

}  // namespace foldtune
