/// How the calls of a sample spread over memory, so that each reads its input from there and not
/// from the L2.
#pragma once

#include <algorithm>
#include <cstdint>

namespace foldtune {

/// Between two reads of a slice this many times the L2 is read: its replacement is not strictly of
/// the oldest line, and of a lap over twice its size a fifth would still be found in it.
inline constexpr std::uint64_t kLapL2Sizes = 4;

/// A graph of more calls takes longer to build and to run than its sample is worth. Inputs below
/// half a megabyte get a flush instead: with an L2 of 60 MB a lap of them is too short.
inline constexpr int kMostRotatingCalls = 512;

struct Rotation {
  int slices = 1;            ///< call i reads slice i % slices
  int calls = 1;             ///< of a sample: whole laps
  bool needs_flush = false;  ///< a lap is too short to push its first slices out of the L2
};

/// For calls that read `bytes` each, of which `available` disjoint inputs are there. At least
/// `least_calls` calls, at most kMostRotatingCalls. One slice where there is no L2.
inline Rotation plan_rotation(std::uint64_t bytes, std::uint64_t l2_bytes, int available,
                              int least_calls) {
  if (l2_bytes == 0 || bytes == 0) return {.calls = least_calls};
  const std::uint64_t wanted = (kLapL2Sizes * l2_bytes + bytes - 1) / bytes;
  const auto most = static_cast<std::uint64_t>(std::clamp(available, 1, kMostRotatingCalls));
  Rotation rotation;
  rotation.slices = static_cast<int>(std::min(wanted, most));
  const int laps = (least_calls + rotation.slices - 1) / rotation.slices;
  rotation.calls = rotation.slices * std::min(laps, kMostRotatingCalls / rotation.slices);
  rotation.needs_flush =
      static_cast<std::uint64_t>(rotation.slices) * bytes < kLapL2Sizes * l2_bytes;
  return rotation;
}

}  // namespace foldtune
