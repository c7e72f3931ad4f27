/// The best of a screening against each other, and which of them is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/measure/evaluator.h"
#include "tuner/measure/statistics.h"

namespace foldtune {

struct Finalist {
  Config params;
  std::shared_ptr<const CompiledKernel> compiled;  ///< as Trial::compiled
  /// What is compared with in the end, such as the default: it takes part in every round.
  bool stays = false;
  MeasurementRecord record{};      ///< of all its rounds
  std::vector<double> turns_us{};  ///< the median of each of its turns, one in a round
  bool is_out = false;  ///< clearly slower than another, or failed: it takes part no more
};

struct ComparisonOptions {
  int rounds = 1;                                  ///< at most
  std::uint64_t seed = 1;                          ///< of the order in each round
  std::function<bool()> stop_requested = nullptr;  ///< asked between two trials; may be empty
  std::function<double()> left_s = nullptr;        ///< of trials, as Trial::left_s; may be empty
};

/// Times the finalists in turns and in random order, so that a drift of the clocks and what else
/// the machine does meet them all. After each round those that are clearly slower than the best
/// drop out; it ends when all but the best are clearly slower, or after the last round. Those that
/// are not out then have as many samples, of the same rounds: what a request to stop left of a
/// round is dropped. Throws what `evaluate` throws.
void compare(Evaluator& evaluator, std::vector<Finalist>& finalists,
             const ComparisonOptions& options);

/// Whether a record is of a success with enough samples for a confidence interval.
bool has_interval(const MeasurementRecord& record);

/// The time of `record` over that of `other`, in the rounds that both took part in. Where one has
/// too few samples for an interval, its ends are the value. Both are of successes.
Ratio time_ratio(const MeasurementRecord& record, const MeasurementRecord& other);

/// Whether `a` is clearly faster than `b` in the rounds that both took part in, turn against turn:
/// one that other work of the machine met is one turn, however many samples it has.
bool is_clearly_faster(const Finalist& a, const Finalist& b);

/// The fastest of the finalists that are not out; but the incumbent if that was measured and the
/// fastest is not clearly faster: noise does not change what is chosen. Empty if none was measured.
std::optional<std::size_t> choose(const std::vector<Finalist>& finalists,
                                  std::optional<std::size_t> incumbent);

/// Which of the finalists serves two shapes best. `there` are the same finalists at their places,
/// timed for the other shape, those of them that are worth it; `chosen` is what `choose` gave for
/// `here`. The one with the least product of both times; but the incumbent if that was timed for
/// both and the other is not clearly faster over the turns of both.
std::size_t choose_for_both(const std::vector<Finalist>& here, const std::vector<Finalist>& there,
                            std::size_t chosen, std::optional<std::size_t> incumbent);

/// The time of `a` over that of `b` in the rounds that both took part in; 0 if there is none.
double ratio_of(const Finalist& a, const Finalist& b);

/// Times the chosen finalist completely, and up to four others that are within 2% of it, until
/// `stop_requested`, which may be empty. Returns the one to keep: the chosen one, or one of the
/// others that takes clearly less time in a stream; in the place of one that ends in atomics, one
/// that stores its result once and takes at most 5% and at most 2 us more, for values that are
/// waited for. `there` is as choose_for_both takes it: where it is not empty, the others are as
/// near to the chosen one there, too. Samples and medians stay those of the comparison. Throws what
/// `evaluate` throws.
std::size_t break_ties(Evaluator& evaluator, std::vector<Finalist>& finalists,
                       const std::vector<Finalist>& there, std::size_t chosen,
                       const std::function<bool()>& stop_requested = nullptr);

}  // namespace foldtune
