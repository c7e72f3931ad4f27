// The families of the tree: the one place outside their folders that names them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "templates/family.h"
#include "templates/histogram/space.h"
#include "templates/reduce/space.h"

namespace foldtune {

std::span<const Family* const> families() {
  static const std::array<const Family*, 2> all{&reduce_family(), &histogram_family()};
  return all;
}

const Family* find_family(std::string_view name) {
  const auto all = families();
  const auto found = std::ranges::find(all, name, &Family::name);
  return found == all.end() ? nullptr : *found;
}

const Family& family_of(const Problem& problem) {
  return problem.op == Operator::histogram ? histogram_family() : reduce_family();
}

std::string field_text(const Problem& problem) {
  std::string text;
  for (const Field& field : family_of(problem).fields()) {
    const std::string value = field.get(problem);
    if (!value.empty()) text += fmt::format("{}{}={}", text.empty() ? "" : ",", field.name, value);
  }
  return text;
}

bool set_fields(Problem& problem, std::string_view text) {
  const auto fields = family_of(problem).fields();
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    const auto field = std::ranges::find(fields, item.substr(0, equals), &Field::name);
    if (equals == std::string_view::npos || field == fields.end()) return false;
    if (!field->set(problem, item.substr(equals + 1))) return false;
  }
  return true;
}

bool counts_in_64_bits(const Variant& variant) {
  // The largest count of size class 30 is 2^30.5, far enough below 2^32 for a grid of tiles.
  return size_class(variant.problem.count) > 30;
}

Program make_program(const Variant& variant) { return variant.params.family().program(variant); }

}  // namespace foldtune
