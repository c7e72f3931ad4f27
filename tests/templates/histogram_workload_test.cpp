#include "foldtune/bin_bound.h"
#include "foldtune/reduction.h"
#include "templates/family.h"
#include "templates/histogram/space.h"
#include "templates/histogram/workload.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using enum ElementType;

TEST_CASE("A histogram is written with its bins") {
  HistogramWorkload histogram{.type = u8, .count = 1 << 20};
  const std::string even = to_string(histogram);
  CHECK(even == "histogram u8 (256 bins, even, uniform) 2^20");
  histogram.distribution = Distribution::zipf;
  CHECK(to_string(histogram) != even);
  CHECK(to_string(HistogramWorkload{.bins = 1000, .binning = Binning::custom, .counter = u32}) ==
        "histogram f32 in u32 (1000 bins, custom, uniform) 0");
}

TEST_CASE("Histogram names are read back as what they name") {
  for (const Binning binning : {Binning::even, Binning::custom, Binning::key}) {
    CHECK(parse_binning(name(binning)) == binning);
  }
  for (const Distribution distribution :
       {Distribution::uniform, Distribution::zipf, Distribution::constant}) {
    CHECK(parse_distribution(name(distribution)) == distribution);
  }
  CHECK_FALSE(parse_binning("odd"));
  CHECK_FALSE(parse_distribution("normal"));
}

