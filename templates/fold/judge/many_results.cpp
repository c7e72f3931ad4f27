#include "templates/fold/judge/many_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "templates/fold/operators.h"
#include "tuner/verify/number.h"

namespace foldtune {
namespace {

class PlainestResults final : public Expectation {
 public:
  PlainestResults(std::shared_ptr<const CustomOperator> op, std::vector<std::byte> results)
      : op_(std::move(op)), results_(std::move(results)) {}

  std::string find_difference(std::span<const std::byte> results, const Origin&) const override {
    const ElementType type = op_->result;
    for (std::size_t at = 0; at < results.size(); at += size_of(type)) {
      const void* const found = results.data() + at;
      const void* const plain = results_.data() + at;
      if (std::memcmp(found, plain, size_of(type)) == 0) continue;
      const Number value = read_number(type, found);
      if (!value.is_integer &&
          is_near(value.floating, read_number(type, plain).floating, op_->tolerance)) {
        continue;
      }
      return fmt::format("result {}: the plainest variant gives {}, this one {}",
                         at / size_of(type), format_number_of(type, plain),
                         format_number_of(type, found));
    }
    return {};
  }

 private:
  std::shared_ptr<const CustomOperator> op_;
  std::vector<std::byte> results_;
};

}  // namespace

std::string find_one_difference(const Reduction& part, const void* result,
                                const Reference& reference, long double bound) {
  if (result_shape(part.op) != ResultShape::indexed_value) {
    return find_difference(part, result, reference, bound);
  }
  const ElementType type = part.result_type();
  const auto expected = static_cast<std::int64_t>(reference.index);
  const Number found = read_number(type, result);
  if (static_cast<std::int64_t>(found.integer) == expected) return {};
  return fmt::format("expected index {}, got {}", expected, format_number_of(type, result));
}

std::unique_ptr<Expectation> expect_same_results(std::shared_ptr<const CustomOperator> op,
                                                 std::vector<std::byte> results) {
  return std::make_unique<PlainestResults>(std::move(op), std::move(results));
}

std::string format_results(const Reduction& part, std::span<const std::byte> results) {
  constexpr std::size_t kShown = 8;
  const ElementType type = part.result_type();
  const std::size_t numbers = results.size() / size_of(type);
  std::string text;
  for (std::size_t i = 0; i < std::min(numbers, kShown); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ",
                        format_number_of(type, results.data() + i * size_of(type)));
  }
  if (numbers > kShown) text += fmt::format(", ... ({} numbers)", numbers);
  return text;
}

}  // namespace foldtune
