#include "foldtune/histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "foldtune/context.h"
#include "foldtune/error.h"
#include "runtime/device/device.h"
#include "templates/histogram/space.h"
#include "templates/histogram/workload.h"
#include "templates/space.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Counts = std::vector<std::uint64_t>;

/// A context on the CPU device, with arrays on it.
class HistogramFixture {
 public:
  HistogramFixture() : device(open_cpu_device()), context(device, nullptr) {}

 protected:
  template <class T>
  const void* upload(const std::vector<T>& elements) {
    buffers.emplace_back(*device, elements.size() * sizeof(T) + 1);
    device->copy(buffers.back().data(), elements.data(), elements.size() * sizeof(T));
    return buffers.back().data();
  }

  template <class Counter = std::uint64_t>
  Counter* make_counts(std::size_t bins) {
    return static_cast<Counter*>(const_cast<void*>(upload(std::vector<Counter>(bins, 77))));
  }

  template <class Counter>
  Counts read(const Counter* counts, std::size_t bins) {
    device->synchronize(nullptr);
    std::vector<Counter> values(bins);
    device->copy(values.data(), counts, bins * sizeof(Counter));
    return Counts(values.begin(), values.end());
  }

  std::shared_ptr<Device> device;
  Context context;
  std::vector<DeviceBuffer> buffers;
};

TEST_CASE_METHOD(HistogramFixture, "Histogram: even bins of a range, its upper bound included") {
  const Histogram histogram = context.histogram({.type = ElementType::f32, .bins = 4});
  const auto* const input = upload<float>({0, 0.24f, 0.25f, 0.5f, 0.99f, 1, 1.01f, -0.1f, NAN});
  auto* const counts = make_counts(4);
  for (int call = 0; call < 2; ++call) {
    histogram(input, 9, 0, 1, counts);
    CHECK(read(counts, 4) == Counts{2, 1, 1, 2});
  }
  histogram(input, 9, 0, 2, counts);
  CHECK(read(counts, 4) == Counts{3, 2, 2, 0});
}

TEST_CASE_METHOD(HistogramFixture, "Histogram: bounds of 64 bits are not rounded to double") {
  constexpr std::int64_t kFirst = (std::int64_t{1} << 53) - 1;
  std::vector<std::int64_t> elements(10);
  std::iota(elements.begin(), elements.end(), kFirst);
  const Histogram histogram = context.histogram({.type = ElementType::i64, .bins = 8});
  auto* const counts = make_counts(8);
  histogram(upload(elements), 10, kFirst + 1, kFirst + 9, counts);
  CHECK(read(counts, 8) == Counts{1, 1, 1, 1, 1, 1, 1, 2});  // the last edge is in the last bin
  histogram(upload(elements), 9, kFirst + 2, kFirst + 10, counts);
  CHECK(read(counts, 8) == Counts{1, 1, 1, 1, 1, 1, 1, 0});

  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  const Histogram largest = context.histogram({.type = ElementType::u64, .bins = 2});
  largest(upload<std::uint64_t>({kMost - 2, kMost - 1, kMost, 0}), 4, kMost - 1, kMost, counts);
  CHECK(read(counts, 2) == Counts{1, 1});
  largest(upload<std::uint64_t>({0, kMost / 2, kMost / 2 + 1, kMost}), 4, 0, 0x1p64, counts);
  CHECK(read(counts, 2) == Counts{2, 2});
}

TEST_CASE_METHOD(HistogramFixture, "Histogram: an element outside the bounds is not counted") {
  auto* const counts = make_counts(256);
  const Histogram integers = context.histogram({.type = ElementType::i32, .bins = 4});
  integers(upload<std::int32_t>({0, 1, 2, 3, 4}), 5, 0.0001, 3.9999, counts);
  CHECK(read(counts, 4) == Counts{1, 0, 1, 1});
  const Histogram floats = context.histogram({.bins = 256});
  floats(upload<float>({10007.1231F}), 1, 10007.123346875, 26200, counts);
  CHECK(read(counts, 256) == Counts(256));
  const Histogram doubles = context.histogram({.type = ElementType::f64, .bins = 2});
  doubles(upload<double>({0, 0.4e-310, 0.6e-310, 1e-310, 1.1e-310}), 5, 0, 1e-310, counts);
  CHECK(read(counts, 2) == Counts{2, 2});
}

