#include "foldtune/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <concepts>
#include <utility>
#include <vector>

#include "templates/enum_rows.h"
#include "templates/family.h"

namespace foldtune {
namespace {

constexpr std::array<std::string_view, 4> kConditionsNames{"cold_graph", "warm_graph",
                                                           "cold_stream", "warm_stream"};

/// 2^(i/4), with 63 bits behind the point, rounded down.
constexpr std::array<std::uint64_t, kClassesOfOctave> kRootsOf2{
    0x8000'0000'0000'0000, 0x9837'F051'8DB8'A96F, 0xB504'F333'F9DE'6484, 0xD744'FCCA'D69D'6AF4};

/// The items between the separators; none of an empty text.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    items.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return items;
    text.remove_prefix(end + 1);
    if (text.empty()) items.emplace_back();
  }
  return items;
}

// What optional extents are that a text leaves out.
constexpr std::uint64_t kLeftOutExtent = 1;
constexpr std::int16_t kLeftOutClass = 0;

/// How many of the family's first numbers a text leaves out.
template <class Number>
std::size_t count_left_out(const Family& family,
                           const std::array<Number, Shape::kMaxExtents>& numbers, Number left_out) {
  const auto* const optional_end = numbers.begin() + family.optional_extents();
  const auto* const first = std::find_if(numbers.begin(), optional_end,
                                         [&](Number number) { return number != left_out; });
  return static_cast<std::size_t>(first - numbers.begin());
}

/// The numbers of the family's extents from `first` on, with an x between them.
template <class Numbers, class ToText>
std::string join(const Family& family, std::size_t first, const Numbers& numbers,
                 const ToText& to_text) {
  std::string text;
  for (std::size_t i = first; i < family.extents().size(); ++i) {
    text += fmt::format("{}{}", i == first ? "" : "x", to_text(numbers[i]));
  }
  return text;
}

template <std::integral Number>
std::optional<std::array<Number, Shape::kMaxExtents>> parse_numbers(const Family& family,
                                                                    std::string_view text,
                                                                    Number left_out) {
  const std::vector<std::string_view> items = split(text, 'x');
  const std::size_t extents = family.extents().size();
  if (items.size() > extents || items.size() < extents - family.optional_extents()) {
    return std::nullopt;
  }
  std::array<Number, Shape::kMaxExtents> numbers{};
  const std::size_t first = extents - items.size();
  std::fill_n(numbers.begin(), first, left_out);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const char* const end = items[i].data() + items[i].size();
    const auto [stop, error] = std::from_chars(items[i].data(), end, numbers[first + i]);
    if (error != std::errc() || stop != end || items[i].front() == '-') return std::nullopt;
  }
  return numbers;
}

/// "2^20", or all digits of what is no power of two.
std::string extent_text(std::uint64_t extent) {
  constexpr std::uint64_t kFewest = 1024;  // less is read more easily as it is
  if (!std::has_single_bit(extent) || extent < kFewest) return fmt::to_string(extent);
  return fmt::format("2^{}", std::countr_zero(extent));
}

}  // namespace

std::string_view name(Conditions conditions) { return row_of(kConditionsNames, conditions); }
std::optional<Conditions> parse_conditions(std::string_view text) {
  return parse_name<Conditions>(kConditionsNames, text);
}
std::span<const std::string_view> conditions_names() { return kConditionsNames; }

Problem::Problem(const Family& family) : family_(&family) {
  for (const Field& field : family.fields()) {
    field.fallback ? set(field, *field.fallback) : clear(field);
  }
}

bool Problem::operator==(const Problem& other) const {
  if (family_ != other.family_ || values_ != other.values_) return false;
  if (custom_ == other.custom_) return true;
  return custom_ != nullptr && other.custom_ != nullptr && custom_->name == other.custom_->name &&
         custom_->hash() == other.custom_->hash();
}

std::string field_text(const Problem& problem) {
  std::string text;
  for (const Field& field : problem.family().fields()) {
    const int value = problem.get(field);
    if (value == Problem::kUnsaid || value == field.fallback) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", field.name,
                        problem.family().text(problem, field));
  }
  return text;
}

