#include "bench/cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "foldtune/error.h"
#include "foldtune/reduction.h"
#include "templates/family.h"
#include "templates/histogram/workload.h"

namespace foldtune::bench {
namespace {

using enum ElementType;

Case over(Operator op, ElementType type, std::optional<ElementType> accumulator = std::nullopt) {
  std::string text = fmt::format("{} {}", name(op), name(type));
  if (accumulator) text += fmt::format(" -> {}", name(*accumulator));
  return {.name = std::move(text),
          .workload = Reduction{.op = op, .type = type, .accumulator = accumulator}};
}

Case squared_distance() {
  CustomOperator op{.name = "squared_distance",
                    .inputs = {f32, f32},
                    .map = "(x - y) * (x - y)",
                    .combine = "a + b"};
  return {.name = "squared distance f32", .workload = make_reduction(std::move(op))};
}

Case histogram(ElementType type, Binning binning, Distribution distribution) {
  return {.name = fmt::format("histogram {} {}", name(type), name(distribution)),
          .workload = HistogramWorkload{.type = type,
                                        .bins = 256,
                                        .binning = binning,
                                        .counter = u32,
                                        .distribution = distribution}};
}

/// Histograms of rows of 2^26 bytes.
std::vector<Case> row_histogram_cases() {
  constexpr std::uint64_t kTotal = 1 << 26;
  std::vector<Case> cases;
  for (const Distribution distribution : {Distribution::uniform, Distribution::constant}) {
    Case rows = histogram(u8, Binning::key, distribution);
    rows.name += " rows";
    for (const std::uint64_t count : {4096, 65536, 1 << 20}) {
      rows.shapes.push_back({{kTotal / count, count}});
    }
    rows.direction = "rows";
    rows.elements = kTotal;
    cases.push_back(std::move(rows));
  }
  return cases;
}

/// Whether a case is measured only where it or its direction is asked for: of a family whose other
/// cases are of the counts asked for.
bool is_extra(const Case& one) {
  return takes_count(one.workload.problem.family()) && !one.shapes.empty();
}

/// Those of the same elements together, since the memory that they are measured on is made anew for
/// others.
std::vector<Case> count_cases() {
  return {over(Operator::sum, f32),
          over(Operator::max, f32),
          over(Operator::argmax, f32),
          over(Operator::minmax, f32),
          over(Operator::mean, f32),
          over(Operator::variance, f32),
          over(Operator::logsumexp, f32),
          over(Operator::nrm2, f32),
          over(Operator::asum, f32),
          over(Operator::argabsmax, f32),
          over(Operator::sum, f64),
          over(Operator::min, f64),
          over(Operator::sum, i32, i32),
          over(Operator::max, i32),
          over(Operator::sum, u32, u32),
          over(Operator::sum, i64),
          over(Operator::sum, i16, i32),
          over(Operator::sum, i8, i32),
          over(Operator::sum, u8, u64),
          over(Operator::sum, f16, f32),
          over(Operator::max, f16),
          over(Operator::argmin, f16),
          over(Operator::sum, bf16, f32),
          over(Operator::max, bf16),
          over(Operator::all, f32),
          over(Operator::any, f32),
          over(Operator::count_nonzero, f32),
          over(Operator::dot, f32),
          squared_distance(),
          over(Operator::dot, f16, f32),
          histogram(u8, Binning::key, Distribution::uniform),
          histogram(u8, Binning::key, Distribution::zipf),
          histogram(u8, Binning::key, Distribution::constant),
          histogram(f32, Binning::even, Distribution::uniform)};
}

// What cases are asked for by.

std::string text_of_field(const Case& one, std::string_view name) {
  const Problem& problem = one.workload.problem;
  for (const Field& field : problem.family().fields()) {
    if (field.name == name) return problem.family().text(problem, field);
  }
  return {};
}

struct Criterion {
  std::string_view option;
  std::vector<std::string> CaseFilter::*wanted;
  std::string (*of)(const Case& one);
};

const Criterion kCriteria[] = {
    {"family", &CaseFilter::families,
     [](const Case& one) { return std::string(one.workload.problem.family().name()); }},
    {"op", &CaseFilter::operators, [](const Case& one) { return text_of_field(one, "op"); }},
    {"type", &CaseFilter::types, [](const Case& one) { return text_of_field(one, "type"); }},
    {"direction", &CaseFilter::directions, [](const Case& one) { return one.direction; }},
};

/// Whether the item is wanted.
template <class T>
bool is_wanted(const std::vector<T>& wanted, const T& item) {
  return wanted.empty() || std::ranges::count(wanted, item) > 0;
}

/// Leaves the cases that have one of the items.
void keep(std::vector<Case>& cases, const CaseFilter& filter, const Criterion& criterion) {
  const std::vector<std::string>& wanted = filter.*criterion.wanted;
  std::set<std::string> there;
  for (const Case& one : cases) there.insert(criterion.of(one));
  there.erase("");
  for (const std::string& item : wanted) {
    if (there.contains(item)) continue;
    throw InvalidArgument(fmt::format("no case has --{} {}; there is {}", criterion.option, item,
                                      fmt::join(there, ", ")));
  }
  std::erase_if(cases, [&](const Case& one) { return !is_wanted(wanted, criterion.of(one)); });
}

void keep_named(std::vector<Case>& cases, const std::vector<std::string>& texts) {
  std::vector<std::string> wanted;
  for (const std::string& text : texts) {
    const bool is_name = std::ranges::count(cases, text, &Case::name) > 0;
    const auto matches = [&](const Case& one) {
      return is_name ? one.name == text : one.name.find(text) != std::string::npos;
    };
    const std::size_t before = wanted.size();
    std::string names;
    for (const Case& one : cases) {
      if (matches(one)) wanted.push_back(one.name);
      names += "\n  " + one.name;
    }
    if (wanted.size() == before) {
      throw InvalidArgument(fmt::format("no case is named like '{}'; there are{}", text, names));
    }
  }
  std::erase_if(cases, [&](const Case& one) { return !is_wanted(wanted, one.name); });
}

/// Elements of a result, on average.
std::uint64_t length(const Problem& problem, const Shape& shape) {
  constexpr std::size_t kOutput = 0;
  constexpr std::size_t kInput = 1;
  const Family& family = problem.family();
  return family.elements(problem, kInput, shape) / family.elements(problem, kOutput, shape);
}

/// Leaves the shapes whose results are of these lengths, and no case without one.
void keep_lengths(std::vector<Case>& cases, const std::vector<std::uint64_t>& lengths) {
  if (lengths.empty()) return;
  for (Case& one : cases) {
    std::erase_if(one.shapes, [&](const Shape& shape) {
      return !is_wanted(lengths, length(one.workload.problem, shape));
    });
  }
  std::erase_if(cases, [](const Case& one) { return one.shapes.empty(); });
}

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> cases = count_cases();
  std::ranges::move(row_histogram_cases(), std::back_inserter(cases));
  std::ranges::move(axis_cases(), std::back_inserter(cases));
  std::ranges::move(segment_cases(), std::back_inserter(cases));
  return cases;
}

std::vector<Case> find_cases(const CaseFilter& filter) {
  std::vector<Case> cases = all_cases();
  for (const Criterion& criterion : kCriteria) keep(cases, filter, criterion);
  if (filter.names.empty() && filter.directions.empty()) std::erase_if(cases, is_extra);
  keep_named(cases, filter.names);
  std::erase_if(cases, [&](const Case& one) { return !is_wanted(filter.sizes, one.elements); });
  keep_lengths(cases, filter.lengths);
  if (cases.empty()) {
    throw InvalidArgument(
        "no case has these sizes and lengths; --list shows which cases there are");
  }
  return cases;
}

std::string tune_options(const Case& one) {
  const Problem& problem = one.workload.problem;
  std::vector<std::string> shapes;
  for (const Shape& shape : one.shapes) shapes.push_back(to_text(problem.family(), shape));
  std::string text =
      fmt::format("--family {} --op {} --type {} --shape {}", problem.family().name(),
                  text_of_field(one, "op"), text_of_field(one, "type"), fmt::join(shapes, ","));
  for (const std::string_view field : {"counter", "lengths", "distribution"}) {
    const std::string value = text_of_field(one, field);
    if (!value.empty()) text += fmt::format(" --{} {}", field, value);
  }
  return text;
}

}  // namespace foldtune::bench