TEST_CASE_METHOD(HistogramFixture, "Histogram: of edges that are equal or infinite, NumPy's bins") {
  auto* const counts = make_counts(4);
  const Histogram histogram = context.histogram({.bins = 4, .binning = Binning::custom});
  const auto* const input = upload<float>({-INFINITY, -1, -0.0F, 0, 1, 2, INFINITY, NAN});
  histogram(input, 8, upload<float>({-1, 0, 0, 1, 1}), counts);
  CHECK(read(counts, 4) == Counts{1, 0, 2, 1});
  histogram(input, 8, upload<float>({-INFINITY, -1, 1, 2, INFINITY}), counts);
  CHECK(read(counts, 4) == Counts{1, 3, 1, 2});
}

TEST_CASE_METHOD(HistogramFixture, "Histogram: inputs that are ready give the same counts") {
  const auto* const input = upload<std::uint8_t>({0, 1, 1, 3, 3, 3});
  auto* const counts = make_counts(256);
  for (const Binning binning : {Binning::even, Binning::custom, Binning::key}) {
    const std::uint32_t bins = binning == Binning::key ? 256 : 4;
    const Histogram ready =
        context.histogram({.type = ElementType::u8, .bins = bins, .binning = binning})
            .with_inputs_ready();
    if (binning == Binning::even) ready(input, 6, 0, 4, counts);
    if (binning == Binning::custom) ready(input, 6, upload<std::uint8_t>({0, 1, 2, 3, 4}), counts);
    if (binning == Binning::key) ready.count_keys(input, 6, counts);
    CHECK(read(counts, 4) == Counts{1, 2, 0, 3});
  }
}

TEST_CASE_METHOD(HistogramFixture, "Histogram: custom bins between edges") {
  const Histogram histogram =
      context.histogram({.type = ElementType::i16, .bins = 3, .binning = Binning::custom});
  const auto* const input = upload<std::int16_t>({-5, -4, 0, 9, 10, 10, 11, 100, 101});
  auto* const counts = make_counts(3);
  histogram(input, 9, upload<std::int16_t>({-4, 10, 11, 100}), counts);
  CHECK(read(counts, 3) == Counts{3, 2, 2});
}

TEST_CASE_METHOD(HistogramFixture, "Histogram: keys, those of i8 from -128 on") {
  auto* const counts = make_counts(256);
  const auto* const input = upload<std::uint8_t>({0, 1, 1, 128, 255});
  HistogramOptions options{.type = ElementType::u8, .binning = Binning::key};
  context.histogram(options).count_keys(input, 5, counts);
  Counts expected(256);
  expected[0] = expected[128] = expected[255] = 1;
  expected[1] = 2;
  CHECK(read(counts, 256) == expected);
  options.type = ElementType::i8;
  context.histogram(options).count_keys(input, 5, counts);
  std::rotate(expected.begin(), expected.begin() + 128, expected.end());
  CHECK(read(counts, 256) == expected);
}

TEST_CASE_METHOD(HistogramFixture, "Histogram: counters of 32 bits") {
  const Histogram histogram =
      context.histogram({.type = ElementType::u64, .bins = 2, .counter = ElementType::u32});
  auto* const counts = make_counts<std::uint32_t>(3);
  histogram(upload<std::uint64_t>({1, 2, 3}), 3, 0, 4, counts);
  CHECK(read(counts, 3) == Counts{1, 2, 77});
}

TEST_CASE_METHOD(HistogramFixture, "Histogram: nothing to count is a count of zero") {
  auto* const counts = make_counts(5);
  const Histogram floats = context.histogram({.type = ElementType::f64, .bins = 5});
  floats(nullptr, 0, 0, 1, counts);
  CHECK(read(counts, 5) == Counts(5));
  // No integer lies in the range.
  const Histogram integers = context.histogram({.type = ElementType::i32, .bins = 5});
  auto* const others = make_counts(5);
  integers(upload<std::int32_t>({0, 1}), 2, 0.25, 0.75, others);
  CHECK(read(others, 5) == Counts(5));
}

