#include "templates/histogram/run/runnable.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "foldtune/error.h"
#include "templates/fold/run/array_of_results.h"
#include "templates/histogram/judge/histogram_reference.h"
#include "templates/histogram/run/bin_options.h"
#include "templates/histogram/space.h"
#include "tuner/problem/count_list.h"
#include "tuner/text/table.h"
#include "tuner/verify/number.h"

namespace foldtune {
namespace {

using OrderedJson = nlohmann::ordered_json;
using Counts = std::vector<std::uint64_t>;

/// Bins that are shown to people.
constexpr std::size_t kShownBins = 10;

std::uint64_t total(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

/// Bins that hold something, the fullest first, and of equals the lowest.
std::vector<std::size_t> fullest_bins(const Counts& counts) {
  std::vector<std::size_t> bins(counts.size());
  std::iota(bins.begin(), bins.end(), std::size_t{0});
  std::ranges::stable_sort(bins, std::ranges::greater(),
                           [&](std::size_t bin) { return counts[bin]; });
  bins.resize(std::min(bins.size(), kShownBins));
  std::erase_if(bins, [&](std::size_t bin) { return counts[bin] == 0; });
  return bins;
}

OrderedJson bound_json(const BinBound& bound) {
  if (bound.is_integer()) return OrderedJson::parse(to_string(bound));
  return bound.nearest();
}

class HistogramTask final : public RunTask {
 public:
  /// `has_rows`: there is a histogram of each row, whose number is that of all extents in
  /// `results` but the last.
  HistogramTask(const HistogramWorkload& histogram, Bins bins, bool has_rows, ArrayShape results,
                const std::optional<std::string>& path)
      : asked_(histogram),
        workload_(histogram),
        rows_{.rows = histogram.rows, .count = histogram.count},
        has_rows_(has_rows),
        bins_(std::move(bins)),
        results_(histogram.counter, std::move(results), path),
        path_(path) {
    workload_.layout = usual_layout(workload_.problem, workload_.shape);
  }

  const Workload& workload() const override { return workload_; }
  bool needs_c_order() const override { return has_rows_; }

  void prepare(const RunPlace& place) override {
    results_.open(place.files);
    histogram_ = place.context.histogram({.type = asked_.type,
                                          .bins = asked_.bins,
                                          .binning = asked_.binning,
                                          .counter = asked_.counter,
                                          .distribution = asked_.distribution});
    input_ = place.inputs.front();
    output_ = place.output;
    if (!bins_.edges.empty()) {
      edges_.emplace(place.device, bins_.edges.size());
      place.device.copy(edges_->data(), bins_.edges.data(), bins_.edges.size());
    }
    histogram_->prepare(input_, rows_);
  }

  void enqueue() const override {
    switch (asked_.binning) {
      case Binning::even:
        return (*histogram_)(input_, rows_, bins_.bounds.lower, bins_.bounds.upper, output_);
      case Binning::custom:
        return (*histogram_)(input_, rows_, edges_->data(), output_);
      case Binning::key:
        break;
    }
    histogram_->count_keys(input_, rows_, output_);
  }

  Explanation explain() const override { return histogram_->explain(rows_); }

  /// {"bins", "counted", "counts"}, and "range", "edges" or "first_key"; of rows the counts are a
  /// list for each.
  OrderedJson json(std::span<const std::byte> result, const ArrayShape&) const override {
    const Counts counts = counts_of(result);
    OrderedJson json{{"bins", asked_.bins}, {"counted", total(counts)}, {"counts", counts}};
    if (has_rows_) {
      json["counts"] = OrderedJson::array();
      for (auto row = counts.begin(); row != counts.end(); row += asked_.bins) {
        json["counts"].push_back(Counts(row, row + asked_.bins));
      }
    }
    if (asked_.binning == Binning::key) json["first_key"] = lowest_key();
    if (asked_.binning == Binning::even) {
      json["range"] = {bound_json(bins_.bounds.lower), bound_json(bins_.bounds.upper)};
    }
    if (asked_.binning == Binning::custom) {
      OrderedJson& edges = json["edges"] = OrderedJson::array();
      for (std::size_t i = 0; i <= asked_.bins; ++i) {
        edges.push_back(number_json(asked_.type, edge(i)));
      }
    }
    return json;
  }

  /// How many elements were counted, and a line for each of the fullest bins, or of rows the first
  /// counts.
  std::string text(std::span<const std::byte> result, const ArrayShape&) const override {
    const Counts counts = counts_of(result);
    const std::uint64_t counted = total(counts);
    if (has_rows_) {
      return fmt::format("{} rows of {} bins, {} of {} elements counted: {}", asked_.rows,
                         asked_.bins, counted, asked_.rows * asked_.count, results_.text(result));
    }
    const std::vector<std::size_t> fullest = fullest_bins(counts);
    std::string text =
        fmt::format("{} bins, {} of {} elements counted", counts.size(), counted, asked_.count);
    if (path_) text += fmt::format(", in {}", *path_);
    if (fullest.empty()) return text;
    Table table({{"        bin", Align::right},
                 {asked_.binning == Binning::key ? "key" : "range", Align::right},
                 {"count", Align::right},
                 {"%", Align::right}});
    for (const std::size_t bin : fullest) {
      table.add_row({fmt::to_string(bin), describe_bin(bin), fmt::to_string(counts[bin]),
                     fmt::format("{:.2f}", 100.0 * static_cast<double>(counts[bin]) /
                                               static_cast<double>(counted))});
    }
    text += '\n' + table.to_string(0);
    text.pop_back();  // the end of the last line
    return text;
  }

  std::string note(std::span<const std::byte>) const override { return {}; }
  void save(std::span<const std::byte> result) override { results_.save(result); }

 private:
  Counts counts_of(std::span<const std::byte> result) const {
    Counts counts(asked_.rows * asked_.bins);
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
      counts[bin] = histogram_count(asked_, result.data(), bin);
    }
    return counts;
  }

  const std::byte* edge(std::size_t number) const {
    return bins_.edges.data() + number * size_of(asked_.type);
  }

  /// That of the first bin, of keys of 8 bits.
  int lowest_key() const { return is_signed(asked_.type) ? -128 : 0; }

  /// "17", or "[0.25, 0.5)" with a bracket at the end of the last one.
  std::string describe_bin(std::size_t bin) const {
    const char end = bin + 1 == asked_.bins ? ']' : ')';
    const auto bound = [&](std::size_t number) {
      return describe_edge(asked_, bins_.bounds, static_cast<std::uint32_t>(number));
    };
    switch (asked_.binning) {
      case Binning::even:
        return fmt::format("[{}, {}{}", bound(bin), bound(bin + 1), end);
      case Binning::custom:
        return fmt::format("[{}, {}{}", format_number_of(asked_.type, edge(bin)),
                           format_number_of(asked_.type, edge(bin + 1)), end);
      case Binning::key:
        break;
    }
    return fmt::format("{}", lowest_key() + static_cast<int>(bin));
  }

  HistogramWorkload asked_;
  Workload workload_;
  HistogramRows rows_;
  bool has_rows_;
  Bins bins_;
  ArrayOfResults results_;
  std::optional<std::string> path_;
  std::optional<Histogram> histogram_;
  std::optional<DeviceBuffer> edges_;
  const void* input_ = nullptr;
  void* output_ = nullptr;
};

class RunnableHistogram final : public RunnableFamily {
 public:
  const Family& family() const override { return histogram_family(); }
  std::string_view type_field() const override { return "type"; }
  bool has_many_results() const override { return true; }

