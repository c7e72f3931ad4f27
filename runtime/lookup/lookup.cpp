#include "runtime/lookup/lookup.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "cache/store_error.h"
#include "foldtune/error.h"
#include "templates/fingerprint.h"
#include "templates/space.h"

namespace foldtune {
namespace {

/// How much longer a call takes than with the best configuration of its size: the median over 31
/// landscapes of an H200, 15 of them sums of f32 in steps of a factor of 2. Beyond the L2 there is
/// no pair for one size class more: what is for two is taken.
struct ExpectedLoss {
  double in_l2;      ///< inputs that fit the L2
  double beyond_l2;  ///< larger ones

  /// Of a GPU; 0 for the CPU device, of which nothing is known.
  double told(const DeviceRecord& device, const Problem& problem) const {
    return device.kind == "cpu" ? 0 : of(device, problem);
  }

  double of(const DeviceRecord& device, const Problem& problem) const {
    return problem.input_bytes() <= static_cast<std::uint64_t>(device.l2_bytes) ? in_l2 : beyond_l2;
  }
};
using LossByClasses = std::array<ExpectedLoss, kNearSizeClasses>;
constexpr LossByClasses kFromLarger{{{0.060, 0.008}, {0.160, 0.008}}};
constexpr LossByClasses kFromSmaller{{{0.085, 0.015}, {0.270, 0.007}}};
constexpr ExpectedLoss kOfDefault{0.003, 0.012};

/// By how much the default has to be better than what was tuned nearby: it was fitted to the very
/// landscapes that the losses are of, and may be worse on other devices and for other operators.
constexpr double kDoubtInDefault = 0.1;

Choice untuned(const DeviceRecord& device, const Problem& problem, std::string reason) {
  return {.params = Space(problem).default_params(device.multiprocessor_count),
          .match = std::nullopt,
          .reason = std::move(reason),
          .expected_loss = kOfDefault.told(device, problem)};
}

/// Of a configuration that was tuned for the size of `match`.
double expected_loss(const DeviceRecord& device, const Problem& problem, const Match& match) {
  const int classes = match.size_class - size_class(problem.count);
  if (classes == 0) return 0;
  const LossByClasses& losses = classes > 0 ? kFromLarger : kFromSmaller;
  return losses.at(static_cast<std::size_t>(std::abs(classes) - 1)).of(device, problem);
}

/// "f32,u32".
std::string names(const std::vector<ElementType>& types) {
  std::string text;
  for (const ElementType type : types) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", name(type));
  }
  return text;
}

std::vector<ElementType> field_types(const CustomOperator& op) {
  std::vector<ElementType> types;
  for (const AccumulatorField& field : op.accumulator) types.push_back(field.type);
  return types;
}

/// With what else, or where, it was measured, if it was.
std::string describe_mark(const Match& match) {
  if (!match.is_marked) return {};
  const std::string from =
      match.imported_from.empty() ? "" : fmt::format(", imported from {}", match.imported_from);
  return fmt::format(" with driver {} and {}{}: `foldtune revalidate` times it again", match.driver,
                     match.compiler, from);
}

std::optional<Match> find(const ConfigStore& store, const TuningKey& key) {
  try {
    return store.find(key);
  } catch (const StoreError& error) {
    throw DatabaseError(error.what());
  }
}

}  // namespace

ConfigSource Choice::source() const {
  if (is_tuned_now) return ConfigSource::exact;
  if (!match) return ConfigSource::untuned_default;
  return match->quality == MatchQuality::exact ? ConfigSource::exact : ConfigSource::near_size;
}

ProblemKey make_problem_key(const Problem& problem) {
  const bool is_custom = problem.op == Operator::custom;
  return {
      .family = std::string(family_of(problem).name()),
      .op = is_custom ? fmt::format("{}:{}", problem.custom->name, problem.custom->hash())
                      : std::string(name(problem.op)),
      .element_type = is_custom ? names(problem.custom->inputs) : std::string(name(problem.type)),
      .accumulator_type = is_custom ? names(field_types(*problem.custom))
                                    : std::string(name(problem.accumulator_type())),
      .alignment = std::string(name(problem.alignment)),
      .determinism = std::string(name(problem.determinism)),
      .options = field_text(problem),
      .size_class = size_class(problem.count)};
}

TuningKey make_tuning_key(const DeviceRecord& device, const std::string& compiler,
                          const Problem& problem) {
  return {.device_fingerprint = device.fingerprint(),
          .driver = device.driver,
          .template_fingerprint = kernel_fingerprint(problem),
          .compiler = compiler,
          .problem = make_problem_key(problem)};
}

Choice tuned_now(const Problem& problem, const std::string& config) {
  std::string fault = "it is not valid for this problem";
  try {
    const Config params = config_from_json(family_of(problem), config);
    if (Space(problem).contains(params)) {
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
                  to_string(problem), fault));
}

Choice choose_config(const ConfigStore* store, const DeviceRecord& device,
                     const std::string& compiler, const Problem& problem) {
  if (store == nullptr) return untuned(device, problem, "there is no tuning database");
  std::optional<Match> match = find(*store, make_tuning_key(device, compiler, problem));
  std::string_view of_other_alignment;
  if (!match && problem.alignment == Alignment::element) {
    // The kernel is the same for both alignments, so the other class's result is a good guess.
    Problem aligned = problem;
    aligned.alignment = Alignment::vector;
    match = find(*store, make_tuning_key(device, compiler, aligned));
    if (match) {
      match->quality = MatchQuality::near_size;
      of_other_alignment = " (for an aligned input)";
    }
  }
  if (!match) {
    return untuned(device, problem,
                   fmt::format("{} was not tuned on this device with these kernels{}{}",
                               to_string(problem), compiler.empty() ? "" : " and ", compiler));
  }
  try {
    const Config params = config_from_json(family_of(problem), match->params);
    if (!Space(problem).contains(params)) {
      return untuned(device, problem, "the stored configuration is not valid for this problem");
    }
    if (match->quality == MatchQuality::near_size &&
        !params.family().is_searched(problem, params)) {
      return untuned(device, problem,
                     "what was tuned for a size nearby is known to be slow for this one");
    }
    const double loss = expected_loss(device, problem, *match);
    if (loss > kOfDefault.of(device, problem) + kDoubtInDefault) {
      return untuned(device, problem,
                     fmt::format("what was tuned at n = {} is expected to lose more for this size",
                                 match->count));
    }
    return {.params = params,
            .match = match,
            .reason = fmt::format("tuned{} at n = {} on {}{}", of_other_alignment, match->count,
                                  match->measured_at, describe_mark(*match)),
            .expected_loss = device.kind == "cpu" ? 0 : loss};
  } catch (const std::invalid_argument& error) {
    return untuned(device, problem,
                   fmt::format("the stored configuration cannot be read: {}", error.what()));
  }
}

}  // namespace foldtune