TEST_CASE_METHOD(HistogramFixture, "Histogram: an input and edges of any alignment") {
  std::vector<float> elements(5001);
  std::iota(elements.begin(), elements.end(), 0.0f);
  const auto* const input = static_cast<const float*>(upload(elements)) + 1;
  const auto* const edges = static_cast<const float*>(upload<float>({9, 0, 1000, 5000})) + 1;
  auto* const counts = make_counts(2);
  const Histogram histogram = context.histogram({.bins = 2, .binning = Binning::custom});
  histogram(input, 5000, edges, counts);
  CHECK(read(counts, 2) == Counts{999, 4001});
}

TEST_CASE_METHOD(HistogramFixture, "Histogram: each row of a matrix has counts of its own") {
  const auto* const input = upload<float>({0, 1, 1, 9, 3, 3, 2, 9, 0, 0, 0, 9});
  auto* const counts = make_counts(12);
  const Histogram even = context.histogram({.bins = 4});
  const HistogramRows rows{.rows = 3, .count = 3, .pitch = 4};
  even.prepare(input, rows);
  for (int call = 0; call < 2; ++call) {
    even(input, rows, 0, 4, counts);
    CHECK(read(counts, 12) == Counts{1, 2, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0});
  }
  even.with_inputs_ready()(input, {.rows = 2, .count = 6}, 0, 4, counts);
  CHECK(read(counts, 8) == Counts{1, 2, 0, 2, 3, 0, 1, 0});
  const Histogram custom = context.histogram({.bins = 2, .binning = Binning::custom});
  custom(input, rows, upload<float>({0, 1, 3}), counts);
  CHECK(read(counts, 6) == Counts{1, 2, 0, 3, 3, 0});
  const Histogram keys = context.histogram({.type = ElementType::u8, .binning = Binning::key});
  auto* const of_keys = make_counts(512);
  keys.count_keys(upload<std::uint8_t>({5, 5, 7, 255}), {.rows = 2, .count = 2}, of_keys);
  Counts expected(512);
  expected[5] = 2;
  expected[256 + 7] = expected[256 + 255] = 1;
  CHECK(read(of_keys, 512) == expected);
}

TEST_CASE_METHOD(HistogramFixture, "Histogram: rows may overlap, and go back") {
  const auto* const input = static_cast<const std::int32_t*>(upload<std::int32_t>({0, 1, 2, 3}));
  auto* const counts = make_counts(12);
  const Histogram histogram = context.histogram({.type = ElementType::i32, .bins = 4});
  histogram(input, {.rows = 3, .count = 2, .pitch = 1}, 0, 4, counts);
  CHECK(read(counts, 12) == Counts{1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1});
  histogram(input + 2, {.rows = 2, .count = 2, .pitch = -2}, 0, 4, counts);
  CHECK(read(counts, 8) == Counts{0, 0, 1, 1, 1, 1, 0, 0});
  histogram(input + 1, {.rows = 3, .count = 1, .pitch = 0}, 0, 4, counts);
  CHECK(read(counts, 12) == Counts{0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0});
}

TEST_CASE_METHOD(HistogramFixture,
                 "Histogram: of no rows nothing is written, of empty ones zeros") {
  auto* const counts = make_counts(8);
  const Histogram histogram = context.histogram({.bins = 4});
  histogram.prepare(nullptr, {.rows = 0, .count = 100});
  histogram(nullptr, {.rows = 0, .count = 100}, 0, 1, counts);
  CHECK(read(counts, 8) == Counts(8, 77));
  histogram(nullptr, {.rows = 2, .count = 0}, 0, 1, counts);
  CHECK(read(counts, 8) == Counts(8));
  auto* const one = make_counts(4);
  histogram(upload<float>({0, 0}), {.rows = 1, .count = 2, .pitch = 1000}, 0, 1, one);
  CHECK(read(one, 4) == Counts{2, 0, 0, 0});
}

