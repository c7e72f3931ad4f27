#include "templates/described/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <system_error>

#include "tuner/verify/random_elements.h"

namespace foldtune {
namespace {

/// The most numbers of a result that a text has.
constexpr std::size_t kShownNumbers = 8;

/// The problem that is the reference, with the fields of `problem` in the places of "{name}".
std::optional<Problem> reference_of(const Problem& problem, const Description& description) {
  if (!description.reference) return std::nullopt;
  std::string text = description.reference->problem;
  for (const Field& field : problem.family().fields()) {
    const std::string place = fmt::format("{{{}}}", field.name);
    for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place)) {
      text.replace(at, place.size(), problem.family().text(problem, field));
    }
  }
  const Family* const family = find_family(description.reference->family);
  if (family == nullptr) {
    throw std::invalid_argument(fmt::format("the reference of {}: there is no family '{}'",
                                            description.name, description.reference->family));
  }
  const std::optional<Problem> reference = problem_of(*family, text);
  if (!reference) {
    throw std::invalid_argument(fmt::format("the reference of {}: {} has no problem '{}'",
                                            description.name, family->name(), text));
  }
  return reference;
}

/// The places of the inputs among the arguments of a problem, in their order.
std::vector<std::size_t> input_places(const Problem& problem) {
  std::vector<std::size_t> places;
  const std::vector<Argument> arguments = problem.family().arguments(problem);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].access == Access::input) places.push_back(i);
  }
  return places;
}

/// The place among the reference's arguments of the input at `argument`.
std::size_t reference_place(const Problem& problem, const Problem& reference,
                            std::size_t argument) {
  const std::vector<std::size_t> own = input_places(problem);
  const auto number = static_cast<std::size_t>(std::ranges::find(own, argument) - own.begin());
  return input_places(reference).at(number);
}

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
        const auto got = exact(read<T>(result.data() + i * sizeof(T)));
        const auto expected = exact(read<T>(result_.data() + i * sizeof(T)));
        if (is_near(static_cast<long double>(got), static_cast<long double>(expected))) continue;
        return fmt::format("element {} is {}, and {} with the untuned configuration", i,
                           static_cast<double>(got), static_cast<double>(expected));
      }
      return {};
    });
  }

 private:
  bool is_near(long double a, long double b) const {
    if (a == b || (std::isnan(a) && std::isnan(b))) return true;
    return std::fabs(a - b) <= tolerance_ * std::max(std::fabs(a), std::fabs(b));
  }

  ElementType type_;
  double tolerance_;
  std::vector<std::byte> result_;
};

}  // namespace

void DescribedJudge::fill(const Problem& problem, std::size_t argument,
                          std::span<std::byte> elements, std::uint64_t seed) const {
  if (const auto reference = reference_of(problem, family_.description())) {
    return judge_of(*reference)
        .fill(*reference, reference_place(problem, *reference, argument), elements, seed);
  }
  const ElementType type = family_.arguments(problem)[argument].type;
  fill_elements(type, elements, argument, seed,
                []<class T>(T, std::uint64_t bits) { return random_element<T>(bits); });
}

bool DescribedJudge::has_same_inputs(const Problem& a, const Problem& b) const {
  const auto first = reference_of(a, family_.description());
  const auto second = reference_of(b, family_.description());
  if (!first || !second) return a == b;
  const bool has_same_types = std::ranges::equal(family_.arguments(a), family_.arguments(b), {},
                                                 &Argument::type, &Argument::type);
  return has_same_types && judge_of(*first).has_same_inputs(*first, *second);
}

std::unique_ptr<Expectation> DescribedJudge::expect(const Workload& workload,
                                                    std::span<const void* const> arguments) const {
  const auto problem = reference_of(workload.problem, family_.description());
  if (!problem) return nullptr;
  const Workload reference{.problem = *problem, .shape = workload.shape};
  std::array<const void*, Call::kMaxArguments> addresses{};
  for (const std::size_t place : input_places(workload.problem)) {
    addresses.at(reference_place(workload.problem, *problem, place)) = arguments[place];
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

Config DescribedJudge::plainest(const Workload& workload) const {
  return family_.fallback(workload, /*multiprocessor_count=*/1);
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
    DescribedJudge judge;
  };
  static std::mutex mutex;
  static std::list<Used> used;
  const std::lock_guard lock(mutex);
  std::error_code is_lost;  // the working folder: then the file is not found, either
  const std::string absolute = std::filesystem::absolute(path, is_lost).string();
  for (const Used& one : used) {
    if (!is_lost && one.family->path() == absolute) return *one.family;
  }
  std::unique_ptr<DescribedFamily> family = load_family(path);
  if (find_family(family->name()) != nullptr) {
    throw std::invalid_argument(
        fmt::format("reading the family {}: there is another family '{}'", path, family->name()));
  }
  const DescribedFamily& loaded = *family;
  Used& added = used.emplace_back(Used{std::move(family), DescribedJudge(loaded)});
  add_family(loaded);
  add_judge(added.judge);
  return loaded;
}

}  // namespace foldtune
