/// The reductions that are compared, as the harness sees them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foldtune/context.h"
#include "runtime/device.h"

namespace foldtune::bench {

/// One reduction of a problem. What it uses must outlive it.
struct Competitor {
  std::string name;  ///< as in the report

  /// Everything that must happen before calls for this count on this stream are captured.
  std::function<void(const void* input, std::uint64_t count, Stream stream)> prepare;
  /// Enqueues a reduction.
  std::function<void(const void* input, std::uint64_t count, void* output, Stream stream)> call;
  /// The configuration for a count; empty for a library.
  std::function<Explanation(std::uint64_t count)> explain;
};

/// The index of each competitor in what `make_competitors` returns.
enum CompetitorIndex : std::size_t { kTuned, kUntuned, kCub };

/// Foldtune with what `tuned` finds in its database, Foldtune with its untuned default, and CUB,
/// for inputs of up to `most` elements of `problem`'s type. The contexts must be of `device`.
std::vector<Competitor> make_competitors(const std::shared_ptr<Device>& device, Context& tuned,
                                         Context& untuned, const Problem& problem,
                                         std::uint32_t most);

}  // namespace foldtune::bench
