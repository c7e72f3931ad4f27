/// Arithmetic over named integers, as descriptions of kernels write it: "(n + block_size - 1) /
/// block_size".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foldtune {

/// In the order of C, and with its words: || && == != < <= > >= + - * / % ! - and brackets, of
/// numbers, names, and min(a, b), max(a, b), ceil_div(a, b). All are integers of 64 bits; a
/// comparison is 1 or 0, and the right of || and && is computed only if it decides. A value type;
/// evaluating allocates nothing.
class Expression {
 public:
  /// 0.
  Expression() : Expression("0", {}) {}
  /// `names` are those that it may use, whose places `evaluate` goes by. Throws
  /// std::invalid_argument, which says what is wrong and where.
  Expression(std::string_view text, std::span<const std::string> names);

  /// `values` in the order of the names. Throws std::domain_error for a division by 0 or a number
  /// that 64 bits do not hold.
  std::int64_t evaluate(std::span<const std::int64_t> values) const;

  const std::string& text() const { return text_; }

 private:
  friend class ExpressionParser;

  enum class Step : std::uint8_t {
    number,
    name,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    negate,
    invert,
    equal,
    unequal,
    less,
    less_equal,
    skip_if_zero,     ///< of &&: leaves 0 and goes on `operand` steps later, else drops the left
    skip_if_nonzero,  ///< the same of ||, which leaves 1
    truth,            ///< 0 or 1
    min,
    max,
    ceil_div,
  };
  /// Of a stack machine.
  struct Instruction {
    Step step;
    std::int64_t operand = 0;  ///< the number, the place of the name, or how many steps to skip
  };

  std::string text_;
  std::vector<Instruction> steps_;
};

}  // namespace foldtune
