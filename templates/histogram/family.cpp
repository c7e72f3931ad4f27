#include <fmt/format.h>

#include <cstdint>

#include "foldtune/bin_bound.h"
#include "templates/array_family.h"
#include "templates/catalog.h"
#include "templates/histogram/fields.h"
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
  const HistogramWorkload histogram = histogram_of(variant.workload);
  const std::string_view counter = device_name(histogram.counter);
  HistogramParams params = histogram_params(variant.params);
  params.blocks_per_multiprocessor = 1;  // shapes the launch alone
  Program program;
  program.source = kIncludeLine;
  program.name_expressions.push_back(
      fmt::format("foldtune::histogram<{}, foldtune::BinRule::{}, {}u, {}, {}, {}, {}>",
                  device_name(histogram.type), rule_name(histogram.binning), histogram.bins,
                  counter, takes_64_bits(histogram.count) ? "foldtune::uint64" : "foldtune::uint32",
                  histogram.alignment == Alignment::vector,
                  to_template_argument("foldtune::HistogramParams", params)));
  if (params.finish == HistogramFinal::zero_first) {
    program.name_expressions.push_back(
        fmt::format("foldtune::zero_bins<{}, {}u>", counter, histogram.bins));
  }
  return program;
}

std::vector<Argument> histogram_arguments(const HistogramWorkload& histogram) {
  const auto array = [](std::string_view name, ElementType type) {
    return Argument{
        .name = name, .type = type, .element_bytes = size_of(type), .alignment = size_of(type)};
  };
  const auto bound = [](std::string_view name) {
    return Argument{.name = name,
                    .access = Access::scalar,
                    .type = ElementType::f64,
                    .element_bytes = sizeof(BinBound),
                    .alignment = alignof(BinBound)};
  };
  Argument counts = array("counts", histogram.counter);
  counts.access = Access::output;
  Argument edges = array("edges", histogram.type);
  edges.is_table = true;
  return {counts, array("input", histogram.type), edges, bound("lower"), bound("upper")};
}

class HistogramFamily final : public ArrayFamily {
 public:
  using ArrayFamily::find_fault;

  std::string_view name() const override { return "histogram"; }

  std::span<const Field> fields() const override { return histogram_fields(); }
  void complete(Problem& problem) const override { complete_histogram(problem); }
  std::string find_fault(const Problem& problem) const override {
    return find_histogram_fault(histogram_of(problem));
  }
  std::string describe(const Problem& problem) const override {
    return describe_histogram(histogram_of(problem));
  }

  int layout(const Problem&, const Call& call) const override {
    return layout_of(reinterpret_cast<std::uintptr_t>(call.arguments[HistogramLauncher::kInput]));
  }
  std::vector<Argument> arguments(const Problem& problem) const override {
    return histogram_arguments(histogram_of(problem));
  }
  std::uint64_t elements(const Problem& problem, std::size_t argument,
                         const Shape& shape) const override {
    const HistogramWorkload histogram = histogram_of(problem);
    switch (argument) {
      case HistogramLauncher::kCounts:
        return histogram.bins;
      case HistogramLauncher::kInput:
        return shape[0];
      default:
        break;
    }
    const bool has_edges =
        argument == HistogramLauncher::kEdges && histogram.binning == Binning::custom;
    return has_edges ? std::uint64_t{histogram.bins} + 1 : 0;
  }

  std::span<const Tunable> tunables() const override { return histogram_tunables(); }
  bool is_valid(const Workload& workload, const Config& config) const override {
    return foldtune::is_valid(histogram_of(workload), histogram_params(config));
  }
  bool is_searched(const Workload& workload, const Config& config) const override {
    return foldtune::is_searched(histogram_of(workload), histogram_params(config));
  }
  Config canonical(const Workload& workload, const Config& config,
                   int multiprocessor_count) const override {
    return foldtune::canonical(histogram_of(workload), histogram_params(config),
                               multiprocessor_count);
  }
  Config fallback(const Workload& workload, int multiprocessor_count) const override {
    return default_histogram_params(histogram_of(workload), multiprocessor_count);
  }
  std::vector<Config> known_good(const Workload& workload) const override {
    const std::vector<HistogramParams> all = known_good_histogram_params(histogram_of(workload));
    return {all.begin(), all.end()};
  }

  Config adapted(const Config& config, const Workload& from, const Workload& to) const override {
    HistogramParams params = histogram_params(config);
    params.vector_width =
        adapted_width(params.vector_width, histogram_of(from).type, histogram_of(to).type);
    return params;
  }

  double estimate_us(const Workload& workload, const DeviceFacts& device,
                     const Config& config) const override {
    return foldtune::estimate_us(histogram_of(workload), device, histogram_params(config));
  }

  std::string include_lines(const Problem&) const override { return kIncludeLine; }
  std::vector<std::string> all_include_lines() const override { return {kIncludeLine}; }

  Program program(const Variant& variant) const override { return make_histogram_program(variant); }

  std::unique_ptr<Launcher> launcher(const Variant& variant,
                                     const KernelFacts& facts) const override {
    return std::make_unique<HistogramLauncher>(histogram_of(variant.workload),
                                               histogram_params(variant.params),
                                               facts.multiprocessor_count);
  }
};

}  // namespace

const Family& histogram_family() {
  static const HistogramFamily family;
  return family;
}

}  // namespace foldtune
