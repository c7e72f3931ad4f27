#include "templates/fold/judge/operator_laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "templates/catalog.h"
#include "templates/fold/custom_source.h"
#include "templates/fold/judge/reference.h"
#include "tuner/verify/elements.h"

namespace foldtune {
namespace {

/// kMaxTried of the kernel.
constexpr std::size_t kMaxTried = 6;

/// Roundings of a few combinations.
constexpr double kRoundings = 16;

/// Different elements, spread over the array.
std::vector<std::uint64_t> choose_indices(std::uint64_t count) {
  const std::size_t tried = std::min<std::uint64_t>(count, kMaxTried);
  std::vector<std::uint64_t> indices;
  for (std::size_t i = 0; i < tried; ++i) {
    indices.push_back(i == 0 ? 0 : (count - 1) / (tried - 1) * i);
  }
  return indices;
}

std::size_t result_count(std::size_t tried) {
  const std::size_t pairs = tried < 2 ? 0 : tried * (tried - 1);
  const std::size_t triples = tried < 3 ? 0 : pairs * (tried - 2);
  return 3 * tried + pairs + 2 * triples;
}

/// Compares what the kernel wrote, in the order in which it wrote it.
class Laws {
 public:
  Laws(const CustomOperator& op, std::vector<std::uint64_t> indices, std::vector<std::byte> results)
      : op_(op), indices_(std::move(indices)), results_(std::move(results)) {
    tolerance_ = op.tolerance;
    for (const AccumulatorField& field : op.accumulator) take_roundings(field.type);
    take_roundings(op.result);
  }

  std::string find_fault() {
    std::string fault = find_fault_of_identity();
    if (fault.empty()) fault = find_fault_of_pairs();
    if (fault.empty()) fault = find_fault_of_triples();
    return fault;
  }

 private:
  void take_roundings(ElementType type) {
    if (!is_floating(type)) return;
    has_floating_ = true;
    tolerance_ = std::max(tolerance_, kRoundings * static_cast<double>(unit_roundoff(type)));
  }

  const std::byte* next() { return results_.data() + size_of(op_.result) * next_++; }

  Number number(const std::byte* result) const { return read_number(op_.result, result); }
  std::string text(const std::byte* result) const { return format_number_of(op_.result, result); }

  static bool is_finite(const Number& number) {
    return number.is_integer || std::isfinite(number.floating);
  }

  /// `rounds`: the operands were rounded in different ways on the way here.
  bool is_equal(const Number& a, const Number& b, bool rounds) const {
    if (!a.is_integer) {
      const long double apart = std::fabs(a.floating - b.floating);
      return apart <=
             tolerance_ * std::max({largest_, std::fabs(a.floating), std::fabs(b.floating)});
    }
    // The next integer, where a rounded number became one.
    const std::uint64_t apart = std::min(a.integer - b.integer, b.integer - a.integer);
    return apart == 0 || (apart == 1 && rounds && has_floating_);
  }

  void note_magnitude(const Number& number) {
    if (!number.is_integer && is_finite(number)) {
      largest_ = std::max(largest_, std::fabs(number.floating));
    }
  }

  std::string find_fault_of_identity() {
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      const std::byte* const alone = next();
      const Number expected = number(alone);
      is_usable_.push_back(is_finite(expected));
      const std::array sides{next(), next()};
      if (!is_usable_.back()) continue;
      for (std::size_t side = 0; side < sides.size(); ++side) {
        const Number got = number(sides.at(side));
        largest_ = 0;
        if (is_finite(got) && is_equal(got, expected, /*rounds=*/false)) continue;
        return fmt::format(
            "its identity is not neutral: element {} alone gives {}, and combine({}) gives {}",
            indices_[i], text(alone), side == 0 ? "identity, element" : "element, identity",
            text(sides.at(side)));
      }
    }
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      note_magnitude(number(results_.data() + size_of(op_.result) * 3 * i));
    }
    return {};
  }

