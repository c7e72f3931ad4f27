#include "templates/family.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <stdexcept>

namespace foldtune {

double apart(const Problem& a, const Problem& b) {
  double apart = 0;
  for (const Field& field : a.family().fields()) {
    if (a.get(field) != b.get(field)) apart += field.apart;
  }
  return apart;
}

std::string Family::text(const Problem& problem, const Field& field) const {
  const int value = problem.get(field);
  if (field.labels.empty()) return std::to_string(value);
  return std::string(field.labels[static_cast<std::size_t>(value)]);
}

bool Family::parse(Problem& problem, const Field& field, std::string_view text) const {
  if (field.labels.empty()) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    if (!is_number || value < field.least || value > field.most) return false;
    problem.set(field, value);
    return true;
  }
  const auto label = std::ranges::find(field.labels, text);
  if (label == field.labels.end()) return false;
  problem.set(field, static_cast<int>(label - field.labels.begin()));
  return true;
}

Bucket Family::bucket(const Shape& shape) const {
  Bucket bucket;
  for (std::size_t i = 0; i < extents().size(); ++i) {
    bucket.classes[i] = static_cast<std::int16_t>(size_class(shape[i]));
  }
  return bucket;
}

Shape Family::max_shape(const Bucket& bucket) const {
  Shape shape;
  for (std::size_t i = 0; i < extents().size(); ++i) {
    shape[i] = max_of_size_class(bucket.classes[i]);
  }
  return shape;
}

Shape Family::min_shape(const Bucket& bucket) const {
  Shape shape;
  for (std::size_t i = 0; i < extents().size(); ++i) {
    const int size_class = bucket.classes[i];
    shape[i] = size_class == 0 ? 1 : max_of_size_class(size_class - 1) + 1;
  }
  return shape;
}

std::span<const std::string_view> Family::layouts() const {
  static constexpr std::array<std::string_view, 1> kLayouts{"any"};
  return kLayouts;
}

std::optional<int> Family::distance(const Bucket& a, const Bucket& b) const {
  constexpr int kFarthest = kClassesOfOctave;
  int distance = 0;
  for (std::size_t i = 0; i < extents().size(); ++i) {
    distance = std::max(distance, std::abs(a.classes[i] - b.classes[i]));
  }
  return distance <= kFarthest ? std::optional(distance) : std::nullopt;
}

std::uint64_t input_bytes(const Workload& workload) {
  const Family& family = workload.problem.family();
  const std::vector<Argument> arguments = family.arguments(workload.problem);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].access != Access::input) continue;
    if (arguments[i].is_table && !arguments[i].follows_shape) continue;
    bytes += family.elements(workload.problem, i, workload.shape) * arguments[i].element_bytes;
  }
  return bytes;
}

int usual_layout(const Problem& problem, const Shape& shape) {
  // No address is read: where it is counts.
  alignas(256) static std::byte place[1];
  const Family& family = problem.family();
  const std::vector<Argument> arguments = family.arguments(problem);
  Call call{.shape = shape, .arguments = {}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].access != Access::scalar) call.arguments[i] = place;
  }
  return family.layout(problem, call);
}

std::size_t output_place(const Problem& problem) {
  const std::vector<Argument> arguments = problem.family().arguments(problem);
  const auto output = std::ranges::find(arguments, Access::output, &Argument::access);
  if (output == arguments.end()) throw std::logic_error("calls of a family without an output");
  return static_cast<std::size_t>(output - arguments.begin());
}

std::size_t output_bytes(const Workload& workload) {
  const Family& family = workload.problem.family();
  const std::size_t place = output_place(workload.problem);
  return family.elements(workload.problem, place, workload.shape) *
         family.arguments(workload.problem)[place].element_bytes;
}

bool takes_64_bits(std::uint64_t extent) {
  // 2^30.5 is far enough below 2^32 for a grid of tiles.
  constexpr int kLast = 30 * kClassesOfOctave + kClassesOfOctave / 2;
  return size_class(extent) > kLast;
}

Program make_program(const Variant& variant) { return variant.params.family().program(variant); }

}  // namespace foldtune
