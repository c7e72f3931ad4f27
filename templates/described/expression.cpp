#include "templates/described/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace foldtune {
namespace {

/// Deeper ones are nobody's.
constexpr std::size_t kMaxStack = 64;

/// Of brackets and signs in one another, so that no text exhausts the stack of the process.
constexpr int kMaxDepth = 32;

std::int64_t checked(bool overflows, std::int64_t value) {
  if (overflows) throw std::domain_error("a number is too large for 64 bits");
  return value;
}

std::int64_t minus(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const bool overflows = __builtin_sub_overflow(a, b, &result);
  return checked(overflows, result);
}

std::int64_t divided(std::int64_t a, std::int64_t b) {
  if (b == 0) throw std::domain_error("division by 0");
  return b == -1 ? minus(0, a) : a / b;
}

}  // namespace

/// By recursive descent; a step of the stack machine follows its operands.
class ExpressionParser {
 public:
  ExpressionParser(Expression& expression, std::span<const std::string> names)
      : expression_(expression), rest_(expression.text_), names_(names) {}

  void parse() {
    parse_binary(0);
    skip_spaces();
    if (!rest_.empty()) fail("an operator or the end");
  }

 private:
  using Step = Expression::Step;

  struct Binary {
    std::string_view text;
    int precedence;
    Step step;
    bool swaps;  ///< a > b is b < a
  };
  // The longer ones first, where one begins with another.
  static constexpr Binary kBinaries[] = {
      {"||", 1, Step::truth, false},      {"&&", 2, Step::truth, false},
      {"==", 3, Step::equal, false},      {"!=", 3, Step::unequal, false},
      {"<=", 4, Step::less_equal, false}, {">=", 4, Step::less_equal, true},
      {"<", 4, Step::less, false},        {">", 4, Step::less, true},
      {"+", 5, Step::add, false},         {"-", 5, Step::subtract, false},
      {"*", 6, Step::multiply, false},    {"/", 6, Step::divide, false},
      {"%", 6, Step::remainder, false}};

  struct Function {
    std::string_view name;
    Step step;
  };
  static constexpr Function kFunctions[] = {
      {"min", Step::min}, {"max", Step::max}, {"ceil_div", Step::ceil_div}};

  [[noreturn]] void fail(std::string_view expected) const {
    throw std::invalid_argument(
        fmt::format("the expression '{}' has {} where it needs {}", expression_.text_,
                    rest_.empty() ? std::string("its end") : fmt::format("'{}'", rest_), expected));
  }

  void skip_spaces() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }
  bool take(std::string_view text) {
    skip_spaces();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  void require(std::string_view text) {
    if (!take(text)) fail(fmt::format("'{}'", text));
  }
  void add(Step step, std::int64_t operand = 0) { expression_.steps_.push_back({step, operand}); }

  const Binary* take_binary(int at_least) {
    skip_spaces();
    for (const Binary& binary : kBinaries) {
      if (!rest_.starts_with(binary.text)) continue;
      if (binary.precedence < at_least) return nullptr;
      rest_.remove_prefix(binary.text.size());
      return &binary;
    }
    return nullptr;
  }

  /// Operators of this precedence and above, from left to right.
  void parse_binary(int at_least) {
    const std::size_t left = expression_.steps_.size();
    parse_unary();
    while (const Binary* const binary = take_binary(at_least)) {
      const bool may_skip = binary->step == Step::truth;
      if (may_skip) add(binary->text == "&&" ? Step::skip_if_zero : Step::skip_if_nonzero);
      const auto right = static_cast<std::ptrdiff_t>(expression_.steps_.size());
      parse_binary(binary->precedence + 1);
      // Over the right and the step `truth`. It is relative, so that steps can be rotated.
      const auto skipped = static_cast<std::ptrdiff_t>(expression_.steps_.size()) - right + 1;
      if (may_skip) expression_.steps_[static_cast<std::size_t>(right) - 1].operand = skipped;
      const auto begin = expression_.steps_.begin();
      if (binary->swaps) {
        std::rotate(begin + static_cast<std::ptrdiff_t>(left), begin + right,
                    expression_.steps_.end());
      }
      add(binary->step);
    }
  }

  void parse_unary() {
    if (++depth_ > kMaxDepth) fail("fewer brackets and signs in one another");
    if (take("-")) {
      parse_unary();
      add(Step::negate);
    } else if (take("!")) {
      parse_unary();
      add(Step::invert);
    } else if (take("(")) {
      parse_binary(0);
      require(")");
    } else {
      parse_operand();
    }
    --depth_;
  }

  void parse_operand() {
    skip_spaces();
    if (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_.front())) != 0) {
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc()) fail("a number of at most 64 bits");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      return add(Step::number, number);
    }
    const auto end = std::ranges::find_if_not(
        rest_, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    const std::string_view name = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    if (name.empty()) fail("a number or a name");
    if (const auto known = std::ranges::find(names_, name); known != names_.end()) {
      rest_.remove_prefix(name.size());
      return add(Step::name, known - names_.begin());
    }
    const auto* const function = std::ranges::find(kFunctions, name, &Function::name);
    if (function == std::end(kFunctions)) {
      fail(fmt::format("one of the names {}", fmt::join(names_, ", ")));
    }
    rest_.remove_prefix(name.size());
    require("(");
    parse_binary(0);
    require(",");
    parse_binary(0);
    require(")");
    add(function->step);
  }

  Expression& expression_;
  std::string_view rest_;
  std::span<const std::string> names_;
  int depth_ = 0;
};

