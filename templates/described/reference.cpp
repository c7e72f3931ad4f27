#include "templates/described/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "foldtune/catalog.h"

namespace foldtune {
namespace {

/// The problems that are looked at when a family is read. More than any family has; the rest is
/// looked at when it is asked for.
constexpr int kMostProblems = 10'000;

/// The text with the values of the fields in the places of their names, once: a value may have
/// brackets of its own.
std::string with_values(std::string_view text, const Problem& problem) {
  std::string result;
  while (!text.empty()) {
    const auto field = std::ranges::find_if(problem.family().fields(), [&](const Field& one) {
      return text.starts_with(fmt::format("{{{}}}", one.name));
    });
    if (field == problem.family().fields().end()) {
      result += text.front();
      text.remove_prefix(1);
      continue;
    }
    result += problem.family().text(problem, *field);
    text.remove_prefix(field->name.size() + 2);
  }
  return result;
}

/// The places of the inputs among the arguments, in their order.
std::vector<std::size_t> input_places(const std::vector<Argument>& arguments) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].access == Access::input) places.push_back(i);
  }
  return places;
}

std::string find_type_fault(std::string_view what, ElementType own, ElementType other) {
  if (own == other) return {};
  return fmt::format("{} is {}, and its reference's is {}", what, name(own), name(other));
}

/// Inputs that the reference has besides are tables, such as the edges of bins. Whether they are
/// empty is a matter of the shape.
std::string find_input_fault(const std::vector<Argument>& own, const std::vector<Argument>& other) {
  const std::vector<std::size_t> places = input_places(own);
  const std::vector<std::size_t> others = input_places(other);
  const auto needed =
      std::ranges::count_if(others, [&](std::size_t place) { return !other[place].is_table; });
  if (places.size() > others.size() || static_cast<std::ptrdiff_t>(places.size()) < needed) {
    return fmt::format("it has {} inputs, and its reference {}", places.size(), needed);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Argument& argument = own[places[i]];
    std::string fault = find_type_fault(fmt::format("the type of '{}'", argument.name),
                                        argument.type, other[others[i]].type);
    if (!fault.empty()) return fault;
  }
  return {};
}

}  // namespace

std::optional<Problem> reference_of(const DescribedFamily& family, const Problem& problem) {
  const auto& described = family.description().reference;
  if (!described) return std::nullopt;
  const Family* const other = find_family(described->family);
  if (other == nullptr) {
    throw std::invalid_argument(
        fmt::format("the reference: there is no family '{}'", described->family));
  }
  const std::string text = with_values(described->problem, problem);
  std::optional<Problem> reference = problem_of(*other, text);
  if (!reference) {
    throw std::invalid_argument(
        fmt::format("the reference: {} has no problem '{}'", other->name(), text));
  }
  if (const std::string fault = find_fault(*reference); !fault.empty()) {
    throw std::invalid_argument(
        fmt::format("the reference: {} of {}: {}", text, other->name(), fault));
  }
  return reference;
}

std::size_t reference_place(const Problem& problem, const Problem& reference,
                            std::size_t argument) {
  const auto own = input_places(problem.family().arguments(problem));
  const auto number = static_cast<std::size_t>(std::ranges::find(own, argument) - own.begin());
  return input_places(reference.family().arguments(reference)).at(number);
}

std::string find_reference_fault(const DescribedFamily& family, const Problem& problem) {
  try {
    const std::optional<Problem> reference = reference_of(family, problem);
    if (!reference) return {};
    const std::vector<Argument> own = family.arguments(problem);
    const std::vector<Argument> other = reference->family().arguments(*reference);
    if (std::string fault = find_input_fault(own, other); !fault.empty()) return fault;
    const Argument& output = other[output_place(*reference)];
    // A number with its index is what no type of a description is: then the bytes have to do.
    if (output.element_bytes != size_of(output.type)) return {};
    return find_type_fault("the type of its result", own[output_place(problem)].type, output.type);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

Shape reference_shape(const Family& family, const Problem& reference, const Shape& shape) {
  return parse_shape(reference.family(), to_text(family, shape)).value_or(shape);
}

std::string find_reference_fault(const DescribedFamily& family, const Problem& problem,
                                 const Shape& shape) {
  const std::optional<Problem> reference = reference_of(family, problem);
  if (!reference) return {};
  const Family& other = reference->family();
  const Shape of_other = reference_shape(family, *reference, shape);
  if (std::string fault = other.find_fault(*reference, of_other); !fault.empty()) {
    return fmt::format("its reference: {}", fault);
  }
  const std::vector<std::size_t> places = input_places(family.arguments(problem));
  const std::vector<std::size_t> others = input_places(other.arguments(*reference));
  for (std::size_t i = 0; i < others.size(); ++i) {
    const std::uint64_t own = i < places.size() ? family.elements(problem, places[i], shape) : 0;
    const std::uint64_t needed = other.elements(*reference, others[i], of_other);
    if (own == needed) continue;
    return fmt::format("its input {} has {} elements, and its reference's {}", i, own, needed);
  }
  const std::size_t own = output_bytes({.problem = problem, .shape = shape});
  const std::size_t needed = output_bytes({.problem = *reference, .shape = of_other});
  if (own == needed) return {};
  return fmt::format("its result has {} bytes, and its reference's {}", own, needed);
}

void require_reference(const DescribedFamily& family) {
  if (!family.description().reference) return;
  Problem problem(family);
  family.complete(problem);  // the first value of each field
  for (int i = 0; i < kMostProblems; ++i) {
    if (const std::string fault = find_reference_fault(family, problem); !fault.empty()) {
      throw std::invalid_argument(fmt::format("{}: {}", family.describe(problem), fault));
    }
    // The next one, as an odometer counts.
    const auto field = std::ranges::find_if(family.fields(), [&](const Field& one) {
      const int next = problem.get(one) + 1;
      const bool is_value = static_cast<std::size_t>(next) < one.labels.size();
      problem.set(one, is_value ? next : 0);
      return is_value;
    });
    if (field == family.fields().end()) return;
  }
}

}  // namespace foldtune
