// Histograms: every type, binning and number of bins, over counts at every edge of the kernel's
// loops, alignments, and elements on and beside the edges of bins.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include "runtime/launch/plan.h"
#include "runtime/support/sanitizer.h"
#include "templates/histogram/judge/histogram_reference.h"
#include "templates/histogram/layout.cuh"
#include "templates/histogram/space.h"
#include "tests/catch.h"
#include "tests/conformance/checker.h"
#include "tests/conformance/environment.h"
#include "tests/conformance/histogram_material.h"
#include "tests/support/batch_compiler.h"
#include "tests/support/histogram_variants.h"

namespace foldtune::test {
namespace {

using Bytes = std::vector<std::byte>;

/// A call: which input from where, which range, and how many rows of which pitch.
struct HistogramCase {
  std::size_t input = 0;
  std::uint64_t start = 0;
  std::uint64_t count = 0;
  std::size_t range = 0;
  std::uint64_t rows = 1;
  std::int64_t pitch = 0;

  Shape shape() const { return {{rows, count}}; }
};

/// As many rows as have few enough counts for a test; two have.
std::uint64_t max_rows(const HistogramWorkload& histogram) {
  constexpr std::uint64_t kMostCounts = 1 << 20;
  return std::max<std::uint64_t>(2, kMostCounts / histogram.bins);
}

/// Calls the plans of one histogram, one call after another, and compares.
class HistogramChecker {
 public:
  HistogramChecker(Device& device, const HistogramWorkload& histogram, std::uint64_t count)
      : device_(device),
        histogram_(histogram),
        size_(count),
        material_(make_histogram_material(device, histogram, count)),
        output_(device, max_rows(histogram) * histogram.result_bytes() + 2 * kGuardBytes) {}

  std::uint64_t size() const { return size_; }
  std::size_t inputs() const { return material_.inputs.size(); }
  std::size_t ranges() const { return material_.ranges.size(); }

