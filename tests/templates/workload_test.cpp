// Problems, shapes and buckets of any family: of a small one with three extents.
#include "foldtune/workload.h"

#include <array>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "foldtune/reduction.h"
#include "templates/family.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("A size class is a quarter of an octave, of which the last ends at a power of two") {
  CHECK(size_class(0) == 0);
  CHECK(size_class(1) == 0);
  CHECK(size_class(2) == 4);
  CHECK(size_class(3) == 7);
  CHECK(size_class(1000) == 40);
  CHECK(size_class(1024) == 40);
  CHECK(size_class(1025) == 41);
  CHECK(size_class(1448) == 42);  // 2^10.49988
  CHECK(size_class(1449) == 43);  // 2^10.50087
  CHECK(size_class((std::uint64_t{1} << 32) + 1) == 129);
  CHECK(size_class(kMaxCount) == 160);
}

TEST_CASE("The largest extent of a class is the last before the next class") {
  CHECK(max_of_size_class(0) == 1);
  CHECK(max_of_size_class(1) == 1);  // an empty class
  CHECK(max_of_size_class(4) == 2);
  CHECK(max_of_size_class(11) == 6);  // 2^2.75 = 6.73
  CHECK(max_of_size_class(40) == 1024);
  CHECK(max_of_size_class(42) == 1448);
  for (int i = 12; i < 256; ++i) {  // from 8 on, none is empty
    INFO(i);
    CHECK(size_class(max_of_size_class(i)) == i);
    CHECK(size_class(max_of_size_class(i) + 1) == i + 1);
  }
  CHECK(size_class(std::numeric_limits<std::uint64_t>::max()) == 256);
  CHECK(max_of_size_class(256) == std::numeric_limits<std::uint64_t>::max());
}

/// Sums boxes of a tensor. Has no kernels.
class Boxes final : public Family {
 public:
  std::string_view name() const override { return "boxes"; }

  std::span<const Field> fields() const override {
    static constexpr std::array<std::string_view, 2> kEdges{"open", "closed"};
    static constexpr std::array<Field, 3> kFields{
        Field{.name = "edges", .meaning = "whether the last ones count", .labels = kEdges},
        Field{.name = "padding",
              .meaning = "elements around a box",
              .least = -4,
              .most = 4,
              .fallback = 1,
              .place = 1},
        Field{.name = "fill",
              .meaning = "what is around",
              .labels = kEdges,
              .fallback = 1,
              .place = 2}};
    return kFields;
  }
  std::string describe(const Problem&) const override { return "boxes"; }
  std::span<const std::string_view> extents() const override {
    static constexpr std::array<std::string_view, 3> kExtents{"boxes", "rows", "columns"};
    return kExtents;
  }
  std::string find_fault(const Problem&, const Shape& shape) const override {
    return shape[2] == 0 ? "no columns" : "";
  }
  std::vector<Argument> arguments(const Problem&) const override {
    return {{.name = "boxes", .type = ElementType::i64, .element_bytes = 8},
            {.name = "weights", .element_bytes = 4, .is_table = true},
            {.name = "scale", .access = Access::scalar},
            {.name = "sums", .access = Access::output, .element_bytes = 2}};
  }
  std::uint64_t elements(const Problem&, std::size_t argument, const Shape& shape) const override {
    return argument == 0 ? shape[0] * shape[1] * shape[2] : shape[argument == 1 ? 2 : 0];
  }
  std::span<const Tunable> tunables() const override { return {}; }
  std::string include_lines(const Problem&) const override { return {}; }
  std::vector<std::string> all_include_lines() const override { return {}; }
  Program program(const Variant&) const override { return {}; }
  std::unique_ptr<Launcher> launcher(const Variant&, const KernelFacts&) const override {
    return nullptr;
  }
};

const Boxes kBoxes;

/// A problem of which everything is said.
Problem boxes(int edges, int padding = 1) {
  Problem problem(kBoxes);
  problem.set(kBoxes.fields()[0], edges);
  problem.set(kBoxes.fields()[1], padding);
  return problem;
}

TEST_CASE("A problem begins with what is usual, and names what has to be said") {
  const Problem problem(kBoxes);
  CHECK(problem.get(kBoxes.fields()[0]) == Problem::kUnsaid);
  CHECK(problem.get(kBoxes.fields()[1]) == 1);
  CHECK(field_text(problem).empty());
  CHECK(find_fault(problem) == "edges has to be said: whether the last ones count");
  CHECK(find_fault(boxes(0)).empty());
  CHECK_FALSE(problem_of(kBoxes, ""));
}

TEST_CASE("A text has labels and integers, without what is usual") {
  CHECK(field_text(boxes(0)) == "edges=open");
  CHECK(field_text(boxes(1)) == "edges=closed");
  CHECK(field_text(boxes(1, -4)) == "edges=closed padding=-4");
  for (const Problem& problem : {boxes(0), boxes(1), boxes(1, -4), boxes(0, 0)}) {
    CHECK(problem_of(kBoxes, field_text(problem)) == problem);
  }
  // What is usual may be said.
  CHECK(problem_of(kBoxes, "padding=1 edges=open fill=closed") == boxes(0));
}

TEST_CASE("A text of no problem is none") {
  for (const char* text :
       {"edges", "edges=", "edges=OPEN", "edges=0", "padding=2", "edges=open padding=5",
        "edges=open padding=-5", "edges=open padding=1.5", "edges=open padding= 1",
        "edges=open size=3", "edges=open edges=open", "edges=open ", "edges=open,padding=2",
        "edges=open padding", "fields=open", "edgesx=open",
        "edges=open =", "edges=open padding=+2"}) {
    INFO(text);
    CHECK_FALSE(problem_of(kBoxes, text));
  }
}