std::optional<Problem> problem_of(const Family& family, std::string_view field_text) {
  std::vector<std::string_view> items = split(field_text, ' ');
  Problem problem(family);
  // In the order of the family, since what a value means may depend on those before it.
  for (const Field& field : family.fields()) {
    const auto item = std::ranges::find_if(items, [&](std::string_view one) {
      return one.substr(0, one.find('=')) == field.name && one.size() > field.name.size();
    });
    if (item == items.end()) continue;
    if (!family.parse(problem, field, item->substr(field.name.size() + 1))) return std::nullopt;
    items.erase(item);
  }
  if (!items.empty()) return std::nullopt;
  family.complete(problem);
  const bool is_said = std::ranges::none_of(
      family.fields(), [&](const Field& field) { return problem.get(field) == Problem::kUnsaid; });
  return is_said ? std::optional(std::move(problem)) : std::nullopt;
}

Shape shape_of_count(const Family& family, std::uint64_t count) {
  Shape shape;
  const std::size_t last = family.optional_extents();
  std::fill_n(shape.extents.begin(), last, kLeftOutExtent);
  shape[last] = count;
  return shape;
}

std::size_t first_extent(const Family& family, const Shape& shape) {
  return count_left_out(family, shape.extents, kLeftOutExtent);
}

std::string shape_option(const Family& family, const Shape& shape) {
  const bool is_count = first_extent(family, shape) + 1 == family.extents().size();
  return fmt::format("--{} {}", is_count ? "n" : "shape", to_text(family, shape));
}

std::string describe_shape(const Family& family, std::string_view shape) {
  const auto numbers = static_cast<std::size_t>(std::ranges::count(shape, 'x')) + 1;
  const auto names = family.extents();
  return fmt::format("{} = {}", fmt::join(names.last(std::min(numbers, names.size())), " x "),
                     shape);
}

std::string to_text(const Family& family, const Shape& shape) {
  return join(family, first_extent(family, shape), shape.extents,
              [](std::uint64_t extent) { return extent; });
}
std::string to_text(const Family& family, const Bucket& bucket) {
  return join(family, count_left_out(family, bucket.classes, kLeftOutClass), bucket.classes,
              [](std::int16_t one) { return one; });
}

std::optional<Shape> parse_shape(const Family& family, std::string_view text) {
  const auto extents = parse_numbers(family, text, kLeftOutExtent);
  return extents ? std::optional(Shape{*extents}) : std::nullopt;
}
std::optional<Bucket> parse_bucket(const Family& family, std::string_view text) {
  const auto classes = parse_numbers(family, text, kLeftOutClass);
  return classes ? std::optional(Bucket{*classes}) : std::nullopt;
}

std::string to_string(const Problem& problem) { return problem.family().describe(problem); }

std::string to_string(const Workload& workload) {
  const Family& family = workload.problem.family();
  const bool is_usual = workload.conditions == Conditions::cold_graph;
  return fmt::format(
      "{} {}{}{}", family.describe(workload.problem),
      join(family, first_extent(family, workload.shape), workload.shape.extents, extent_text),
      is_usual ? "" : " ", is_usual ? "" : name(workload.conditions));
}

bool has_known_labels(const Problem& problem) {
  return std::ranges::all_of(problem.family().fields(), [&](const Field& field) {
    const int value = problem.get(field);
    return field.labels.empty() || value == Problem::kUnsaid ||
           (value >= 0 && static_cast<std::size_t>(value) < field.labels.size());
  });
}

std::string find_fault(const Problem& problem) {
  if (!has_known_labels(problem)) return "a number was cast to an enumerator that there is not";
  for (const Field& field : problem.family().fields()) {
    if (problem.get(field) != Problem::kUnsaid) continue;
    return fmt::format("{} has to be said: {}", field.name, field.meaning);
  }
  return problem.family().find_fault(problem);
}

std::string find_fault(const Workload& workload) {
  std::string fault = find_fault(workload.problem);
  if (!fault.empty()) return fault;
  const Family& family = workload.problem.family();
  if (workload.layout < 0 || static_cast<std::size_t>(workload.layout) >= family.layouts().size()) {
    return "a number was cast to a layout that there is not";
  }
  return family.find_fault(workload.problem, workload.shape);
}

int size_class(std::uint64_t extent) {
  if (extent == 0) return 0;
  const int shift = std::countl_zero(extent);
  int size_class = kClassesOfOctave * (63 - shift);
  for (const std::uint64_t root : kRootsOf2) size_class += static_cast<int>(extent << shift > root);
  return size_class;
}

std::uint64_t max_of_size_class(int size_class) {
  const auto place = static_cast<unsigned>(std::max(0, size_class));
  if (place / kClassesOfOctave > 63) return UINT64_MAX;
  return kRootsOf2[place % kClassesOfOctave] >> (63 - place / kClassesOfOctave);
}

}  // namespace foldtune
