/// How one replay spreads its calls over device memory, so that every call reads from DRAM.
#pragma once

#include <algorithm>
#include <cstdint>

namespace foldtune::bench {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

/// Between two reads of a slice all others are read: several times what an L2 holds (50 MB on an
/// H100 and an H200, up to 128 MB elsewhere).
inline constexpr std::uint64_t kLeastPoolBytes = 256 * kMiB;
/// Large inputs use several slices too, as far as this allows; a larger input is a pool by itself.
inline constexpr std::uint64_t kMostPoolBytes = 4 * kGiB;
inline constexpr std::uint64_t kWantedSlices = 4;
/// Slices start where an allocation would.
inline constexpr std::uint64_t kSliceAlignment = 256;
/// Tiny inputs lie apart, so that a graph stays within 65536 calls.
inline constexpr std::uint64_t kLeastSliceStride = 4096;

/// A replay should take milliseconds, of which its start (about 5 us) is then no part: as many
/// calls as this, as far as they read no more than kMostReplayBytes.
inline constexpr std::uint64_t kWantedCalls = 1024;
inline constexpr std::uint64_t kLeastCalls = 4;
inline constexpr std::uint64_t kMostReplayBytes = 16 * kGiB;

struct SlicePlan {
  std::uint64_t stride = 0;  ///< bytes from one slice to the next
  std::uint64_t slices = 0;
  std::uint64_t calls = 0;  ///< of a replay; call i reads slice i % slices

  std::uint64_t pool_bytes() const { return stride * slices; }
};

/// For an input of `bytes`, at least 1.
inline SlicePlan plan_slices(std::uint64_t bytes) {
  const auto divide_up = [](std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; };
  SlicePlan plan;
  plan.stride = std::max(divide_up(bytes, kSliceAlignment) * kSliceAlignment, kLeastSliceStride);
  const std::uint64_t fitting =
      std::clamp<std::uint64_t>(kMostPoolBytes / plan.stride, 1, kWantedSlices);
  plan.slices = std::max(divide_up(kLeastPoolBytes, plan.stride), fitting);
  const std::uint64_t wanted =
      std::clamp(kMostReplayBytes / plan.stride, kLeastCalls, kWantedCalls);
  plan.calls = divide_up(wanted, plan.slices) * plan.slices;  // whole laps over the pool
  return plan;
}

}  // namespace foldtune::bench