  std::string find_fault_of_pairs() {
    const std::size_t tried = indices_.size();
    const std::size_t begin = next_;
    const auto pair = [&](std::size_t i, std::size_t j) {
      return results_.data() +
             size_of(op_.result) * (begin + i * (tried - 1) + (j < i ? j : j - 1));
    };
    for (std::size_t i = 0; i < tried; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        next_ += 2;
        const Number ab = number(pair(j, i));
        const Number ba = number(pair(i, j));
        note_magnitude(ab);
        note_magnitude(ba);
        const bool tells = is_usable_[i] && is_usable_[j] && is_finite(ab) && is_finite(ba);
        if (!tells || is_equal(ab, ba, /*rounds=*/true)) continue;
        return fmt::format(
            "its combine is not commutative: combine(a, b) of the elements {} and {} gives {}, and "
            "combine(b, a) gives {}",
            indices_[j], indices_[i], text(pair(j, i)), text(pair(i, j)));
      }
    }
    return {};
  }

  std::string find_fault_of_triples() {
    const std::size_t tried = indices_.size();
    for (std::size_t i = 0; i < tried; ++i) {
      for (std::size_t j = 0; j < tried; ++j) {
        for (std::size_t k = 0; k < tried; ++k) {
          if (i == j || j == k || i == k) continue;
          const std::byte* const left = next();
          const std::byte* const right = next();
          const Number a = number(left);
          const Number b = number(right);
          const bool tells =
              is_usable_[i] && is_usable_[j] && is_usable_[k] && is_finite(a) && is_finite(b);
          if (!tells || is_equal(a, b, /*rounds=*/true)) continue;
          return fmt::format(
              "its combine is not associative: combine(combine(a, b), c) of the elements {}, {} "
              "and {} gives {}, and combine(a, combine(b, c)) gives {}",
              indices_[i], indices_[j], indices_[k], text(left), text(right));
        }
      }
    }
    return {};
  }

  const CustomOperator& op_;
  std::vector<std::uint64_t> indices_;
  std::vector<std::byte> results_;
  std::size_t next_ = 0;
  std::vector<bool> is_usable_;  ///< which elements alone give a finite number
  long double largest_ = 0;      ///< magnitude of what elements and pairs give
  double tolerance_ = 0;
  bool has_floating_ = false;
};

}  // namespace

Program make_law_program(const Reduction& reduction) {
  Program program;
  program.source = "#include \"templates/fold/laws.cuh\"\n" + custom_source(*reduction.custom);
  program.name_expressions.push_back(
      fmt::format("foldtune::combine_in_every_order<foldtune::CustomOperator, {}>",
                  device_name(reduction.custom->result)));
  return program;
}

std::string find_law_fault(Device& device, const Reduction& reduction,
                           std::span<const void* const> inputs, const CompiledKernel& compiled) {
  if (reduction.count == 0) return {};
  std::vector<std::uint64_t> indices = choose_indices(reduction.count);
  std::vector<std::byte> results(result_count(indices.size()) * size_of(reduction.custom->result));
  const DeviceBuffer device_indices(device, indices.size() * sizeof(std::uint64_t));
  const DeviceBuffer device_results(device, results.size());
  device.copy(device_indices.data(), indices.data(), device_indices.size());

  std::array<const void*, kMaxInputs> pointers{};
  std::ranges::copy(inputs, pointers.begin());
  const void* index_argument = device_indices.data();
  auto count = static_cast<std::uint32_t>(indices.size());
  void* result_argument = device_results.data();
  Launch launch;
  launch.pass(pointers.data(), &index_argument, &count, &result_argument);
  const std::unique_ptr<Kernel> kernel = device.load(compiled);
  kernel->launch(launch, nullptr);
  device.synchronize(nullptr);
  device.copy(results.data(), device_results.data(), results.size());
  std::string fault = Laws(*reduction.custom, std::move(indices), std::move(results)).find_fault();
  if (fault.empty()) return {};
  return fmt::format("{}: {}; elements are combined in any order, so the result would depend on it",
                     reduction.custom->name, fault);
}

}  // namespace foldtune
