#include "bench/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "foldtune/error.h"
#include "foldtune/reduction.h"
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

}  // namespace

/// Those of the same elements together, since the memory that they are measured on is made anew for
/// others.
std::vector<Case> all_cases() {
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

std::vector<Case> find_cases(const std::vector<std::string>& texts) {
  const std::vector<Case> all = all_cases();
  if (texts.empty()) return all;
  std::vector<bool> wanted(all.size());
  for (const std::string& text : texts) {
    const bool is_name = std::ranges::count(all, text, &Case::name) > 0;
    const auto matches = [&](const Case& one) {
      return is_name ? one.name == text : one.name.find(text) != std::string::npos;
    };
    if (std::ranges::none_of(all, matches)) {
      std::string names;
      for (const Case& one : all) names += "\n  " + one.name;
      throw InvalidArgument(fmt::format("no case is named like '{}'; there are{}", text, names));
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (matches(all[i])) wanted[i] = true;
    }
  }
  std::vector<Case> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (wanted[i]) found.push_back(all[i]);
  }
  return found;
}

}  // namespace foldtune::bench
