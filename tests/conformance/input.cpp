#include "tests/conformance/input.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

namespace foldtune::test {
namespace {

/// Bytes of `count` values of T: `value(i)` for each index.
template <class T, class Function>
std::vector<std::byte> fill(std::uint64_t count, const Function& value) {
  std::vector<std::byte> bytes(count * sizeof(T));
  for (std::uint64_t i = 0; i < count; ++i) {
    const T element = static_cast<T>(value(i));
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
  return bytes;
}

template <class T>
std::vector<Input> telling(Device& device, const Problem& problem, std::uint64_t count) {
  const auto add = [&](std::vector<Input>& inputs, const char* name, const auto& value) {
    inputs.emplace_back(device, problem, name, fill<T>(count, value));
  };
  std::vector<Input> inputs;
  if (problem.op == Operator::sum) {
    constexpr std::uint64_t kSeed = 1;
    inputs.emplace_back(device, problem, "random", make_input(problem.type, count, kSeed));
    std::mt19937 random(2);
    if constexpr (std::is_integral_v<T>) {
      add(inputs, "any integers", [&](std::uint64_t) { return random(); });
    } else {
      // The magnitudes of 2^22 of them add up to less than 2^24: floating-point sums are exact.
      add(inputs, "small integers",
          [&](std::uint64_t) { return static_cast<int>(random() % 7) - 3; });
    }
  } else {
    const auto middle = static_cast<std::int64_t>(count / 2);
    add(inputs, "ascending",
        [&](std::uint64_t i) { return static_cast<std::int64_t>(i) - middle; });
    add(inputs, "descending",
        [&](std::uint64_t i) { return middle - static_cast<std::int64_t>(i); });
  }
  return inputs;
}

bool are_integers(ElementType type, const std::vector<std::byte>& elements) {
  const auto check = [&](auto value) {
    for (std::size_t at = 0; at < elements.size(); at += sizeof(value)) {
      std::memcpy(&value, elements.data() + at, sizeof(value));
      if (!(std::trunc(value) == value)) return false;
    }
    return true;
  };
  if (type == ElementType::f32) return check(float{});
  return type != ElementType::f64 || check(double{});
}

/// A value for each index.
template <class T>
struct Special {
  std::string name;
  std::function<T(std::uint64_t)> value;
};

std::vector<Special<std::int32_t>> integer_specials(std::uint64_t count) {
  using Limits = std::numeric_limits<std::int32_t>;
  return {
      {"all the smallest", [](auto) { return Limits::min(); }},
      {"all the largest", [](auto) { return Limits::max(); }},
      {"both extremes", [](auto i) { return i % 2 == 0 ? Limits::min() : Limits::max(); }},
      {"the smallest last", [=](auto i) { return i + 1 == count ? Limits::min() : 5; }},
      {"the largest second", [](auto i) { return i == 1 ? Limits::max() : -5; }},
      {"all -1", [](auto) { return -1; }},
      {"all 0", [](auto) { return 0; }},
  };
}

template <class T>
std::vector<Special<T>> floating_specials(Operator op, std::uint64_t count) {
  using Limits = std::numeric_limits<T>;
  const T nan = Limits::quiet_NaN();
  const T infinity = Limits::infinity();
  const auto ordinary = [](std::uint64_t i) { return static_cast<T>(i % 13) - T{6}; };
  const auto with = [=](T special, std::uint64_t where) {
    return [=](std::uint64_t i) { return i == where ? special : ordinary(i); };
  };
  std::vector<Special<T>> specials{
      {"NaN first", with(nan, 0)},
      {"NaN second", with(nan, 1)},
      {"NaN in the middle", with(nan, count / 2)},
      {"NaN last", with(nan, count - 1)},
      {"a negative NaN", with(-nan, count / 3)},
      {"all NaN", [=](auto) { return nan; }},
      {"NaN and infinities",
       [=](auto i) { return i == 3       ? nan
                            : i % 2 == 0 ? infinity
                                         : -infinity; }},
      {"infinity", with(infinity, count / 2)},
      {"-infinity", with(-infinity, count - 1)},
      {"all infinity", [=](auto) { return infinity; }},
      {"all -infinity", [=](auto) { return -infinity; }},
      {"both infinities",
       [=](auto i) { return i == 2           ? infinity
                            : i == count - 2 ? -infinity
                                             : T{}; }},
      {"all +0", [](auto) { return T{}; }},
      {"all -0", [](auto) { return -T{}; }},
      {"-0 among +0", [=](auto i) { return i == count / 2 ? -T{} : T{}; }},
      {"+0 among -0", [=](auto i) { return i == count / 2 ? T{} : -T{}; }},
      {"zeros of both signs", [](auto i) { return i % 3 == 0 ? -T{} : T{}; }},
      {"denormals", [](auto i) { return static_cast<T>(i % 5) * Limits::denorm_min(); }},
      {"negative denormals", [](auto i) { return static_cast<T>(i % 5) * -Limits::denorm_min(); }},
      {"cancellation", [](auto i) { return i % 3 == 0   ? T{1e8}
                                           : i % 3 == 1 ? T{-1e8}
                                                        : T{1}; }},
      {"one huge value", with(Limits::max() / 4, count / 2)},
      {"one tiny value among 0", [=](auto i) { return i == count / 2 ? Limits::min() : T{}; }},
  };
  if (op != Operator::sum) {  // a sum of them overflows, in an order that is not promised
    specials.push_back({"largest and lowest",
                        [](auto i) { return i % 2 == 0 ? Limits::max() : Limits::lowest(); }});
    specials.push_back({"all the largest", [](auto) { return Limits::max(); }});
    specials.push_back({"all the lowest", [](auto) { return Limits::lowest(); }});
  }
  return specials;
}

template <class T>
std::vector<Input> upload(Device& device, const Problem& problem, std::uint64_t count,
                          const std::vector<Special<T>>& specials) {
  std::vector<Input> inputs;
  for (const Special<T>& special : specials) {
    inputs.emplace_back(device, problem, special.name, fill<T>(count, special.value));
  }
  return inputs;
}

}  // namespace

Input::Input(Device& device, const Problem& problem, std::string name,
             std::vector<std::byte> elements)
    : problem_(problem),
      name_(std::move(name)),
      element_size_(size_of(problem.type)),
      has_integers_(are_integers(problem.type, elements)),
      elements_(std::move(elements)),
      buffer_(device, elements_.size()) {
  device.copy(buffer_.data(), elements_.data(), elements_.size());
}

const void* Input::at(std::uint64_t element) const {
  return static_cast<const std::byte*>(buffer_.data()) + element * element_size_;
}

const ReferenceValue& Input::reference(const Window& window) const {
  const auto known = references_.find(window);
  if (known != references_.end()) return known->second;
  Problem problem = problem_;
  problem.count = window.count;
  const ReferenceValue value =
      compute_reference(problem, elements_.data() + window.start * element_size_);
  return references_.emplace(window, value).first->second;
}

std::vector<Input> make_telling_inputs(Device& device, const Problem& problem,
                                       std::uint64_t count) {
  if (problem.type == ElementType::i32) return telling<std::int32_t>(device, problem, count);
  if (problem.type == ElementType::f32) return telling<float>(device, problem, count);
  return telling<double>(device, problem, count);
}

std::vector<Input> make_special_inputs(Device& device, const Problem& problem,
                                       std::uint64_t count) {
  if (problem.type == ElementType::i32) {
    return upload(device, problem, count, integer_specials(count));
  }
  if (problem.type == ElementType::f32) {
    return upload(device, problem, count, floating_specials<float>(problem.op, count));
  }
  return upload(device, problem, count, floating_specials<double>(problem.op, count));
}

}  // namespace foldtune::test