TEST_CASE("A histogram has a sensible number of bins") {
  const auto fault_of = [](const HistogramWorkload& histogram) { return find_fault(histogram); };
  CHECK(fault_of({}).empty());
  CHECK(fault_of({.type = f64, .bins = 2, .binning = Binning::custom}).empty());
  CHECK(fault_of({.type = i32, .bins = kMaxBins}).empty());
  CHECK(fault_of({.type = u8, .binning = Binning::key}).empty());
  CHECK(fault_of({.type = i8, .binning = Binning::key, .counter = u32}).empty());
  CHECK(fault_of({.bins = 1}) == "a histogram has from 2 to 1048576 bins, not 1");
  CHECK_THAT(fault_of({.bins = kMaxBins + 1}), ContainsSubstring("not 1048577"));
  CHECK_THAT(fault_of({.bins = 0xFFFF'FFFF}), ContainsSubstring("2147483647 or more"));
  CHECK_THAT(fault_of({.bins = 0x8000'0000}), ContainsSubstring("from 2 to 1048576 bins"));
  CHECK_THAT(fault_of({.type = u16, .binning = Binning::key}),
             ContainsSubstring("not for u16 and 256 bins"));
  CHECK_THAT(fault_of({.type = u8, .bins = 16, .binning = Binning::key}),
             ContainsSubstring("not for u8 and 16 bins"));
  CHECK(fault_of({.counter = f32}) == "a histogram counts in u64 or u32, not in f32");
  CHECK_THAT(fault_of({.count = kMaxCount + 1}), ContainsSubstring("2^40"));
}

TEST_CASE("A histogram's text has its types, its bins and how they are found") {
  CHECK(field_text(HistogramWorkload{}) ==
        "op=histogram type=f32 counter=u64 bins=256 binning=even");
  CHECK(field_text(HistogramWorkload{.type = i16,
                                     .bins = kMaxBins,
                                     .binning = Binning::custom,
                                     .counter = u32,
                                     .distribution = Distribution::zipf}) ==
        "op=histogram type=i16 counter=u32 bins=1048576 binning=custom distribution=zipf");
}

TEST_CASE("Every histogram comes back from its text, and as a struct") {
  for (const ElementType type : element_types()) {
    for (const std::uint32_t bins : {2u, 256u, kMaxBins}) {
      for (const Binning binning : {Binning::even, Binning::custom, Binning::key}) {
        for (const ElementType counter : {u32, u64}) {
          const Problem problem = HistogramWorkload{.type = type,
                                                    .bins = bins,
                                                    .binning = binning,
                                                    .counter = counter,
                                                    .distribution = Distribution::constant};
          INFO(field_text(problem));
          CHECK(problem_of(histogram_family(), field_text(problem)) == problem);
          CHECK(Problem(histogram_of(problem)) == problem);
        }
      }
    }
  }
}

TEST_CASE("What is not said of a histogram follows") {
  const auto text_of = [](std::string_view said) {
    const std::optional<Problem> problem = problem_of(histogram_family(), said);
    return problem ? field_text(*problem) : "none";
  };
  CHECK(text_of("") == field_text(HistogramWorkload{}));
  CHECK(text_of("type=u8") == field_text(HistogramWorkload{.type = u8, .binning = Binning::key}));
  CHECK(text_of("bins=255 type=u8") == field_text(HistogramWorkload{.type = u8, .bins = 255}));
  CHECK(text_of("binning=even type=u8") == field_text(HistogramWorkload{.type = u8}));
  for (const char* text : {"op=sum", "bins=1", "bins=1048577", "bins=-5", "bins=99999999999",
                           "bins=0x10", "binning=odd", "accumulator=u64"}) {
    INFO(text);
    CHECK(text_of(text) == "none");
  }
}

TEST_CASE("A workload is a histogram with its count and alignment") {
  const Workload workload =
      HistogramWorkload{.type = u8, .count = 12345, .alignment = Alignment::element};
  CHECK(workload.shape == Shape{{1, 12345}});
  CHECK(workload.problem.family().layouts()[workload.layout] == "element");
  CHECK(histogram_of(workload).count == 12345);
  CHECK(histogram_of(workload).alignment == Alignment::element);
  CHECK(Workload(histogram_of(workload)) == workload);
}

TEST_CASE("Problems of another family are none of this one") {
  CHECK_THROWS_AS(histogram_of(Problem(Reduction{})), std::logic_error);
  CHECK_THROWS_AS(reduction_of(Problem(HistogramWorkload{})), std::logic_error);
  CHECK_FALSE(Problem(Reduction{}) == Problem(HistogramWorkload{}));
}

TEST_CASE("A histogram's calls take counts, elements, edges where it has some, and bounds") {
  const Workload even = HistogramWorkload{.type = i16, .bins = 10, .count = 1000};
  const std::vector<Argument> arguments = histogram_family().arguments(even.problem);
  REQUIRE(arguments.size() == 6);
  const auto elements = [](const Workload& workload, std::size_t argument) {
    return histogram_family().elements(workload.problem, argument, workload.shape);
  };
  CHECK(output_place(even.problem) == 0);
  CHECK(arguments[0].type == u64);
  CHECK(elements(even, 0) == 10);
  CHECK(arguments[1].type == i16);
  CHECK(elements(even, 1) == 1000);
  CHECK(arguments[2].is_table);
  CHECK(elements(even, 2) == 0);
  const Workload custom =
      HistogramWorkload{.type = i16, .bins = 10, .binning = Binning::custom, .count = 1000};
  CHECK(elements(custom, 2) == 11);
  for (const std::size_t bound : {3, 4}) {
    CHECK(arguments[bound].access == Access::scalar);
    CHECK(arguments[bound].element_bytes == sizeof(BinBound));
  }
  for (Workload workload : {even, custom}) {
    CHECK(input_bytes(workload) == 2000);
    CHECK(output_bytes(workload) == 80);
    workload.shape[histogram_extent::rows] = 3;
    CHECK(input_bytes(workload) == 6000);
    CHECK(output_bytes(workload) == 240);
  }
}

TEST_CASE("The elements' address is the layout of a histogram's call, whatever the others") {
  const auto layout = [](std::uintptr_t input) {
    Call call;
    call.shape = {{1, 100}};
    call.arguments = {reinterpret_cast<void*>(0x1008), reinterpret_cast<void*>(input),
                      reinterpret_cast<void*>(0x2004)};
    return histogram_family().layouts()[histogram_family().layout(HistogramWorkload{}, call)];
  };
  CHECK(layout(0x3000) == "vector");
  CHECK(layout(0x3008) == "element");
}

TEST_CASE("A histogram's text has its rows where there are several") {
  const Family& family = histogram_family();
  CHECK(to_text(family, Shape{{1, 4096}}) == "4096");
  CHECK(to_text(family, Shape{{3, 4096}}) == "3x4096");
  CHECK(to_text(family, Shape{{0, 5}}) == "0x5");
  CHECK(parse_shape(family, "4096") == Shape{{1, 4096}});
  CHECK(parse_shape(family, "1x4096") == Shape{{1, 4096}});
  CHECK(parse_shape(family, "3x4096") == Shape{{3, 4096}});
  for (const char* text : {"", "x4096", "3x", "1x3x4096", "-3x4096"}) {
    INFO(text);
    CHECK_FALSE(parse_shape(family, text));
  }
  CHECK(to_text(family, Bucket{{0, 48}}) == "48");
  CHECK(to_text(family, Bucket{{8, 48}}) == "8x48");
  CHECK(parse_bucket(family, "48") == Bucket{{0, 48}});
  CHECK(parse_bucket(family, "8x48") == Bucket{{8, 48}});
  CHECK(shape_option(family, {{1, 4096}}) == "--n 4096");
  CHECK(shape_option(family, {{3, 4096}}) == "--shape 3x4096");
  CHECK(describe_shape(family, "4096") == "n = 4096");
  CHECK(describe_shape(family, "3x4096") == "rows x n = 3x4096");
  CHECK(to_string(HistogramWorkload{.type = u8, .rows = 1024, .count = 1000}) ==
        "histogram u8 (256 bins, even, uniform) 2^10x1000");
}

TEST_CASE("Rows share what was tuned by octaves, and one row shares nothing with several") {
  const Family& family = histogram_family();
  const auto class_of = [&](std::uint64_t rows) {
    return family.bucket({{rows, 1000}}).classes[histogram_extent::rows];
  };
  CHECK(class_of(0) == 0);
  CHECK(class_of(1) == 0);
  CHECK(class_of(2) == 4);
  CHECK(class_of(3) == 8);
  CHECK(class_of(4) == 8);
  CHECK(class_of(5) == 12);
  CHECK(class_of(kMaxCount) == 160);
  for (const std::uint64_t rows : {1u, 2u, 3u, 100u, 1025u}) {
    const Bucket bucket = family.bucket({{rows, 1000}});
    CHECK(family.bucket(family.min_shape(bucket)) == bucket);
    CHECK(family.bucket(family.max_shape(bucket)) == bucket);
    CHECK(family.min_shape(bucket)[histogram_extent::rows] <= rows);
    CHECK(family.max_shape(bucket)[histogram_extent::rows] >= rows);
  }
  CHECK(family.distance({{8, 40}}, {{8, 40}}) == 0);
  CHECK(family.distance({{8, 40}}, {{12, 43}}) == 4);
  CHECK_FALSE(family.distance({{8, 40}}, {{16, 40}}));
  CHECK(family.distance({{0, 40}}, {{0, 42}}) == 2);
  CHECK_FALSE(family.distance({{0, 40}}, {{4, 40}}));
}

TEST_CASE("A call of rows is of the layout of its address and its pitch") {
  const auto layout = [](std::uint64_t rows, const std::int64_t* pitch) {
    Call call{.shape = {{rows, 10}}, .arguments = {}};
    call.arguments[1] = reinterpret_cast<void*>(0x3000);
    call.arguments[5] = const_cast<std::int64_t*>(pitch);
    return histogram_family().layouts()[histogram_family().layout(HistogramWorkload{}, call)];
  };
  const std::int64_t odd = 11;
  const std::int64_t whole = -12;
  CHECK(layout(2, &odd) == "element");
  CHECK(layout(2, &whole) == "vector");
  CHECK(layout(2, nullptr) == "element");  // rows of 40 bytes follow one another
  CHECK(layout(1, &odd) == "vector");
}

TEST_CASE("The rows of an array are what its last axes have") {
  const auto merged = [](std::vector<std::uint64_t> extents, std::vector<int> axes) {
    std::string fault;
    const Shape shape = histogram_family().merged_shape(HistogramWorkload{}, extents, axes, fault);
    return fault.empty() ? to_text(histogram_family(), shape) : fault;
  };
  CHECK(merged({3, 5}, {1}) == "3x5");
  CHECK(merged({3, 5}, {-1}) == "3x5");
  CHECK(merged({2, 3, 5}, {2}) == "6x5");
  CHECK(merged({2, 3, 5}, {2, -2}) == "2x15");
  CHECK(merged({7}, {0}) == "7");
  CHECK(merged({3, 5}, {0, 1}) == "15");
  CHECK_THAT(merged({3, 5}, {0}), ContainsSubstring("transpose"));
  CHECK_THAT(merged({2, 3, 5}, {0, 2}), ContainsSubstring("transpose"));
  CHECK_THAT(merged({3, 5}, {2}), ContainsSubstring("there is no axis 2"));
  CHECK_THAT(merged({3, 5}, {1, 1}), ContainsSubstring("axis 1 is there twice"));
}

TEST_CASE("There are no more elements and counts of rows than the most") {
  const auto fault = [](std::uint64_t rows, std::uint64_t count, std::uint32_t bins = 256) {
    return find_fault(HistogramWorkload{.bins = bins, .rows = rows, .count = count});
  };
  CHECK(fault(0, 100).empty());
  CHECK(fault(1 << 20, 1 << 20).empty());
  CHECK_THAT(fault((1 << 20) + 1, 1 << 20), ContainsSubstring("elements are more than the most"));
  CHECK(fault(1 << 20, 0, kMaxBins).empty());
  CHECK_THAT(fault((1 << 20) + 1, 0, kMaxBins), ContainsSubstring("more counts than the most"));
}

TEST_CASE("There is a histogram of nothing, and none of more than the most") {
  const auto fault = [](std::uint64_t count) {
    return histogram_family().find_call_fault(HistogramWorkload{}, {{1, count}});
  };
  CHECK(fault(0).empty());
  CHECK(fault(kMaxCount).empty());
  CHECK_THAT(fault(kMaxCount + 1), ContainsSubstring("2^40"));
}

TEST_CASE("A number that was cast to an enumerator that there is not is a histogram's fault, too") {
  const std::string fault = "a number was cast to an enumerator that there is not";
  CHECK(find_fault(HistogramWorkload{.type = static_cast<ElementType>(77)}) == fault);
  CHECK(find_fault(HistogramWorkload{.counter = static_cast<ElementType>(-1)}) == fault);
  CHECK(find_fault(HistogramWorkload{.binning = static_cast<Binning>(INT32_MIN)}) == fault);
  CHECK(find_fault(HistogramWorkload{.binning = static_cast<Binning>(3)}) == fault);
  CHECK(find_fault(HistogramWorkload{.distribution = static_cast<Distribution>(3)}) == fault);
  CHECK_THAT(find_fault(HistogramWorkload{.alignment = static_cast<Alignment>(7)}),
             ContainsSubstring("layout"));
}

}  // namespace
}  // namespace foldtune::test
