#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

#include "foldtune/bin_bound.h"
#include "templates/array_family.h"
#include "templates/axes.h"
#include "templates/catalog.h"
#include "templates/histogram/fields.h"
#include "templates/histogram/launcher.h"
#include "templates/histogram/space.h"
#include "templates/struct_tunables.h"

namespace foldtune {
namespace {

constexpr std::string_view kExtents[] = {"rows", "n"};

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
      fmt::format("foldtune::{}<{}, foldtune::BinRule::{}, {}u, {}, {}, {}, {}>",
                  histogram.has_many_rows() ? "histogram_rows" : "histogram",
                  device_name(histogram.type), rule_name(histogram.binning), histogram.bins,
                  counter, takes_64_bits(histogram.count) ? "foldtune::uint64" : "foldtune::uint32",
                  histogram.alignment == Alignment::vector,
                  to_template_argument("foldtune::HistogramParams", params)));
  if (params.finish == HistogramFinal::zero_first) {
    program.name_expressions.push_back(
        histogram.has_many_rows()
            ? fmt::format("foldtune::zero_bins_of_rows<{}>", counter)
            : fmt::format("foldtune::zero_bins<{}, {}u>", counter, histogram.bins));
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
  const Argument pitch{.name = "pitch",
                       .access = Access::scalar,
                       .type = ElementType::i64,
                       .element_bytes = sizeof(std::int64_t),
                       .alignment = alignof(std::int64_t)};
  return {counts, array("input", histogram.type), edges, bound("lower"), bound("upper"), pitch};
}

/// What is wrong with several rows; empty if nothing is.
std::string find_rows_fault(std::uint64_t rows, std::uint64_t count, std::uint32_t bins) {
  if (count > kMaxCount / rows) {
    return fmt::format("{} rows of {} elements are more than the most, 2^40", rows, count);
  }
  if (bins > kMaxCount / rows) {
    return fmt::format("{} rows of {} bins are more counts than the most, 2^40", rows, bins);
  }
  return {};
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

  std::span<const std::string_view> extents() const override { return kExtents; }
  std::size_t optional_extents() const override { return 1; }
  std::string find_fault(const Problem& problem, const Shape& shape) const override {
    std::string fault = find_count_fault(shape[histogram_extent::n]);
    const std::uint64_t rows = shape[histogram_extent::rows];
    if (rows <= 1 || !fault.empty()) return fault;
    return find_rows_fault(rows, shape[histogram_extent::n], histogram_of(problem).bins);
  }
  /// Rows are rounded to octaves. No row is of the class of one.
  Bucket bucket(const Shape& shape) const override {
    const std::uint64_t rows = shape[histogram_extent::rows];
    const int octave = rows <= 1 ? 0 : static_cast<int>(std::bit_width(rows - 1));
    return {{static_cast<std::int16_t>(kClassesOfOctave * octave),
             static_cast<std::int16_t>(size_class(shape[histogram_extent::n]))}};
  }
  Shape max_shape(const Bucket& bucket) const override {
    return {{max_count(bucket.classes[histogram_extent::rows]),
             max_count(bucket.classes[histogram_extent::n])}};
  }
  Shape min_shape(const Bucket& bucket) const override {
    Shape shape = Family::min_shape(bucket);
    const std::int16_t rows = bucket.classes[histogram_extent::rows];
    if (rows > 0) {
      shape[histogram_extent::rows] = max_of_size_class(rows - kClassesOfOctave) + 1;
    }
    return shape;
  }
  /// Kernels of one row are others than those of many.
  std::optional<int> distance(const Bucket& a, const Bucket& b) const override {
    const bool has_many = a.classes[histogram_extent::rows] > 0;
    if (has_many != (b.classes[histogram_extent::rows] > 0)) return std::nullopt;
    return Family::distance(a, b);
  }

  bool has_axes() const override { return true; }
  /// A row is what the last axes have.
  Shape merged_shape(const Problem&, std::span<const std::uint64_t> extents,
                     std::span<const int> axes, std::string& fault) const override {
    fault = find_axes_fault(axes, extents.size());
    if (!fault.empty()) return {};
    const std::size_t first = extents.size() - axes.size();
    const auto is_before = [&](int axis) { return place_of_axis(axis, extents.size()) < first; };
    if (std::ranges::any_of(axes, is_before)) {
      fault =
          "histograms are of rows, along the last axes of an array: transpose it, so that these "
          "axes are the last";
      return {};
    }
    const auto product = [&](auto from, auto to) {
      return std::accumulate(from, to, std::uint64_t{1}, [](std::uint64_t a, std::uint64_t b) {
        return b == 0 || a <= UINT64_MAX / b ? a * b : UINT64_MAX;
      });
    };
    const auto row = extents.begin() + static_cast<std::ptrdiff_t>(first);
    return {{product(extents.begin(), row), product(row, extents.end())}};
  }

  int layout(const Problem& problem, const Call& call) const override {
    auto addresses = reinterpret_cast<std::uintptr_t>(call.arguments[HistogramLauncher::kInput]);
    if (call.shape[histogram_extent::rows] > 1) {
      const auto type = static_cast<ElementType>(problem.get(fields()[histogram_field::type]));
      addresses |= static_cast<std::uint64_t>(HistogramLauncher::pitch_of(call)) * size_of(type);
    }
    return layout_of(addresses);
  }
  std::vector<Argument> arguments(const Problem& problem) const override {
    return histogram_arguments(histogram_of(problem));
  }
  std::uint64_t elements(const Problem& problem, std::size_t argument,
                         const Shape& shape) const override {
    const HistogramWorkload histogram = histogram_of(problem);
    switch (argument) {
      case HistogramLauncher::kCounts:
        return shape[histogram_extent::rows] * histogram.bins;
      case HistogramLauncher::kInput:
        return shape[histogram_extent::rows] * shape[histogram_extent::n];
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