Expression::Expression(std::string_view text, std::span<const std::string> names) : text_(text) {
  ExpressionParser(*this, names).parse();
  std::size_t depth = 0;
  for (const Instruction& instruction : steps_) {
    if (instruction.step == Step::number || instruction.step == Step::name) {
      if (++depth > kMaxStack)
        throw std::invalid_argument("the expression '" + text_ + "' is too long");
    } else if (instruction.step != Step::negate && instruction.step != Step::invert &&
               instruction.step != Step::truth) {
      --depth;
    }
  }
}

std::int64_t Expression::evaluate(std::span<const std::int64_t> values) const {
  std::array<std::int64_t, kMaxStack> stack;
  std::size_t size = 0;
  for (std::size_t next = 0; next < steps_.size();) {
    const Instruction& instruction = steps_[next++];
    switch (instruction.step) {
      case Step::number:
        stack[size++] = instruction.operand;
        continue;
      case Step::name:
        stack[size++] = values[static_cast<std::size_t>(instruction.operand)];
        continue;
      case Step::negate:
        stack[size - 1] = minus(0, stack[size - 1]);
        continue;
      case Step::invert:
        stack[size - 1] = stack[size - 1] == 0 ? 1 : 0;
        continue;
      case Step::truth:
        stack[size - 1] = stack[size - 1] != 0 ? 1 : 0;
        continue;
      case Step::skip_if_zero:
      case Step::skip_if_nonzero: {
        const bool is_zero = stack[size - 1] == 0;
        if (is_zero != (instruction.step == Step::skip_if_zero)) {
          --size;
          continue;
        }
        stack[size - 1] = is_zero ? 0 : 1;
        next += static_cast<std::size_t>(instruction.operand);
        continue;
      }
      default:
        break;
    }
    const std::int64_t b = stack[--size];
    std::int64_t& a = stack[size - 1];
    std::int64_t result = 0;
    bool overflows = false;
    switch (instruction.step) {
      case Step::add:
        overflows = __builtin_add_overflow(a, b, &result);
        a = checked(overflows, result);
        break;
      case Step::subtract:
        a = minus(a, b);
        break;
      case Step::multiply:
        overflows = __builtin_mul_overflow(a, b, &result);
        a = checked(overflows, result);
        break;
      case Step::divide:
        a = divided(a, b);
        break;
      case Step::remainder:
        a = b == -1 ? 0 : a - divided(a, b) * b;
        break;
      case Step::equal:
        a = a == b ? 1 : 0;
        break;
      case Step::unequal:
        a = a != b ? 1 : 0;
        break;
      case Step::less:
        a = a < b ? 1 : 0;
        break;
      case Step::less_equal:
        a = a <= b ? 1 : 0;
        break;
      case Step::min:
        a = std::min(a, b);
        break;
      case Step::max:
        a = std::max(a, b);
        break;
      default: {  // ceil_div
        const std::int64_t quotient = divided(a, b);
        const bool is_exact = b == -1 || a % b == 0;
        a = quotient + (!is_exact && (a < 0) == (b < 0) ? 1 : 0);
        break;
      }
    }
  }
  return stack[0];
}

}  // namespace foldtune
