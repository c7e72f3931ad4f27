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
  CHECK(workload.shape == Shape{{12345}});
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
  REQUIRE(arguments.size() == 5);
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
  for (const Workload& workload : {even, custom}) {
    CHECK(input_bytes(workload) == 2000);
    CHECK(output_bytes(workload) == 80);
  }
}

TEST_CASE("The elements' address is the layout of a histogram's call, whatever the others") {
  const auto layout = [](std::uintptr_t input) {
    Call call;
    call.arguments = {reinterpret_cast<void*>(0x1008), reinterpret_cast<void*>(input),
                      reinterpret_cast<void*>(0x2004)};
    return histogram_family().layouts()[histogram_family().layout(HistogramWorkload{}, call)];
  };
  CHECK(layout(0x3000) == "vector");
  CHECK(layout(0x3008) == "element");
}

TEST_CASE("There is a histogram of nothing, and none of more than the most") {
  const auto fault = [](std::uint64_t count) {
    return histogram_family().find_call_fault(HistogramWorkload{}, {{count}});
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
