// foldtune landscape: what a recorded landscape holds.
#include "tuner/replay/landscape.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "templates/embedded.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/stored_rows.h"
#include "tuner/file_error.h"
#include "tuner/format.h"
#include "tuner/replay/kernel_tuner.h"
#include "tuner/table.h"
#include "tuner/terminal.h"
#include "tuner/whole_file.h"

namespace foldtune {
namespace {

struct Arguments {
  std::string file;
  std::string kernel_tuner;
};

/// What is near the optimum is counted within these.
constexpr double kNear[] = {0.01, 0.02, 0.05, 0.1};

/// The times of all that succeeded, in ascending order.
std::vector<double> sorted_times(const Landscape& landscape) {
  std::vector<double> times;
  for (const LandscapePoint& point : landscape.points) {
    if (point.outcome == Outcome::ok) times.push_back(point.median_us);
  }
  std::ranges::sort(times);
  return times;
}

void print_heading(const Landscape& landscape) {
  fmt::print("{} on {}{}\n", to_string(landscape.problem),
             describe_origin(landscape.device, landscape.compiler),
             landscape.template_fingerprint == template_fingerprint()
                 ? ""
                 : ", kernels of another version of Foldtune");
  std::map<Outcome, int> counts;
  for (const LandscapePoint& point : landscape.points) ++counts[point.outcome];
  std::string outcomes;
  for (const auto& [outcome, count] : counts) {
    outcomes += fmt::format("{}{} {}", outcomes.empty() ? "" : ", ", count, to_string(outcome));
  }
  fmt::print("{} configurations: {}\n", landscape.points.size(), outcomes);
}

/// The configuration that is used untuned; null if it was not recorded, or failed.
const LandscapePoint* find_default(const Landscape& landscape) {
  const int multiprocessors = landscape.device.multiprocessor_count;
  const Space space(landscape.problem);
  const Params params = space.canonical(space.default_params(multiprocessors), multiprocessors);
  for (const LandscapePoint& point : landscape.points) {
    if (point.params == params) return point.outcome == Outcome::ok ? &point : nullptr;
  }
  return nullptr;
}

void print_spread(const Landscape& landscape, const LandscapePoint& best) {
  const double bytes = static_cast<double>(landscape.problem.input_bytes());
  const double gbps = bytes / best.median_us / 1e3;
  fmt::print("\nfastest  {:>10}  {}  ({} GB/s", format_us(best.median_us),
             format_config(best.params), format_number(gbps));
  if (landscape.read_bandwidth_gbps > 0) {
    fmt::print(", {}% of the read bandwidth", format_percent(gbps / landscape.read_bandwidth_gbps));
  }
  fmt::print(")\n");
  if (const LandscapePoint* const untuned = find_default(landscape)) {
    fmt::print("untuned  {:>10}  {}  ({:.2f} times the fastest)\n", format_us(untuned->median_us),
               format_config(untuned->params), untuned->median_us / best.median_us);
  }
  const std::vector<double> times = sorted_times(landscape);
  fmt::print("median   {:>10}  {:.2f} times the fastest\n", format_us(times[times.size() / 2]),
             times[times.size() / 2] / best.median_us);
  fmt::print("slowest  {:>10}  {:.2f} times the fastest\n", format_us(times.back()),
             times.back() / best.median_us);
  for (const double near : kNear) {
    const auto count = std::ranges::upper_bound(times, best.median_us * (1 + near)) - times.begin();
    fmt::print("{}{} within {:.0f}%", near == kNear[0] ? "" : ", ", count, 100 * near);
  }
  fmt::print(" of the fastest\n");
}

/// How fast the best configuration with each value of each tunable is.
void print_values(const Landscape& landscape, const LandscapePoint& best) {
  Table table({{"tunable"}, {"fastest with each value, in times of the fastest of all"}});
  for (const Tunable& tunable : rules(family_of(landscape.problem.op)).tunables) {
    std::map<int, double> times;
    for (const LandscapePoint& point : landscape.points) {
      if (point.outcome != Outcome::ok) continue;
      const auto [place, is_new] = times.emplace(tunable.get(point.params), point.median_us);
      if (!is_new) place->second = std::min(place->second, point.median_us);
    }
    if (times.size() < 2) continue;
    std::string cell;
    for (const auto& [value, time] : times) {
      const std::string label = tunable.labels.empty()
                                    ? fmt::to_string(value)
                                    : std::string(tunable.labels[static_cast<std::size_t>(value)]);
      cell += fmt::format("{}{} {:.2f}", cell.empty() ? "" : "  ", label, time / best.median_us);
    }
    table.add_row({std::string(tunable.name), cell});
  }
  if (!table.empty()) fmt::print("\n{}", table.to_string(terminal_width(stdout)));
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}+00:00", fmt::gmtime(std::time(nullptr)));
}

ExitCode run_landscape(const Arguments& arguments) {
  const Landscape landscape = read_landscape(arguments.file);
  print_heading(landscape);
  if (const LandscapePoint* const best = find_optimum(landscape)) {
    print_spread(landscape, *best);
    print_values(landscape, *best);
  }
  if (!arguments.kernel_tuner.empty()) {
    write_whole_file(arguments.kernel_tuner, to_kernel_tuner_cache(landscape, utc_now()),
                     "cache file of Kernel Tuner");
    fmt::print(stderr, "wrote {}\n", arguments.kernel_tuner);
  }
  return ExitCode::ok;
}

}  // namespace

Action prepare_landscape(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<Arguments>();
  app.add_option("FILE", arguments->file, "The landscape: times of all configurations")->required();
  app.add_option("--kernel-tuner", arguments->kernel_tuner,
                 "Write it as a cache file of Kernel Tuner, for its simulation mode")
      ->type_name("FILE");
  app.footer(
      "Summarises a recorded landscape: the fastest configuration, how far the others are from it, "
      "and\nwhat each tunable is worth.\n\n"
      "Example:\n"
      "  foldtune landscape sum_f32_16777216.landscape --kernel-tuner sum.json");
  return [arguments] { return run_landscape(*arguments); };
}

}  // namespace foldtune
