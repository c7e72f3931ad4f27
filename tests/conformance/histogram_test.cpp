// Histograms: every type, binning and number of bins, over counts at every edge of the kernel's
// loops, alignments, and elements on and beside the edges of bins.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <random>
#include <set>

#include "runtime/launch/plan.h"
#include "runtime/support/sanitizer.h"
#include "templates/histogram/judge/histogram_input.h"
#include "templates/histogram/judge/histogram_reference.h"
#include "templates/histogram/layout.cuh"
#include "templates/histogram/space.h"
#include "tests/catch.h"
#include "tests/conformance/checker.h"
#include "tests/conformance/environment.h"
#include "tests/support/batch_compiler.h"
#include "tests/support/histogram_variants.h"
#include "tuner/verify/elements.h"

namespace foldtune::test {
namespace {

using Bytes = std::vector<std::byte>;

/// Ranges that hold only a part of the elements of `fill_histogram_input`: one of which each bin's
/// width is a round number, one of which it is not, and one drawn at random for each histogram; of
/// 64 bits, one between bounds that double does not hold, too.
std::vector<BinBounds> ranges(const HistogramWorkload& histogram) {
  const ElementType type = histogram.type;
  std::vector<BinBounds> ranges;
  double least = 0;
  double most = 0;
  if (is_floating(type)) {
    ranges = {{0.125, 0.875}, {-0.1, 0.7}};
    least = -0.5;
    most = 1;
  } else if (size_of(type) == 1) {
    ranges = {{16, 80}, {-20.5, 99.9}};
    least = -100;
    most = 300;
  } else if (size_of(type) == 2) {
    ranges = {{0, 32768}, {-7000.25, 31111}};
    least = -33'000;
    most = 66'000;
  } else {
    ranges = {{0, 1 << 19}, {1000.3, 999'999}};
    least = -5000;
    most = 2e6;
  }
  std::mt19937_64 random(histogram.bins + 100 * static_cast<unsigned>(type));
  std::uniform_real_distribution<double> bound(least, most);
  std::array drawn{bound(random), bound(random)};
  std::ranges::sort(drawn);
  ranges.push_back({drawn[0], drawn[1]});
  if (!is_floating(type) && size_of(type) == 8) {
    constexpr std::int64_t kFirst = (std::int64_t{1} << 53) + 1;
    ranges.push_back({kFirst, kFirst + 3000});
  }
  return ranges;
}

template <class T>
T nearest(double value) {
  if constexpr (kIsFloating<Held<T>>) {
    return store_number<T>(value);
  } else {
    const auto lowest = static_cast<double>(lowest_element<T>());
    const auto highest = static_cast<double>(highest_element<T>());
    if (value >= highest) return static_cast<T>(highest_element<T>());
    return static_cast<T>(std::max(value, lowest));
  }
}

/// The number of type T before (`step` -1) or after (1) `element`.
template <class T>
T neighbour(T element, int step) {
  if constexpr (kIsSame<T, float16> || kIsSame<T, bfloat16>) {
    element.bits = static_cast<uint16>(element.bits + step);
    return element;
  } else if constexpr (kIsFloating<T>) {
    return std::nextafter(element, static_cast<T>(step) * std::numeric_limits<T>::infinity());
  } else {
    return static_cast<T>(element + static_cast<T>(step));
  }
}

/// An array of elements or edges on the host and on the device.
struct Array {
  Array(Device& device, Bytes bytes) : host(std::move(bytes)), buffer(device, host.size()) {
    device.copy(buffer.data(), host.data(), host.size());
  }
  Bytes host;
  DeviceBuffer buffer;
};

/// Edges of custom bins, ascending: those of types with few values repeat.
template <class T>
std::vector<T> make_edges(std::uint32_t bins, const BinBounds& range) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> within(range.lower.nearest(), range.upper.nearest());
  std::vector<T> edges(bins + 1);
  for (T& edge : edges) edge = nearest<T>(within(random));
  std::ranges::sort(edges, {}, [](T edge) { return load_number(edge); });
  return edges;
}

/// Elements on the edges of the bins, beside them, and special ones.
template <class T>
std::vector<T> make_special(const HistogramWorkload& histogram, const BinBounds& range,
                            const std::vector<T>& edges, std::uint64_t count) {
  const double lower = range.lower.nearest();
  const double upper = range.upper.nearest();
  std::vector<T> specials{nearest<T>(lower), nearest<T>(upper), nearest<T>(0),
                          static_cast<T>(nearest<T>(std::numeric_limits<double>::max())),
                          static_cast<T>(nearest<T>(std::numeric_limits<double>::lowest()))};
  if constexpr (kIsFloating<Held<T>>) {
    for (const double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity(), -0.0, 1e-45}) {
      specials.push_back(store_number<T>(value));
    }
  }
  std::mt19937_64 random(6);
  const double width = (upper - lower) / histogram.bins;
  std::vector<T> elements(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = random();
    const std::uint64_t edge = (bits >> 8) % (histogram.bins + 1);
    if (i % 4 == 3) {
      elements[i] = specials[bits % specials.size()];
    } else {
      const T on =
          edges.empty() ? nearest<T>(lower + width * static_cast<double>(edge)) : edges[edge];
      elements[i] = neighbour(on, static_cast<int>(i % 4) - 1);
    }
  }
  return elements;
}

template <class T>
Bytes to_bytes(const std::vector<T>& elements) {
  Bytes bytes(elements.size() * sizeof(T));
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

/// What all variants of a histogram are called with.
struct Material {
  std::vector<BinBounds> ranges;
  std::vector<Array> edges;   ///< for each range, of custom bins
  std::vector<Array> inputs;  ///< first those of special values, for each range
};

Material make_material(Device& device, HistogramWorkload histogram, std::uint64_t count) {
  Material material{.ranges = ranges(histogram), .edges = {}, .inputs = {}};
  with_type(histogram.type, [&](auto zero) {
    using T = decltype(zero);
    for (const BinBounds& range : material.ranges) {
      std::vector<T> edges;
      if (histogram.binning == Binning::custom) {
        edges = make_edges<T>(histogram.bins, range);
        material.edges.emplace_back(device, to_bytes(edges));
      }
      material.inputs.emplace_back(device,
                                   to_bytes(make_special<T>(histogram, range, edges, count)));
    }
  });
  constexpr std::uint64_t kSeed = 7;
  for (const Distribution distribution :
       {Distribution::uniform, Distribution::zipf, Distribution::constant}) {
    histogram.distribution = distribution;
    Bytes elements(count * size_of(histogram.type));
    fill_histogram_input(histogram, elements, kSeed);
    material.inputs.emplace_back(device, std::move(elements));
  }
  return material;
}

/// A call: which input from where, and which range.
struct HistogramCase {
  std::size_t input = 0;
  std::uint64_t start = 0;
  std::uint64_t count = 0;
  std::size_t range = 0;
};

/// Calls the plans of one histogram, one call after another, and compares.
class HistogramChecker {
 public:
  HistogramChecker(Device& device, const HistogramWorkload& histogram, std::uint64_t count)
      : device_(device),
        histogram_(histogram),
        size_(count),
        material_(make_material(device, histogram, count)),
        poison_(histogram.result_bytes() + 2 * kGuardBytes, kPoison),
        output_(device, poison_.size()),
        result_(poison_.size()) {}

  std::uint64_t size() const { return size_; }
  std::size_t inputs() const { return material_.inputs.size(); }
  std::size_t ranges() const { return material_.ranges.size(); }

  void run(const Plan& plan, const std::vector<HistogramCase>& cases, Tally& tally) {
    std::size_t scratch_bytes = 0;
    for (const HistogramCase& one : cases) {
      scratch_bytes = std::max(scratch_bytes, plan.scratch_bytes({{one.count}}));
    }
    const DeviceBuffer scratch(device_, scratch_bytes + kGuardBytes);
    for (const HistogramCase& one : cases) {
      call(plan, one, scratch.data());
      ++tally.calls;
    }
    tally.cases += cases.size();
    Bytes left(scratch.size());
    device_.copy(left.data(), scratch.data(), left.size());
    if (std::ranges::any_of(left, [](std::byte byte) { return byte != std::byte{}; })) {
      fail(plan, "left its scratch, or what follows it, not zero");
    }
  }

  /// What was wrong, the first few in words: empty if nothing was.
  std::string faults() const {
    return failures_ == 0 ? "" : fmt::format("{} faults:\n{}", failures_, messages_);
  }

 private:
  void call(const Plan& plan, const HistogramCase& one, void* scratch) {
    const std::size_t offset = one.start * size_of(histogram_.type);
    const Array& input = material_.inputs[one.input];
    const BinBounds& range = material_.ranges[one.range];
    std::array<const void*, 2> host{input.host.data() + offset, nullptr};
    void* edges = nullptr;
    if (histogram_.binning == Binning::custom) {
      host[1] = material_.edges[one.range].host.data();
      edges = material_.edges[one.range].buffer.data();
    }
    const Call call{.shape = {{one.count}},
                    .arguments = {static_cast<std::byte*>(output_.data()) + kGuardBytes,
                                  static_cast<std::byte*>(input.buffer.data()) + offset, edges,
                                  Launches::address(range.lower), Launches::address(range.upper)},
                    .inputs_ready = calls_++ % 2 == 1};
    device_.copy(output_.data(), poison_.data(), poison_.size());
    plan.enqueue(call, scratch, nullptr);
    device_.synchronize(nullptr);
    device_.copy(result_.data(), output_.data(), result_.size());

    histogram_.count = one.count;
    const auto where = [&] {
      return fmt::format("n = {} from element {} of input {}, {} to {}", one.count, one.start,
                         one.input, to_string(range.lower), to_string(range.upper));
    };
    const std::string difference = find_histogram_difference(
        histogram_, result_.data() + kGuardBytes, compute_histogram(histogram_, host, range));
    if (!difference.empty()) fail(plan, fmt::format("{}: {}", where(), difference));
    const auto is_poison = [](std::byte byte) { return byte == kPoison; };
    if (!std::all_of(result_.begin(), result_.begin() + kGuardBytes, is_poison) ||
        !std::all_of(result_.end() - kGuardBytes, result_.end(), is_poison)) {
      fail(plan, fmt::format("{}: wrote outside the output", where()));
    }
  }

  void fail(const Plan& plan, const std::string& what) {
    if (++failures_ > kMessages) return;
    messages_ += fmt::format("  {}, {}: {}\n", to_string(plan.variant().workload),
                             to_json(plan.variant().params), what);
  }

  Device& device_;
  HistogramWorkload histogram_;
  std::uint64_t size_;
  Material material_;
  Bytes poison_;
  DeviceBuffer output_;
  Bytes result_;
  std::uint64_t calls_ = 0;
  std::uint64_t failures_ = 0;
  std::string messages_;
};

/// The counts, up to `limit`, at which a kernel changes its way.
std::set<std::uint64_t> counts_at_edges(const Plan& plan, std::uint64_t limit) {
  const auto& params = histogram_params(plan.variant().params);
  const auto width = static_cast<std::uint64_t>(params.vector_width);
  const std::uint64_t tile = tile_elements(params);
  const std::uint64_t turn = plan.grid_size({{kMaxCount >> 20}}) * tile;  // of the whole grid
  std::set<std::uint64_t> counts{0,        1,     width + 1,           tile - 1, tile, tile + 1,
                                 turn + 1, limit, 2 * tile + width + 1};
  counts.erase(counts.upper_bound(limit), counts.end());
  return counts;
}

/// Every input, range and count in turn; each call is made twice, and others in between.
std::vector<HistogramCase> make_cases(const Plan& plan, const HistogramChecker& checker,
                                      std::size_t turn) {
  const bool aligned = plan.variant().workload.layout == 0;
  const std::uint64_t vector = 16 / size_of(histogram_of(plan.variant().workload).type);
  std::vector<HistogramCase> cases;
  for (const std::uint64_t count : counts_at_edges(plan, checker.size() - kMostPeeled)) {
    ++turn;
    cases.push_back({.input = turn % checker.inputs(),
                     .start = aligned ? 0 : turn % vector,
                     .count = count,
                     .range = turn % checker.ranges()});
  }
  const std::vector<HistogramCase> once = cases;
  cases.insert(cases.end(), once.begin(), once.end());
  return cases;
}

/// Configurations differ between histograms, so that together they are many.
std::vector<Variant> make_variants(const HistogramWorkload& histogram, std::size_t turn) {
  const Environment& environment = Environment::get();
  constexpr int kSmallBlock = 64;
  if (kThreadSanitizer) return random_variants(histogram, 2, turn, kSmallBlock);
  if (environment.options().all) return random_variants(histogram, 40, turn);
  const bool is_quick = environment.options().quick || !environment.is_cuda();
  return random_variants(histogram, is_quick ? 1 : 3, turn);
}

/// Compiles and calls variants of the histogram.
void count_all(const HistogramWorkload& histogram, const std::vector<Variant>& variants,
               const BatchCompiler& compiler, std::size_t& program, std::size_t turn) {
  const auto begin = std::chrono::steady_clock::now();
  Environment& environment = Environment::get();
  Device& device = environment.device();
  Tally& tally = environment.tally(describe(histogram));
  const std::uint64_t count = environment.is_cuda() ? 1'000'037
                              : kThreadSanitizer    ? 3'001
                                                    : 140'011;
  HistogramChecker checker(device, histogram, count);
  std::size_t called = 0;
  for (; called < variants.size(); ++program) {
    const CompiledKernel compiled = compiler.get(program);
    ++tally.programs;
    for (const Variant& variant : compiler.groups()[program].variants) {
      const Plan plan(device, variant, compiled);
      checker.run(plan, make_cases(plan, checker, turn + called++), tally);
      ++tally.variants;
    }
  }
  tally.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  INFO(to_string(Workload(histogram)) << ": " << checker.faults());
  CHECK(checker.faults().empty());
  CHECK(called == variants.size());
}

/// Those that the options ask for.
std::vector<HistogramWorkload> choose_histograms() {
  std::vector<HistogramWorkload> histograms = all_histograms();
  std::erase_if(histograms,
                [](const HistogramWorkload& each) { return !is_chosen(describe(each)); });
  const Environment& environment = Environment::get();
  if (kThreadSanitizer) {
    // These are for the ways in which threads meet, which do not depend on the type.
    std::erase_if(histograms, [](const HistogramWorkload& each) {
      return size_of(each.type) == 2 || size_of(each.type) == 8 || each.bins > 256;
    });
  } else if (environment.options().quick) {
    std::vector<HistogramWorkload> some;
    for (std::size_t i = 0; i < histograms.size(); i += 3) some.push_back(histograms[i]);
    return some;
  }
  return histograms;
}

TEST_CASE("Histograms count every type in every kind of bins", "[sample][histogram]") {
  const std::vector<HistogramWorkload> histograms = choose_histograms();
  std::vector<std::vector<Variant>> variants;
  std::vector<Variant> all;
  for (std::size_t i = 0; i < histograms.size(); ++i) {
    variants.push_back(make_variants(histograms[i], i));
    all.insert(all.end(), variants.back().begin(), variants.back().end());
  }
  // All of them together, for the compiler reads the templates once per batch.
  const BatchCompiler compiler(Environment::get().device().compiler(), group_by_program(all));
  std::size_t program = 0;
  for (std::size_t i = 0; i < histograms.size(); ++i) {
    count_all(histograms[i], variants[i], compiler, program, i);
  }
}

TEST_CASE("Histograms count more than 2^32 elements of one bin", "[large][histogram]") {
  Environment& environment = Environment::get();
  constexpr std::uint64_t kCount = (std::uint64_t{1} << 32) + 5;
  if (!environment.is_cuda() || environment.memory_bytes() < 2 * kCount) {
    WARN("skipped: it needs a GPU of 8 GiB");
    return;
  }
  Device& device = environment.device();
  const DeviceBuffer zeros(device, kCount);
  const BinBounds bounds;  // which keys do not need
  for (const ElementType counter : {ElementType::u64, ElementType::u32}) {
    const HistogramWorkload histogram{.type = ElementType::u8,
                                      .bins = 256,
                                      .binning = Binning::key,
                                      .counter = counter,
                                      .count = kCount};
    const std::vector<Variant> variants{
        {histogram, HistogramParams{.vector_width = 16}},
        {histogram, HistogramParams{.vector_width = 16, .privacy = BinPrivacy::warp}},
        {histogram, HistogramParams{.vector_width = 16,
                                    .aggregation = BinAggregation::runs,
                                    .finish = HistogramFinal::zero_first}},
        {histogram,
         HistogramParams{.vector_width = 16, .copies = 16, .finish = HistogramFinal::polling}}};
    const BatchCompiler compiler(device.compiler(), group_by_program(variants));
    Tally& tally = environment.tally(describe(histogram));
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const Plan plan(device, variants[i], compiler.get(i));
      const DeviceBuffer output(device, histogram.result_bytes());
      const DeviceBuffer scratch(device, plan.scratch_bytes({{kCount}}));
      plan.enqueue(
          {.shape = {{kCount}},
           .arguments = {output.data(), zeros.data(), nullptr, Launches::address(bounds.lower),
                         Launches::address(bounds.upper)}},
          scratch.data(), nullptr);
      device.synchronize(nullptr);
      Bytes result(histogram.result_bytes());
      device.copy(result.data(), output.data(), result.size());
      std::vector<std::uint64_t> expected(256);
      expected[0] = kCount;
      CHECK(find_histogram_difference(histogram, result.data(), expected).empty());
      ++tally.programs;
      ++tally.variants;
      ++tally.cases;
      ++tally.calls;
    }
  }
}

}  // namespace
}  // namespace foldtune::test
