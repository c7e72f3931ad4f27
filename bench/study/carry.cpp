#include "bench/study/carry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "runtime/lookup.h"
#include "tuner/table.h"

namespace foldtune {
namespace {

Inputs inputs_of(const Landscape& landscape) {
  const bool fits =
      landscape.problem.input_bytes() <= static_cast<std::uint64_t>(landscape.device.l2_bytes);
  return fits ? Inputs::in_l2 : Inputs::beyond_l2;
}

bool differ_in_size_alone(const Landscape& a, const Landscape& b) {
  ProblemKey key = make_problem_key(a.problem);
  const ProblemKey other = make_problem_key(b.problem);
  if (key.size_class == other.size_class) return false;
  key.size_class = other.size_class;
  return key == other && a.device == b.device && a.compiler == b.compiler &&
         a.template_fingerprint == b.template_fingerprint;
}

void add(Losses& losses, const Ground& ground, const LandscapePoint* point) {
  if (point == nullptr) {
    ++losses.unusable;
  } else {
    losses.losses.push_back(point->median_us / ground.optimum_us() - 1);
  }
}

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

std::vector<std::string> make_row(std::string from, Inputs inputs, Losses losses) {
  std::vector<std::string> row{std::move(from), inputs == Inputs::in_l2 ? "in L2" : "beyond",
                               fmt::to_string(losses.losses.size()),
                               fmt::to_string(losses.unusable)};
  std::ranges::sort(losses.losses);
  for (const double share : {0.25, 0.5, 0.75, 1.0}) {
    row.push_back(
        losses.losses.empty() ? "-" : fmt::format("{:.1f}%", 100 * quantile(losses.losses, share)));
  }
  return row;
}

}  // namespace

CarryTable study_carrying(const std::vector<Ground>& grounds, int most) {
  CarryTable table;
  for (const Ground& to : grounds) {
    const Inputs inputs = inputs_of(to.landscape());
    const std::optional<std::size_t> fallback = to.candidates()->fallback();
    add(table.untuned[inputs], to,
        fallback ? to.find(to.candidates()->params(*fallback)) : nullptr);
    for (const Ground& from : grounds) {
      if (!differ_in_size_alone(from.landscape(), to.landscape())) continue;
      const int classes =
          size_class(to.landscape().problem.count) - size_class(from.landscape().problem.count);
      if (std::abs(classes) > most) continue;
      add(table.carried[classes][inputs], to, to.find(find_optimum(from.landscape())->params));
    }
  }
  return table;
}

std::string format_carrying(const CarryTable& table) {
  Table text({{"configuration of"},
              {"inputs"},
              {"pairs", Align::right},
              {"unusable", Align::right},
              {"quartile", Align::right},
              {"median", Align::right},
              {"quartile", Align::right},
              {"most", Align::right}});
  for (const auto& [classes, by_inputs] : table.carried) {
    const std::string from =
        fmt::format("a size {} times {}", 1 << std::abs(classes), classes > 0 ? "less" : "more");
    for (const auto& [inputs, losses] : by_inputs) text.add_row(make_row(from, inputs, losses));
  }
  for (const auto& [inputs, losses] : table.untuned) {
    text.add_row(make_row("the untuned default", inputs, losses));
  }
  return text.to_string(0);
}

}  // namespace foldtune