TEST_CASE_METHOD(HistogramFixture, "Histogram: a million bins") {
  constexpr std::uint32_t kBins = kMaxBins;
  std::vector<std::int32_t> elements(kBins);
  std::iota(elements.begin(), elements.end(), -5);
  const Histogram histogram = context.histogram({.type = ElementType::i32, .bins = kBins});
  auto* const counts = make_counts(kBins);
  histogram(upload(elements), kBins, 0, kBins, counts);
  Counts expected(kBins, 1);
  std::fill(expected.end() - 5, expected.end(), 0);
  CHECK(read(counts, kBins) == expected);
}

TEST_CASE_METHOD(HistogramFixture, "Histogram: a wrong argument is reported before any launch") {
  using Catch::Matchers::ContainsSubstring;
  const auto* const input = upload<float>({1, 2});
  auto* const counts = make_counts(256);
  const auto message = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing";
  };
  const Histogram even = context.histogram({});
  const Histogram custom = context.histogram({.binning = Binning::custom});
  CHECK_THAT(message([&] { even(input, 2, 1, 1, counts); }), ContainsSubstring("not below"));
  CHECK_THAT(message([&] { even(input, 2, 0, INFINITY, counts); }), ContainsSubstring("finite"));
  CHECK_THAT(message([&] { even(input, 2, 0, 1, nullptr); }), ContainsSubstring("counts pointer"));
  CHECK_THAT(message([&] { even(input, 2, 0, 1, reinterpret_cast<char*>(counts) + 4); }),
             ContainsSubstring("8 bytes"));
  CHECK_THAT(message([&] { even(nullptr, 2, 0, 1, counts); }), ContainsSubstring("input pointer"));
  CHECK_THAT(message([&] { even(input, kMaxCount + 1, 0, 1, counts); }), ContainsSubstring("2^40"));
  CHECK_THAT(message([&] { even(input, 2, input, counts); }),
             ContainsSubstring("its binning is 'even': call it with a lower and an upper bound"));
  CHECK_THAT(message([&] { custom.count_keys(input, 2, counts); }),
             ContainsSubstring("with edges"));
  CHECK_THAT(message([&] { custom(input, 2, nullptr, counts); }), ContainsSubstring("edges"));
  CHECK_THAT(message([&] { custom(input, 2, static_cast<const char*>(input) + 1, counts); }),
             ContainsSubstring("edges"));
  CHECK_THAT(message([&] { context.histogram({.bins = 1}); }),
             ContainsSubstring("making a histogram"));
  CHECK_THAT(message([&] { context.histogram({.counter = ElementType::i32}); }),
             ContainsSubstring("counts in u64 or u32, not in i32"));
  CHECK_THAT(message([&] { even(input, {.rows = 1 << 20, .count = (1 << 20) + 1}, 0, 1, counts); }),
             ContainsSubstring("elements are more than the most"));
  CHECK_THAT(message([&] { even(input, {.rows = kMaxCount / 2, .count = 1}, 0, 1, counts); }),
             ContainsSubstring("more counts than the most"));
  CHECK_THAT(message([&] { even(input, {.rows = 2, .count = 1}, 1, 1, counts); }),
             ContainsSubstring("not below"));
  CHECK_THAT(message([&] { even(nullptr, {.rows = 2, .count = 1}, 0, 1, counts); }),
             ContainsSubstring("input pointer"));
  CHECK(read(counts, 256) == Counts(256, 77));
}

TEST_CASE_METHOD(HistogramFixture, "Histogram: explains the configuration of a call") {
  const Histogram histogram = context.histogram({.bins = 100});
  const Explanation explanation = histogram.explain(1 << 20);
  CHECK(explanation.source == ConfigSource::untuned_default);
  CHECK(histogram.options().bins == 100);
  const HistogramWorkload workload{.bins = 100, .count = 1 << 20};
  const int multiprocessors = device->info().record.multiprocessor_count;
  CHECK(config_from_json(histogram_family(), explanation.config) ==
        Space(workload).default_params(multiprocessors));
  const HistogramWorkload rows{.bins = 100, .rows = 1024, .count = 1 << 16};
  CHECK(config_from_json(histogram_family(),
                         histogram.explain({.rows = 1024, .count = 1 << 16}).config) ==
        Space(rows).default_params(multiprocessors));
}

}  // namespace
}  // namespace foldtune::test
