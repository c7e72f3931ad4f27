#include "foldtune/catalog.h"

#include <array>

namespace foldtune {
namespace {

struct OperatorRow {
  Operator op;
  std::string_view name;
  std::string_view device_name;
  bool rounds;  ///< whether combining two floating-point values rounds
};
constexpr std::array kOperatorRows{
    OperatorRow{Operator::sum, "sum", "foldtune::Sum", true},
    OperatorRow{Operator::min, "min", "foldtune::Min", false},
    OperatorRow{Operator::max, "max", "foldtune::Max", false},
};

struct TypeRow {
  ElementType type;
  std::string_view name;
  std::string_view device_name;
  std::size_t size;
  bool floating;
};
constexpr std::array kTypeRows{
    TypeRow{ElementType::i32, "i32", "int", 4, false},
    TypeRow{ElementType::i64, "i64", "long long", 8, false},
    TypeRow{ElementType::f32, "f32", "float", 4, true},
    TypeRow{ElementType::f64, "f64", "double", 8, true},
};

constexpr std::array kOperators = [] {
  std::array<Operator, kOperatorRows.size()> operators{};
  for (std::size_t i = 0; i < operators.size(); ++i) operators[i] = kOperatorRows[i].op;
  return operators;
}();
constexpr std::array kElementTypes{ElementType::i32, ElementType::f32, ElementType::f64};
constexpr std::array<std::string_view, 3> kDeterminismNames{"any", "run_to_run",
                                                            "config_independent"};
constexpr std::array<std::string_view, 2> kAlignmentNames{"vector", "element"};

constexpr const OperatorRow& row(Operator op) { return kOperatorRows[static_cast<int>(op)]; }
constexpr const TypeRow& row(ElementType type) { return kTypeRows[static_cast<int>(type)]; }

// The rows are indexed by their enumerator.
static_assert([] {
  for (const OperatorRow& r : kOperatorRows) {
    if (&row(r.op) != &r) return false;
  }
  for (const TypeRow& r : kTypeRows) {
    if (&row(r.type) != &r) return false;
  }
  return true;
}());

}  // namespace

std::string_view name(Family) { return "reduce"; }
std::string_view name(Operator op) { return row(op).name; }
std::string_view name(ElementType type) { return row(type).name; }
std::string_view name(Determinism determinism) {
  return kDeterminismNames[static_cast<int>(determinism)];
}
std::string_view name(Alignment alignment) { return kAlignmentNames[static_cast<int>(alignment)]; }

std::optional<Operator> parse_operator(std::string_view text) {
  for (const OperatorRow& r : kOperatorRows) {
    if (r.name == text) return r.op;
  }
  return std::nullopt;
}

std::optional<ElementType> parse_element_type(std::string_view text) {
  for (const TypeRow& r : kTypeRows) {
    if (r.name == text) return r.type;
  }
  return std::nullopt;
}

std::optional<Determinism> parse_determinism(std::string_view text) {
  for (std::size_t i = 0; i < kDeterminismNames.size(); ++i) {
    if (kDeterminismNames[i] == text) return static_cast<Determinism>(i);
  }
  return std::nullopt;
}

std::span<const Operator> operators() { return kOperators; }
std::span<const ElementType> element_types() { return kElementTypes; }

std::size_t size_of(ElementType type) { return row(type).size; }
bool is_floating(ElementType type) { return row(type).floating; }
std::string_view device_name(ElementType type) { return row(type).device_name; }
std::string_view device_name(Operator op) { return row(op).device_name; }

bool depends_on_order(Operator op, ElementType accumulator) {
  return row(op).rounds && is_floating(accumulator);
}

ElementType default_accumulator(Operator op, ElementType element) {
  if (op == Operator::sum && element == ElementType::i32) return ElementType::i64;
  return element;
}

bool accumulates_in(Operator op, ElementType element, ElementType accumulator) {
  if (element == accumulator) return true;
  return op == Operator::sum && is_floating(element) == is_floating(accumulator) &&
         size_of(accumulator) >= size_of(element);
}

}  // namespace foldtune
