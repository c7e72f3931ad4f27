#include "templates/described/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <system_error>

#include "templates/described/reference.h"
#include "tuner/verify/number.h"
#include "tuner/verify/random_elements.h"

namespace foldtune {
namespace {

/// The most numbers of a result that a text has.
constexpr std::size_t kShownNumbers = 8;

/// Another family's expectation, of which no configuration of this family is known.
class ResultOfReference final : public Expectation {
 public:
  explicit ResultOfReference(std::unique_ptr<Expectation> expected)
      : expected_(std::move(expected)) {}

  std::string find_difference(std::span<const std::byte> result, const Origin&) const override {
    return expected_->find_difference(result, {});
  }

 private:
  std::unique_ptr<Expectation> expected_;
};

/// Numbers that have to be as near as the description's tolerance says.
class SameNumbers final : public Expectation {
 public:
  SameNumbers(ElementType type, double tolerance, std::vector<std::byte> result)
      : type_(type), tolerance_(tolerance), result_(std::move(result)) {}

  std::string find_difference(std::span<const std::byte> result, const Origin&) const override {
    return with_type(type_, [&](auto zero) -> std::string {
      using T = decltype(zero);
      for (std::size_t i = 0; i < result.size() / sizeof(T); ++i) {
        const std::byte* const got = result.data() + i * sizeof(T);
        const std::byte* const expected = result_.data() + i * sizeof(T);
        const auto a = static_cast<long double>(exact(read<T>(got)));
        const auto b = static_cast<long double>(exact(read<T>(expected)));
        if (is_near(a, b, tolerance_)) continue;
        return fmt::format("element {} is {}, and {} with the untuned configuration", i,
                           format_number_of(type_, got), format_number_of(type_, expected));
      }
      return {};
    });
  }

 private:
  ElementType type_;
  double tolerance_;
  std::vector<std::byte> result_;
};

}  // namespace

void DescribedJudge::fill(const Problem& problem, std::size_t argument,
                          std::span<std::byte> elements, std::uint64_t seed) const {
  if (const auto reference = reference_of(family_, problem)) {
    return judge_of(*reference)
        .fill(*reference, reference_place(problem, *reference, argument), elements, seed);
  }
  const ElementType type = family_.arguments(problem)[argument].type;
  fill_elements(type, elements, argument, seed,
                []<class T>(T, std::uint64_t bits) { return random_element<T>(bits); });
}

bool DescribedJudge::has_same_inputs(const Problem& a, const Problem& b) const {
  const auto first = reference_of(family_, a);
  const auto second = reference_of(family_, b);
  if (!first || !second) return a == b;
  const bool has_same_types = std::ranges::equal(family_.arguments(a), family_.arguments(b), {},
                                                 &Argument::type, &Argument::type);
  return has_same_types && judge_of(*first).has_same_inputs(*first, *second);
}

std::unique_ptr<Expectation> DescribedJudge::expect(const Workload& workload,
                                                    std::span<const void* const> arguments) const {
  const auto problem = reference_of(family_, workload.problem);
  if (!problem) return nullptr;
  const Workload reference{.problem = *problem,
                           .shape = reference_shape(family_, *problem, workload.shape)};
  std::array<const void*, Call::kMaxArguments> addresses{};
  const std::vector<Argument> own = family_.arguments(workload.problem);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i].access != Access::input) continue;
    addresses.at(reference_place(workload.problem, *problem, i)) = arguments[i];
  }
  const Judge& judge = judge_of(*problem);
  const std::vector<Argument> all = problem->family().arguments(*problem);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].access == Access::scalar) addresses.at(i) = judge.scalar(*problem, i);
  }
  auto expected = judge.expect(reference, addresses);
  return expected == nullptr ? nullptr : std::make_unique<ResultOfReference>(std::move(expected));
}

std::unique_ptr<Expectation> DescribedJudge::expect_same(const Workload& workload,
                                                         std::vector<std::byte> result) const {
  const ElementType type = family_.arguments(workload.problem)[output_place(workload.problem)].type;
  return std::make_unique<SameNumbers>(type, family_.description().tolerance, std::move(result));
}

std::string DescribedJudge::format(const Problem& problem,
                                   std::span<const std::byte> result) const {
  const ElementType type = family_.arguments(problem)[output_place(problem)].type;
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    const std::size_t count = result.size() / sizeof(T);
    std::string text;
    for (std::size_t i = 0; i < std::min(count, kShownNumbers); ++i) {
      text += fmt::format("{}{}", i == 0 ? "" : " ",
                          load_number(read<T>(result.data() + i * sizeof(T))));
    }
    return count > kShownNumbers ? text + " ..." : text;
  });
}

const Family& use_family(const std::string& path) {
  struct Used {
    std::unique_ptr<DescribedFamily> family;
    std::unique_ptr<DescribedJudge> judge;
  };
  static std::mutex mutex;
  static std::list<Used> used;
  const std::lock_guard lock(mutex);
  for (const Used& one : used) {
    std::error_code is_lost;  // a file that is gone is no other's, either
    if (std::filesystem::equivalent(one.family->path(), path, is_lost)) return *one.family;
  }
  std::list<Used> added(1);  // kept when nothing can throw any more
  added.front().family = load_family(path);
  const DescribedFamily& family = *added.front().family;
  added.front().judge = std::make_unique<DescribedJudge>(family);
  if (find_family(family.name()) != nullptr) {
    throw std::invalid_argument(
        fmt::format("reading the family {}: there is another family '{}'", path, family.name()));
  }
  try {
    require_reference(family);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("reading the family {}: {}", path, error.what()));
  }
  add_family(family);
  add_judge(*added.front().judge);
  used.splice(used.end(), added);
  return family;
}

}  // namespace foldtune