TEST_CASE("Equal problems have equal texts, and others have others") {
  const std::vector<Problem> all{boxes(0), boxes(1), boxes(0, 2), boxes(1, 2),
                                 Problem(Reduction{})};
  for (const Problem& a : all) {
    for (const Problem& b : all) CHECK((a == b) == (field_text(a) == field_text(b)));
  }
}

TEST_CASE("Shapes are written with as many extents as the family has") {
  CHECK(to_text(kBoxes, Shape{{3, 1048576, 0}}) == "3x1048576x0");
  CHECK(to_text(reduce_family(), Shape{{1000003}}) == "1000003");
  CHECK(parse_shape(kBoxes, "3x1048576x0") == Shape{{3, 1048576, 0}});
  CHECK(parse_shape(reduce_family(), "18446744073709551615") ==
        Shape{{std::numeric_limits<std::uint64_t>::max()}});
  for (const char* text : {"", "3", "3x4", "3x4x5x6", "3x4x", "x3x4", "3xx4", "3x4x5x", "3x-4x5",
                           "3x4.5x6", "3x4x99999999999999999999", "3X4X5", "3x 4x5", "axbxc"}) {
    INFO(text);
    CHECK_FALSE(parse_shape(kBoxes, text));
  }
}

TEST_CASE("Buckets round each extent, and are written as shapes are") {
  const Bucket bucket = kBoxes.bucket({{3, 1448, 1}});
  CHECK(to_text(kBoxes, bucket) == "7x42x0");
  CHECK(parse_bucket(kBoxes, "7x42x0") == bucket);
  CHECK(kBoxes.max_shape(bucket) == Shape{{3, 1448, 1}});
  CHECK(kBoxes.min_shape(bucket) == Shape{{3, 1218, 1}});
  CHECK(kBoxes.bucket(kBoxes.max_shape(bucket)) == bucket);
  CHECK(kBoxes.bucket(kBoxes.min_shape(bucket)) == bucket);
  CHECK(to_text(reduce_family(), bucket_of(Reduction{.count = 1 << 20})) == "80");
  // A reduction has no more than 2^40 elements.
  CHECK(reduce_family().max_shape(Bucket{{160}}) == Shape{{kMaxCount}});
  for (const char* text : {"", "2x10", "2x10x-1", "2x10x99999", "2x10x0x0", "2,10,0"}) {
    INFO(text);
    CHECK_FALSE(parse_bucket(kBoxes, text));
  }
}

TEST_CASE("Buckets are as far apart as the extent that differs most, up to an octave") {
  const auto distance = [](const Bucket& a, const Bucket& b) {
    CHECK(kBoxes.distance(a, b) == kBoxes.distance(b, a));
    return kBoxes.distance(a, b);
  };
  CHECK(distance({{4, 5, 6}}, {{4, 5, 6}}) == 0);
  CHECK(distance({{4, 5, 6}}, {{5, 4, 6}}) == 1);
  CHECK(distance({{4, 5, 6}}, {{4, 7, 5}}) == 2);
  CHECK(distance({{4, 5, 6}}, {{4, 5, 10}}) == 4);
  CHECK_FALSE(distance({{4, 5, 6}}, {{4, 5, 11}}));
  // An extent that the family has not says nothing.
  CHECK(reduce_family().distance({{20, 1}}, {{21, 9}}) == 1);
}

TEST_CASE("A workload has the faults of its problem and of its shape") {
  Workload workload{.problem = boxes(0), .shape = {{1, 2, 0}}};
  CHECK(find_fault(workload) == "no columns");
  workload.shape[2] = 1024;
  CHECK(find_fault(workload).empty());
  CHECK(to_string(workload) == "boxes 1x2x2^10");
  for (const int layout : {-1, 1, 7}) {
    workload.layout = layout;
    CHECK_THAT(find_fault(workload), ContainsSubstring("layout"));
  }
  workload.problem = Problem(kBoxes);
  CHECK_FALSE(find_fault(workload).empty());
}

TEST_CASE("A call reads its inputs but tables, and writes its output") {
  const Workload workload{.problem = boxes(0), .shape = {{3, 5, 7}}};
  CHECK(input_bytes(workload) == 3 * 5 * 7 * 8);
  CHECK(output_place(workload.problem) == 3);
  CHECK(output_bytes(workload) == 3 * 2);
}

TEST_CASE("A workload that reads so many bytes reads them") {
  for (const std::uint64_t bytes : {std::uint64_t{4}, std::uint64_t{1} << 33}) {
    const Workload workload = reading_workload(bytes);
    CHECK(find_fault(workload).empty());
    CHECK(input_bytes(workload) == bytes);
    CHECK(output_bytes(workload) == 4);
  }
}

TEST_CASE("Indices take 64 bits above the size class that ends at 2^30.5") {
  CHECK_FALSE(takes_64_bits(std::uint64_t{1} << 30));
  CHECK_FALSE(takes_64_bits(max_of_size_class(122)));
  CHECK(takes_64_bits(max_of_size_class(122) + 1));
}

TEST_CASE("Families are found by their names, and one may be added") {
  CHECK(find_family("reduce") == &reduce_family());
  CHECK(find_family("fold") == nullptr);
  CHECK_THROWS_AS(add_family(reduce_family()), std::logic_error);
  for (const Family* const family : families()) {
    CHECK(find_family(family->name()) == family);
    CHECK(family->fields().size() <= Problem::kMaxFields);
    for (std::size_t i = 0; i < family->fields().size(); ++i) {
      CHECK(family->fields()[i].place == i);
    }
  }
}

}  // namespace
}  // namespace foldtune::test
