#include "tuner/session/effort.h"

#include <algorithm>
#include <array>
#include <utility>

#include "templates/space.h"

namespace foldtune {
namespace {

constexpr std::array<std::pair<Effort, std::string_view>, 3> kEffortNames{{
    {Effort::quick, "quick"},
    {Effort::normal, "normal"},
    {Effort::exhaustive, "exhaustive"},
}};

}  // namespace

std::string_view name(Effort effort) {
  return std::ranges::find(kEffortNames, effort, [](const auto& entry) { return entry.first; })
      ->second;
}

std::optional<Effort> parse_effort(std::string_view text) {
  const auto found =
      std::ranges::find(kEffortNames, text, [](const auto& entry) { return entry.second; });
  return found == kEffortNames.end() ? std::nullopt : std::optional(found->first);
}

EffortLimits limits_of(Effort effort) {
  switch (effort) {
    case Effort::quick:
      return {.search = "seeded", .evaluations = 8, .finalists = 2, .rounds = 2};
    case Effort::normal:
      return {.search = "default", .evaluations = 64, .finalists = 8, .rounds = 9};
    case Effort::exhaustive:
      break;
  }
  return {.search = "exhaustive", .evaluations = 0, .finalists = 16, .rounds = 15};
}

int distinct_configurations(const Workload& workload, int multiprocessor_count, int most) {
  const Space space(workload);
  int count = 0;
  for (const Config& params : space.enumerate()) {
    if (count >= most) break;
    if (!space.is_redundant(params, multiprocessor_count)) ++count;
  }
  return count;
}

}  // namespace foldtune