  void run(const Plan& plan, const std::vector<HistogramCase>& cases, Tally& tally) {
    std::size_t scratch_bytes = 0;
    for (const HistogramCase& one : cases) {
      scratch_bytes = std::max(scratch_bytes, plan.scratch_bytes(one.shape()));
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
    const HistogramArray& input = material_.inputs[one.input];
    const BinBounds& range = material_.ranges[one.range];
    const Bytes elements = elements_of(one);
    std::array<const void*, 2> host{elements.data(), nullptr};
    void* edges = nullptr;
    if (histogram_.binning == Binning::custom) {
      host[1] = material_.edges[one.range].host.data();
      edges = material_.edges[one.range].buffer.data();
    }
    const Call call{.shape = one.shape(),
                    .arguments = {static_cast<std::byte*>(output_.data()) + kGuardBytes,
                                  static_cast<std::byte*>(input.buffer.data()) + offset, edges,
                                  Launches::address(range.lower), Launches::address(range.upper),
                                  Launches::address(one.pitch)},
                    .inputs_ready = calls_++ % 2 == 1};
    histogram_.rows = one.rows;
    histogram_.count = one.count;
    result_.assign(histogram_.result_bytes() + 2 * kGuardBytes, kPoison);
    device_.copy(output_.data(), result_.data(), result_.size());
    plan.enqueue(call, scratch, nullptr);
    device_.synchronize(nullptr);
    device_.copy(result_.data(), output_.data(), result_.size());

    const auto where = [&] {
      return fmt::format("{} rows of {} with the pitch {} from element {} of input {}, {} to {}",
                         one.rows, one.count, one.pitch, one.start, one.input,
                         to_string(range.lower), to_string(range.upper));
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

  /// Those of all rows, one after another.
  Bytes elements_of(const HistogramCase& one) const {
    const std::size_t bytes = size_of(histogram_.type);
    const std::byte* const first = material_.inputs[one.input].host.data() + one.start * bytes;
    if (one.rows == 1) return Bytes(first, first + one.count * bytes);
    Bytes elements;
    for (std::uint64_t row = 0; row < one.rows; ++row) {
      const std::byte* const begin =
          first + static_cast<std::int64_t>(row) * one.pitch * static_cast<std::int64_t>(bytes);
      elements.insert(elements.end(), begin, begin + one.count * bytes);
    }
    return elements;
  }

  void fail(const Plan& plan, const std::string& what) {
    if (++failures_ > kMessages) return;
    messages_ += fmt::format("  {}, {}: {}\n", to_string(plan.variant().workload),
                             to_json(plan.variant().params), what);
  }

  Device& device_;
  HistogramWorkload histogram_;
  std::uint64_t size_;
  HistogramMaterial material_;
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
  const std::uint64_t turn = plan.grid_size({{1, kMaxCount >> 20}}) * tile;  // of the whole grid
  std::set<std::uint64_t> counts{0,        1,     width + 1,           tile - 1, tile, tile + 1,
                                 turn + 1, limit, 2 * tile + width + 1};
  counts.erase(counts.upper_bound(limit), counts.end());
  return counts;
}

/// Numbers of rows, and for each of them rows that follow one another, that have something between
/// them, that overlap, and that go back; of nothing, of one element, of a prime number of them, and
/// as long as there are elements for.
std::vector<HistogramCase> make_cases_of_rows(const Plan& plan, const HistogramChecker& checker,
                                              std::size_t turn) {
  const bool aligned = plan.variant().workload.layout == 0;
  const HistogramWorkload histogram = histogram_of(plan.variant().workload);
  const auto vector = static_cast<std::int64_t>(16 / size_of(histogram.type));
  const std::uint64_t limit = checker.size() - kMostPeeled;
  std::vector<HistogramCase> cases;
  for (const std::uint64_t rows : {0, 1, 2, 3, 257}) {
    if (rows > max_rows(histogram)) continue;
    const std::uint64_t longest = limit / std::max<std::uint64_t>(rows, 1);
    for (const std::uint64_t count :
         {std::uint64_t{0}, std::uint64_t{1}, std::min<std::uint64_t>(509, longest), longest}) {
      ++turn;
      const auto n = static_cast<std::int64_t>(count);
      constexpr int kPitches = 4;
      const std::int64_t near[kPitches] = {n, n + 17, n / 2, -n - 5};
      std::int64_t pitch = near[turn % kPitches];
      if (aligned) pitch = pitch / vector * vector;
      const std::uint64_t between =
          rows < 2 ? 0 : (rows - 1) * static_cast<std::uint64_t>(std::abs(pitch));
      if (between + count > limit) pitch = aligned ? n / vector * vector : n;
      const std::uint64_t start = pitch < 0 ? between : aligned ? 0 : turn % vector;
      cases.push_back({.input = turn % checker.inputs(),
                       .start = start,
                       .count = count,
                       .range = turn % checker.ranges(),
                       .rows = rows,
                       .pitch = pitch});
    }
  }
  return cases;
}

/// Every input, range and count in turn.
std::vector<HistogramCase> make_cases_of_one(const Plan& plan, const HistogramChecker& checker,
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
  return cases;
}

/// Each call is made twice, and others in between.
std::vector<HistogramCase> make_cases(const Plan& plan, const HistogramChecker& checker,
                                      std::size_t turn) {
  const bool has_many_rows = histogram_of(plan.variant().workload).has_many_rows();
  std::vector<HistogramCase> cases = has_many_rows ? make_cases_of_rows(plan, checker, turn)
                                                   : make_cases_of_one(plan, checker, turn);
  const std::vector<HistogramCase> once = cases;
  cases.insert(cases.end(), once.begin(), once.end());
  return cases;
}

/// Configurations differ between histograms, so that together they are many. Two histograms of
/// three have one of many rows, too.
std::vector<Variant> make_variants(const HistogramWorkload& histogram, std::size_t turn) {
  const Environment& environment = Environment::get();
  const bool is_quick = environment.options().quick || !environment.is_cuda();
  const std::size_t count = kThreadSanitizer            ? 2
                            : environment.options().all ? 40
                            : is_quick                  ? 1
                                                        : 3;
  const int largest_block = kThreadSanitizer ? 64 : 1024;
  std::vector<Variant> variants = random_variants(histogram, count, turn, largest_block);
  if (turn % 3 > 0 || !is_quick) {
    HistogramWorkload rows = histogram;
    rows.rows = 64;  // as all that are more than one
    std::ranges::move(random_variants(rows, count, turn, largest_block),
                      std::back_inserter(variants));
  }
  return variants;
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
      const DeviceBuffer scratch(device, plan.scratch_bytes({{1, kCount}}));
      plan.enqueue(
          {.shape = {{1, kCount}},
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
