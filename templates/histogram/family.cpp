#include "templates/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "templates/catalog.h"
#include "templates/histogram/launcher.h"
#include "templates/histogram/space.h"
#include "templates/struct_tunables.h"

namespace foldtune {
namespace {

constexpr const char* kIncludeLine = "#include \"templates/histogram/histogram.cuh\"\n";

std::string_view rule_name(Binning binning) {
  switch (binning) {
    case Binning::even:
      return "even";
    case Binning::custom:
      return "edges";
    case Binning::key:
      break;
  }
  return "key";
}

Program make_histogram_program(const Variant& variant) {
  const Problem& problem = variant.problem;
  const std::uint32_t bins = problem.histogram.bins;
  const std::string_view counter = device_name(problem.accumulator_type());
  HistogramParams params = histogram_params(variant.params);
  params.blocks_per_multiprocessor = 1;  // shapes the launch alone
  Program program;
  program.source = kIncludeLine;
  program.name_expressions.push_back(
      fmt::format("foldtune::histogram<{}, foldtune::BinRule::{}, {}u, {}, {}, {}, {}>",
                  device_name(problem.type), rule_name(problem.histogram.binning), bins, counter,
                  counts_in_64_bits(variant) ? "foldtune::uint64" : "foldtune::uint32",
                  problem.alignment == Alignment::vector,
                  to_template_argument("foldtune::HistogramParams", params)));
  if (params.finish == HistogramFinal::zero_first) {
    program.name_expressions.push_back(fmt::format("foldtune::zero_bins<{}, {}u>", counter, bins));
  }
  return program;
}

/// Stores what was parsed; false if it is nothing.
template <class T>
bool assign(T& place, const std::optional<T>& parsed) {
  if (parsed) place = *parsed;
  return parsed.has_value();
}

std::optional<std::uint32_t> parse_bins(std::string_view text) {
  std::uint32_t bins = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bins);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return bins;
}

constexpr Field kHistogramFields[] = {
    {.name = "bins",
     .get = [](const Problem& problem) { return std::to_string(problem.histogram.bins); },
     .set = [](Problem& problem,
               std::string_view text) { return assign(problem.histogram.bins, parse_bins(text)); }},
    {.name = "binning",
     .get =
         [](const Problem& problem) {
           return std::string(foldtune::name(problem.histogram.binning));
         },
     .set =
         [](Problem& problem, std::string_view text) {
           return assign(problem.histogram.binning, parse_binning(text));
         }},
    {.name = "distribution",
     .get =
         [](const Problem& problem) {
           return std::string(foldtune::name(problem.histogram.distribution));
         },
     .set =
         [](Problem& problem, std::string_view text) {
           return assign(problem.histogram.distribution, parse_distribution(text));
         }},
};

class HistogramFamily final : public Family {
 public:
  std::string_view name() const override { return "histogram"; }
  std::span<const Field> fields() const override { return kHistogramFields; }
  std::span<const Tunable> tunables() const override { return histogram_tunables(); }

  bool is_valid(const Problem& problem, const Config& config) const override {
    return foldtune::is_valid(problem, histogram_params(config));
  }
  bool is_searched(const Problem& problem, const Config& config) const override {
    return foldtune::is_searched(problem, histogram_params(config));
  }
  Config canonical(const Problem& problem, const Config& config,
                   int multiprocessor_count) const override {
    return foldtune::canonical(problem, histogram_params(config), multiprocessor_count);
  }
  Config fallback(const Problem& problem, int multiprocessor_count) const override {
    return default_histogram_params(problem, multiprocessor_count);
  }
  std::vector<Config> known_good(const Problem& problem) const override {
    const std::vector<HistogramParams> all = known_good_histogram_params(problem);
    return {all.begin(), all.end()};
  }

  /// Vectors of as many bytes as before.
  Config adapted(const Config& config, const Problem& from, const Problem& to) const override {
    HistogramParams params = histogram_params(config);
    const int bytes = params.vector_width * static_cast<int>(size_of(from.type));
    params.vector_width = std::max(1, bytes / static_cast<int>(size_of(to.type)));
    return params;
  }

  double estimate_us(const Problem& problem, const DeviceFacts& device,
                     const Config& config) const override {
    return foldtune::estimate_us(problem, device, histogram_params(config));
  }

  bool stores_result_once(const Config&) const override { return false; }

  std::string include_lines(const Problem&) const override { return kIncludeLine; }
  std::vector<std::string> all_include_lines() const override { return {kIncludeLine}; }

  Program program(const Variant& variant) const override { return make_histogram_program(variant); }

  std::unique_ptr<Launcher> launcher(const Variant& variant,
                                     const KernelFacts& facts) const override {
    return std::make_unique<HistogramLauncher>(variant, facts.multiprocessor_count);
  }
};

}  // namespace

const Family& histogram_family() {
  static const HistogramFamily family;
  return family;
}

}  // namespace foldtune