  void add_options(CLI::App& app) override { add_bin_options(app, options_); }
  std::string first_given() const override { return foldtune::first_given(options_); }
  std::vector<std::string> files() const override {
    return options_.edges ? std::vector{*options_.edges} : std::vector<std::string>();
  }

  std::string_view help() const override {
    return R"(A histogram of 8-bit elements counts each value, unless --range or --edges is given; of other
elements it needs one of them. With --axis there is one of each row, along the last axes. --output
writes the counts.)";
  }
  std::string_view examples() const override {
    return R"(  foldtune run --op histogram --type u8 picture.bin
  foldtune run --op histogram --bins 100 --range -1:1 data.npy
  foldtune run --op histogram --axis 1 --range 0:1 matrix.npy --output counts.npy)";
  }

  std::unique_ptr<RunTask> make_task(const RunRequest& request) const override {
    ProblemOptions options = request.options;
    Bins bins;
    choose_bins(options.fields, options_, request.type, bins);
    HistogramWorkload histogram = histogram_of(make_problem(options));
    histogram.count = request.count;
    ArrayShape results;
    if (options.axes) {
      const std::vector<int> axes = parse_axes(*options.axes);
      std::string fault;
      const Shape shape = histogram_family().merged_shape(histogram, request.shape, axes, fault);
      if (!fault.empty()) throw InvalidArgument(fmt::format("--axis {}: {}", *options.axes, fault));
      histogram.rows = shape[histogram_extent::rows];
      histogram.count = shape[histogram_extent::n];
      results.assign(request.shape.begin(), request.shape.end() - axes.size());
    }
    results.push_back(histogram.bins);
    read_range(histogram, options_, bins);
    if (const std::string fault = find_fault(histogram); !fault.empty()) {
      throw InvalidArgument(fault);
    }
    const bool has_rows = results.size() > 1;
    return std::make_unique<HistogramTask>(histogram, std::move(bins), has_rows, std::move(results),
                                           request.output);
  }

 private:
  BinOptions options_;
};

}  // namespace

std::unique_ptr<RunnableFamily> make_histogram_runnable() {
  return std::make_unique<RunnableHistogram>();
}

}  // namespace foldtune
