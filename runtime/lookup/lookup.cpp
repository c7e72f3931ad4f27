#include "runtime/lookup/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "cache/excerpt.h"
#include "cache/printable.h"
#include "cache/store_error.h"
#include "foldtune/error.h"
#include "templates/fingerprint.h"
#include "templates/space.h"

namespace foldtune {
namespace {

/// How much longer a call takes than with the best configuration of its size: the geometric mean
/// over 413 sizes of four problems on an H200 (docs/performance.md, "Sizes between the powers of
/// two").
struct ExpectedLoss {
  double in_l2;      ///< inputs that fit the L2
  double beyond_l2;  ///< larger ones

  /// Of a GPU; 0 for the CPU device, of which nothing is known.
  double told(const DeviceRecord& device, const Workload& workload) const {
    return device.kind == "cpu" ? 0 : of(device, workload);
  }

  double of(const DeviceRecord& device, const Workload& workload) const {
    return input_bytes(workload) <= static_cast<std::uint64_t>(device.l2_bytes) ? in_l2 : beyond_l2;
  }
};
/// By the distance of the buckets, from 1. What is farther away loses as much as the last.
using LossByDistance = std::array<ExpectedLoss, kClassesOfOctave>;
constexpr LossByDistance kFromLarger{
    {{0.052, 0.005}, {0.068, 0.005}, {0.087, 0.007}, {0.109, 0.008}}};
constexpr LossByDistance kFromSmaller{
    {{0.059, 0.008}, {0.081, 0.008}, {0.114, 0.011}, {0.142, 0.012}}};
constexpr ExpectedLoss kOfDefault{0.084, 0.014};
/// Besides, of what was tuned for an alike problem: the mean over 10 sizes; beyond the L2 it was
/// not measured, and is taken for that of the default.
constexpr ExpectedLoss kOfAlike{0.024, 0.014};

/// By how much the default has to be better than what was tuned nearby: it was fitted to the device
/// that the losses are of, and may be worse on others and for other operators.
constexpr double kDoubtInDefault = 0.03;

Choice untuned(const DeviceRecord& device, const Workload& workload, std::string reason) {
  return {.params = Space(workload).default_params(device.multiprocessor_count),
          .match = std::nullopt,
          .reason = std::move(reason),
          .expected_loss = kOfDefault.told(device, workload)};
}

/// Of the number of elements, as the bucket has it.
int class_of_volume(const Bucket& bucket) {
  return std::accumulate(bucket.classes.begin(), bucket.classes.end(), 0);
}

/// Of a configuration that was tuned for the bucket of `match`.
double expected_loss(const DeviceRecord& device, const Workload& workload, const Match& match) {
  const Family& family = workload.problem.family();
  const std::optional<Bucket> tuned = parse_bucket(family, match.bucket);
  if (!tuned) throw std::invalid_argument(fmt::format("its bucket is '{}'", match.bucket));
  const Bucket own = bucket_of(workload);
  const auto distance = static_cast<std::size_t>(family.distance(*tuned, own).value_or(0));
  if (distance == 0) return 0;
  const LossByDistance& losses =
      class_of_volume(*tuned) > class_of_volume(own) ? kFromLarger : kFromSmaller;
  return losses[std::min(distance, losses.size()) - 1].of(device, workload);
}

/// With what else, or where, it was measured, if it was.
std::string describe_stale(const Match& match) {
  if (!match.is_stale) return {};
  const std::string from =
      match.imported_from.empty() ? "" : fmt::format(", imported from {}", match.imported_from);
  return fmt::format(" with driver {} and {}{}{}", match.driver, match.compiler, from,
                     match.is_pinned ? "" : ": `foldtune revalidate` times it again");
}

std::optional<Match> find(const ConfigStore& store, const TuningKey& key,
                          const Workload& workload) {
  try {
    return store.find(key, bucket_distance(workload));
  } catch (const StoreError& error) {
    throw DatabaseError(error.what());
  }
}

bool has_pins(const ConfigStore& store, const TuningKey& key) {
  try {
    return store.has_pins(key);
  } catch (const StoreError& error) {
    throw DatabaseError(error.what());
  }
}

std::vector<std::string> problems_of(const ConfigStore& store, const std::string& family) {
  try {
    return store.problems_of(family);
  } catch (const StoreError& error) {
    throw DatabaseError(error.what());
  }
}

/// What was tuned for the workload, or for its problem with better addresses, or under the usual
/// conditions: the configurations are the same for all of them, so that this is a good guess.
struct Found {
  Match match;
  std::string of_other;  ///< " (for the layout vector)"; empty for the workload's own
};

/// Whether its shape is of the bucket that it was found by; someone may have changed the row.
bool is_of_bucket(const Family& family, const Match& match) {
  const std::optional<Shape> shape = parse_shape(family, match.shape);
  return shape && to_text(family, family.bucket(*shape)) == match.bucket;
}

std::optional<Found> find_for_any_layout(const ConfigStore& store, TuningKey key,
                                         const Workload& workload) {
  if (auto match = find(store, key, workload)) return Found{*std::move(match), {}};
  const auto layouts = workload.problem.family().layouts();
  for (const auto layout : layouts.first(static_cast<std::size_t>(workload.layout))) {
    key.problem.layout = layout;
    if (auto match = find(store, key, workload)) {
      match->quality = MatchQuality::near_size;
      return Found{*std::move(match), fmt::format(" (for the layout {})", layout)};
    }
  }
  return std::nullopt;
}

std::optional<Found> find_for_any_conditions(const ConfigStore& store, TuningKey key,
                                             const Workload& workload) {
  std::optional<Found> found = find_for_any_layout(store, key, workload);
  if (found || workload.conditions == Conditions{}) return found;
  key.problem.conditions = name(Conditions{});
  found = find_for_any_layout(store, key, workload);
  if (found) {
    found->match.quality = MatchQuality::near_size;
    found->of_other += fmt::format(" (for {})", key.problem.conditions);
  }
  return found;
}

/// What was tuned for a problem that the family calls alike.
struct Alike {
  Workload workload;
  Found found;
};

/// The nearest in shape; of equally near ones that of the problem with the fewest differences.
std::optional<Alike> find_alike(const ConfigStore& store, const DeviceRecord& device,
                                const std::string& compiler, const Workload& workload) {
  const Family& family = workload.problem.family();
  const std::string own = field_text(workload.problem);
  std::optional<Alike> nearest;
  std::pair<int, double> least;
  for (const std::string& text : problems_of(store, std::string(family.name()))) {
    const std::optional<Problem> problem = problem_of(family, text);
    if (!problem || text == own || !find_fault(*problem).empty()) continue;
    if (!family.is_alike(*problem, workload.problem)) continue;
    Workload other = workload;
    other.problem = *problem;
    // Of a user's operator the text has the hash, which the problem has not.
    TuningKey key = make_tuning_key(device, compiler, other);
    key.problem.problem = text;
    auto found = find_for_any_conditions(store, key, other);
    if (!found) continue;
    const int distance = bucket_distance(other)(found->match.bucket).value_or(kClassesOfOctave);
    const std::pair rank(distance, apart(other.problem, workload.problem));
    if (nearest && least <= rank) continue;
    nearest = Alike{.workload = std::move(other), .found = *std::move(found)};
    least = rank;
  }
  return nearest;
}

/// Why there is nothing, and whether other devices have what this one has not.
std::string describe_miss(const ConfigStore& store, TuningKey key, const Workload& workload,
                          bool is_pinned) {
  if (is_pinned) {
    return fmt::format(
        "{} is pinned at other sizes or for other conditions, and uses no other results until "
        "`foldtune unpin`",
        to_string(workload.problem));
  }
  if (store.finds_pinned_only()) {
    return fmt::format(
        "nothing of {} is pinned, and the context takes pinned results alone: `foldtune pin` pins "
        "what was tuned",
        to_string(workload.problem));
  }
  std::string text =
      fmt::format("{} was not tuned on this device with these kernels{}{}", to_string(workload),
                  key.compiler.empty() ? "" : " and ", key.compiler);
  key.device_fingerprint.clear();
  const std::optional<Match> match = find(store, key, workload);
  if (!match) return text;
  return fmt::format("{}, but at {} on {}", text,
                     describe_shape(workload.problem.family(), match->shape), match->device);
}

}  // namespace

const char* to_string(ConfigSource source) {
  switch (source) {
    case ConfigSource::exact:
      return "exact";
    case ConfigSource::near_size:
      return "near size";
    case ConfigSource::untuned_default:
      break;
  }
  return "default";
}

ConfigSource Choice::source() const {
  if (is_tuned_now) return ConfigSource::exact;
  if (!match) return ConfigSource::untuned_default;
  return match->quality == MatchQuality::exact ? ConfigSource::exact : ConfigSource::near_size;
}

ProblemKey make_problem_key(const Workload& workload) {
  const Family& family = workload.problem.family();
  return {.family = std::string(family.name()),
          .problem = field_text(workload.problem),
          .layout = std::string(family.layouts()[static_cast<std::size_t>(workload.layout)]),
          .bucket = to_text(family, bucket_of(workload)),
          .conditions = std::string(name(workload.conditions))};
}

TuningKey make_tuning_key(const DeviceRecord& device, const std::string& compiler,
                          const Workload& workload) {
  return {.device_fingerprint = device.fingerprint(),
          .driver = device.driver,
          .template_fingerprint = kernel_fingerprint(workload.problem),
          .compiler = compiler,
          .problem = make_problem_key(workload)};
}

BucketDistance bucket_distance(const Workload& workload) {
  return [&family = workload.problem.family(),
          own = bucket_of(workload)](std::string_view text) -> std::optional<int> {
    const std::optional<Bucket> bucket = parse_bucket(family, text);
    if (!bucket) return std::nullopt;
    return family.distance(*bucket, own);
  };
}

Choice tuned_now(const Workload& workload, const std::string& config) {
  std::string fault = "it is not valid for this problem";
  try {
    const Config params = config_from_json(workload.problem.family(), config);
    if (Space(workload).contains(params)) {
      return {.params = params,
              .match = std::nullopt,
              .reason = "tuned by this process",
              .is_tuned_now = true};
    }
  } catch (const std::invalid_argument& error) {
    fault = error.what();
  }
  throw InvalidArgument(
      fmt::format("using the configuration {} that MissPolicy::tune gave for {}: {}", config,
                  to_string(workload), fault));
}

namespace {

/// With what was found, unless it is damaged or the default is better.
Choice choose_found(const Found& found, const DeviceRecord& device, const Workload& workload) {
  const Match& match = found.match;
  const Family& family = workload.problem.family();
  const std::string shape = describe_shape(family, match.shape);
  if (!is_of_bucket(family, match)) {
    return untuned(device, workload,
                   fmt::format("what was found for it is damaged: {} does not belong to the bucket "
                               "{}; `foldtune doctor` says what to do",
                               shape, match.bucket));
  }
  try {
    const Config params = config_from_json(family, match.params);
    if (!Space(workload).contains(params)) {
      return untuned(device, workload, "the stored configuration is not valid for this problem");
    }
    if (match.quality == MatchQuality::near_size && !family.is_searched(workload, params)) {
      return untuned(device, workload,
                     "what was tuned for a size nearby is known to be slow for this one");
    }
    const double loss = expected_loss(device, workload, match);
    if (loss > kOfDefault.of(device, workload) + kDoubtInDefault) {
      return untuned(
          device, workload,
          fmt::format("what was tuned at {} is expected to lose more for this size", shape));
    }
    return {
        .params = params,
        .match = match,
        .reason = fmt::format("tuned{} at {} on {}{}{}", found.of_other, shape, match.measured_at,
                              match.is_pinned ? ", pinned" : "", describe_stale(match)),
        .expected_loss = device.kind == "cpu" ? 0 : loss};
  } catch (const std::invalid_argument& error) {
    return untuned(device, workload,
                   fmt::format("the stored configuration cannot be read: {}", error.what()));
  }
}

/// The default, or in its place what was tuned for a problem that is alike.
Choice learn_from_others(const ConfigStore& store, const DeviceRecord& device,
                         const std::string& compiler, const Workload& workload, Choice untuned) {
  const std::optional<Alike> alike = find_alike(store, device, compiler, workload);
  if (!alike) return untuned;
  Choice learnt = choose_found(alike->found, device, workload);
  if (!learnt.match) return untuned;
  learnt.reason = fmt::format("{}; {}, which is alike, was {}", untuned.reason,
                              to_string(alike->workload.problem), learnt.reason);
  learnt.match.reset();
  learnt.expected_loss += kOfAlike.told(device, workload);
  learnt.is_learnt = true;
  return learnt;
}

Choice choose(const ConfigStore* store, const DeviceRecord& device, const std::string& compiler,
              const Workload& workload) {
  if (store == nullptr) return untuned(device, workload, "there is no tuning database");
  const TuningKey key = make_tuning_key(device, compiler, workload);
  const std::optional<Found> found = find_for_any_conditions(*store, key, workload);
  const bool is_of_pins = found ? found->match.is_pinned : has_pins(*store, key);
  Choice choice = found
                      ? choose_found(*found, device, workload)
                      : untuned(device, workload, describe_miss(*store, key, workload, is_of_pins));
  choice.has_pins = is_of_pins;
  if (choice.match || is_of_pins || store->finds_pinned_only()) return choice;
  return learn_from_others(*store, device, compiler, workload, std::move(choice));
}

}  // namespace

Choice choose_config(const ConfigStore* store, const DeviceRecord& device,
                     const std::string& compiler, const Workload& workload) {
  Choice choice = choose(store, device, compiler, workload);
  choice.reason = shortened(printable(choice.reason), 200, 1000);  // it quotes the database
  return choice;
}

}  // namespace foldtune
