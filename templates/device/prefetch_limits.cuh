/// How much of a call's inputs is worth prefetching (prefetch.cuh), for host and device.
#pragma once

namespace foldtune {

/// So many bytes of all inputs are worth prefetching, if these have no more; of larger ones a
/// share, but no more than that. What is prefetched is loaded twice, the second time from the L2.
inline constexpr unsigned kMaxPrefetchBytes = 8 << 20;
inline constexpr unsigned kPrefetchShare = 4;  ///< one in so many

}  // namespace foldtune
