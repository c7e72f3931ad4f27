/// The best of a screening against each other, and which of them is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/evaluator.h"

namespace foldtune {

struct Finalist {
  Params params;
  std::shared_ptr<const CompiledKernel> compiled;  ///< as Trial::compiled
  MeasurementRecord record{};                      ///< of all its rounds
  bool is_out = false;  ///< clearly slower than another, or failed: it takes part no more
};

struct ComparisonOptions {
  int rounds = 1;                                  ///< at most
  std::uint64_t seed = 1;                          ///< of the order in each round
  std::function<bool()> stop_requested = nullptr;  ///< asked between two trials; may be empty
};

/// Times the finalists in turns and in random order, so that a drift of the clocks meets them all.
/// After each round those that are clearly slower than the best drop out; it ends when one is left,
/// or after the last round. Throws what `evaluate` throws.
void compare(Evaluator& evaluator, std::vector<Finalist>& finalists,
             const ComparisonOptions& options);

/// The fastest finalist; but the incumbent if that was measured and the fastest is not clearly
/// faster: noise does not change what is chosen. Empty if none was measured.
std::optional<std::size_t> choose(const std::vector<Finalist>& finalists,
                                  std::optional<std::size_t> incumbent);

/// Times the chosen finalist completely, and up to four others that are within 2% of it. Returns
/// the one to keep: the chosen one, or one of the others that takes clearly less time in a stream;
/// in the place of one that ends in atomics, one that stores its result once and takes at most 5%
/// and at most 2 us more, for values that are waited for. Throws what `evaluate` throws.
std::size_t settle(Evaluator& evaluator, std::vector<Finalist>& finalists, std::size_t chosen);

}  // namespace foldtune
