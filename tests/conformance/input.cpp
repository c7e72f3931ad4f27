#include "tests/conformance/input.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>

#include "templates/device/types.cuh"

namespace foldtune::test {
namespace {

/// Wide enough for every element type, exactly.
using Value = long double;
using Values = std::function<Value(std::uint64_t)>;

/// The ends of a floating type.
struct FloatLimits {
  Value largest;
  Value smallest_normal;
  Value smallest;
  int digits;  ///< of the significand, in bits
};
FloatLimits float_limits(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return {65504.0L, 0x1p-14L, 0x1p-24L, 11};
    case ElementType::bf16:
      return {0x1.fep127L, 0x1p-126L, 0x1p-133L, 8};
    case ElementType::f32:
      return {std::numeric_limits<float>::max(), 0x1p-126L, 0x1p-149L, 24};
    default:
      return {std::numeric_limits<double>::max(), 0x1p-1022L, 0x1p-1074L, 53};
  }
}

Value lowest_integer(ElementType type) {
  return is_signed(type) ? -std::ldexp(Value{1}, static_cast<int>(size_of(type)) * 8 - 1) : 0;
}
Value highest_integer(ElementType type) {
  return std::ldexp(Value{1}, static_cast<int>(size_of(type)) * 8 - (is_signed(type) ? 1 : 0)) - 1;
}

template <class T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(value));
}

/// Integers wrap.
void store(ElementType type, std::byte* to, Value value) {
  if (!is_floating(type)) {
    // Each is exact in its own range of values.
    const std::uint64_t bits = value < 0
                                   ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                                   : static_cast<std::uint64_t>(value);
    std::memcpy(to, &bits, size_of(type));  // little-endian
    return;
  }
  const auto single = static_cast<float>(value);
  if (type == ElementType::f64) return store(to, static_cast<double>(value));
  if (type == ElementType::f32) return store(to, single);
  if (type == ElementType::f16) return store(to, store_number<float16>(single));
  store(to, store_number<bfloat16>(single));
}

bool are_integers(ElementType type, const std::vector<std::byte>& elements) {
  if (!is_floating(type)) return true;
  for (std::size_t at = 0; at < elements.size(); at += size_of(type)) {
    const long double value = read_number(type, elements.data() + at).floating;
    if (!(std::trunc(value) == value)) return false;
  }
  return true;
}

struct Special {
  std::string name;
  Values value;
};

std::vector<Special> integer_specials(ElementType type, std::uint64_t count) {
  const Value low = lowest_integer(type);
  const Value high = highest_integer(type);
  const Value minus_one = is_signed(type) ? -1 : high;
  return {
      {"all the smallest", [=](auto) { return low; }},
      {"all the largest", [=](auto) { return high; }},
      {"both extremes", [=](auto i) { return i % 2 == 0 ? low : high; }},
      {"the smallest last", [=](auto i) { return i + 1 == count ? low : Value{5}; }},
      {"the largest second", [=](auto i) { return i == 1 ? high : Value{3}; }},
      {"ties", [=](auto i) { return static_cast<Value>(i / 3 % 5); }},
      {"all bits set", [=](auto) { return minus_one; }},
      {"one bit each", [=](auto i) { return std::ldexp(Value{1}, static_cast<int>(i % 7)); }},
      {"all 0", [](auto) { return Value{0}; }},
      {"one that is not 0", [=](auto i) { return i == count / 2 ? Value{1} : Value{0}; }},
  };
}

std::vector<Special> floating_specials(Operator op, ElementType type, std::uint64_t count) {
  const FloatLimits limits = float_limits(type);
  const Value nan = std::numeric_limits<Value>::quiet_NaN();
  const Value infinity = std::numeric_limits<Value>::infinity();
  // No product of these leaves the range.
  const Values ordinary = [](std::uint64_t i) { return (static_cast<Value>(i % 13) - 6) / 8; };
  const auto with = [=](Value special, std::uint64_t where) -> Values {
    return [=](std::uint64_t i) { return i == where ? special : ordinary(i); };
  };
  std::vector<Special> specials{
      {"NaN first", with(nan, 0)},
      {"NaN second", with(nan, 1)},
      {"NaN in the middle", with(nan, count / 2)},
      {"NaN last", with(nan, count - 1)},
      {"a negative NaN", with(-nan, count / 3)},
      {"two NaNs", [=](auto i) { return i == 4 || i == count / 2 ? nan : ordinary(i); }},
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
                                             : Value{1}; }},
      {"all +0", [](auto) { return Value{0}; }},
      {"all -0", [](auto) { return -Value{0}; }},
      {"-0 among +0", [=](auto i) { return i == count / 2 ? -Value{0} : Value{0}; }},
      {"+0 among -0", [=](auto i) { return i == count / 2 ? Value{0} : -Value{0}; }},
      {"zeros of both signs", [](auto i) { return i % 3 == 0 ? -Value{0} : Value{0}; }},
      {"all equal", [](auto) { return Value{1}; }},
      {"ties", [](auto i) { return static_cast<Value>(i / 3 % 5) / 8; }},
      {"cancellation",
       [](auto i) { return i % 3 == 0   ? Value{1e4L}
                           : i % 3 == 1 ? Value{-1e4L}
                                        : Value{1}; }},
      {"denormals", [=](auto i) { return static_cast<Value>(i % 5) * limits.smallest; }},
      {"negative denormals", [=](auto i) { return static_cast<Value>(i % 5) * -limits.smallest; }},
      {"one tiny value among 0",
       [=](auto i) { return i == count / 2 ? limits.smallest_normal : Value{0}; }},
      {"one huge value", with(limits.largest / 4, count / 2)},
  };
  // No intermediate result of these may leave the range where the result does not.
  const bool is_kept_in_range = op == Operator::mean || op == Operator::nrm2 ||
                                op == Operator::variance || op == Operator::stddev;
  if (is_kept_in_range) {
    const Value root = std::sqrt(limits.largest);
    specials.push_back(
        {"roots of the largest", [=](auto i) { return root * (i % 2 == 0 ? 1.0L : 1.25L); }});
    specials.push_back({"numbers whose squares are lost", [=](auto i) {
                          return limits.smallest_normal * static_cast<Value>(i % 9);
                        }});
    specials.push_back({"one large value among tiny ones",
                        [=](auto i) { return i == count / 3 ? root * 4 : limits.smallest * 8; }});
    // Numbers up to 2 * far are whole, and their deviations in their last bits.
    const Value far = std::ldexp(Value{1}, limits.digits - 1);
    specials.push_back({"far from zero", [=](auto i) { return far + static_cast<Value>(i % 10); }});
    if (op != Operator::variance) {
      specials.push_back({"halves of the largest", [=](auto i) {
                            return limits.largest / (i % 3 == 0 ? -2 : 2) /
                                   (op == Operator::nrm2 ? static_cast<Value>(count) : 1);
                          }});
    }
  }
  if (has_nan_policy(op)) {  // a sum of them overflows, in an order that is not promised
    specials.push_back({"largest and lowest",
                        [=](auto i) { return i % 2 == 0 ? limits.largest : -limits.largest; }});
    specials.push_back({"all the largest", [=](auto) { return limits.largest; }});
    specials.push_back({"all the lowest", [=](auto) { return -limits.largest; }});
  }
  return specials;
}

/// The same values in every array; those of a second one are 1 instead, from the middle on.
std::vector<std::vector<std::byte>> make_arrays(const Reduction& reduction, std::uint64_t count,
                                                const Values& value) {
  std::vector<std::vector<std::byte>> arrays;
  for (const ElementType type : reduction.input_types()) {
    const bool is_first = arrays.empty();
    arrays.push_back(make_elements(type, count, [&](std::uint64_t i) {
      return is_first || i < count / 2 ? value(i) : Value{1};
    }));
  }
  return arrays;
}

}  // namespace

bool stays_in_range(const Reduction& reduction, const Reference& reference) {
  constexpr long double kRoom = 8;
  const long double largest = reduction.accumulator_type() == ElementType::f32
                                  ? std::numeric_limits<float>::max()
                                  : std::numeric_limits<double>::max();
  const bool is_kept_in_range =
      reduction.op == Operator::mean || reduction.op == Operator::nrm2 || has_ddof(reduction.op);
  const long double reached =
      is_kept_in_range ? std::fabs(reference.numbers[0].floating) : reference.sum_of_magnitudes;
  return !is_floating(reduction.accumulator_type()) || !std::isfinite(reached) ||
         reached < largest / kRoom;
}

bool overflows(const Reduction& reduction) {
  return reduction.op == Operator::product && !is_floating(reduction.type) &&
         is_floating(reduction.accumulator_type());
}

std::vector<std::byte> make_elements(ElementType type, std::uint64_t count, const Values& value) {
  std::vector<std::byte> bytes(count * size_of(type));
  for (std::uint64_t i = 0; i < count; ++i) store(type, bytes.data() + i * size_of(type), value(i));
  return bytes;
}

Input::Input(Device& device, const Reduction& reduction, std::string name,
             std::vector<std::vector<std::byte>> arrays)
    : reduction_(reduction),
      name_(std::move(name)),
      size_(arrays.front().size() / size_of(reduction.input_types().front())) {
  const std::vector<ElementType> types = reduction.input_types();
  for (std::size_t i = 0; i < types.size(); ++i) {
    Array array{.type = types[i],
                .element_size = size_of(types[i]),
                .elements = std::move(arrays[i]),
                .aligned = {},
                .skewed = {}};
    const std::size_t bytes = array.elements.size();
    array.aligned = DeviceBuffer(device, bytes);
    device.copy(array.aligned.data(), array.elements.data(), bytes);
    if (i > 0) {
      array.skewed = DeviceBuffer(device, bytes + array.element_size);
      device.copy(static_cast<std::byte*>(array.skewed.data()) + array.element_size,
                  array.elements.data(), bytes);
    }
    arrays_.push_back(std::move(array));
  }
}

bool Input::has_integers() const {
  if (!has_integers_) {
    has_integers_ = std::ranges::all_of(
        arrays_, [](const Array& array) { return are_integers(array.type, array.elements); });
  }
  return *has_integers_;
}

Call Input::call(const Window& window, void* output) const {
  constexpr std::uint64_t kVectorBytes = 16;
  Call call{.shape = {{window.count}}, .arguments = {output}};
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const Array& array = arrays_[i];
    const std::uint64_t offset = window.start * array.element_size;
    const bool skew = i > 0 && offset % kVectorBytes != 0;
    void* const begin = skew ? array.skewed.data() : array.aligned.data();
    call.arguments.at(1 + i) =
        static_cast<std::byte*>(begin) + offset + (skew ? array.element_size : 0);
  }
  return call;
}

const Reference& Input::reference(const Window& window) const {
  const auto known = references_.find(window);
  if (known != references_.end()) return known->second;
  Reduction reduction = reduction_;
  reduction.count = window.count;
  std::vector<const void*> inputs;
  for (const Array& array : arrays_) {
    inputs.push_back(array.elements.data() + window.start * array.element_size);
  }
  return references_.emplace(window, compute_reference(reduction, inputs)).first->second;
}

std::vector<Input> make_telling_inputs(Device& device, const Reduction& reduction,
                                       std::uint64_t count) {
  constexpr std::uint64_t kSeed = 1;
  std::vector<Input> inputs;
  std::vector<std::vector<std::byte>> arrays;
  for (std::size_t i = 0; i < reduction.input_types().size(); ++i) {
    arrays.push_back(make_input(reduction, i, count, kSeed + i));
  }
  inputs.emplace_back(device, reduction, "random", std::move(arrays));
  const auto add = [&](const char* name, const Values& value) {
    inputs.emplace_back(device, reduction, name, make_arrays(reduction, count, value));
  };
  std::mt19937_64 random(2);
  if (has_nan_policy(reduction.op)) {
    const auto middle = static_cast<Value>(count / 2);
    add("ascending", [&](std::uint64_t i) { return static_cast<Value>(i) - middle; });
  } else if (is_floating(reduction.type)) {
    // The magnitudes of 2^22 of them add up to less than 2^24: floating-point sums are exact.
    add("signs and zeros",
        [&](std::uint64_t) { return static_cast<Value>(random() % 3) - Value{1}; });
  } else if (is_floating(reduction.accumulator_type())) {
    add("zeros and ones", [&](std::uint64_t) { return static_cast<Value>(random() % 2); });
  } else {
    add("any integers", [&](std::uint64_t) { return static_cast<Value>(random()); });
  }
  return inputs;
}

std::vector<Input> make_special_inputs(Device& device, const Reduction& reduction,
                                       std::uint64_t count) {
  std::vector<Input> inputs;
  for (const Special& special : is_floating(reduction.type)
                                    ? floating_specials(reduction.op, reduction.type, count)
                                    : integer_specials(reduction.type, count)) {
    inputs.emplace_back(device, reduction, special.name,
                        make_arrays(reduction, count, special.value));
  }
  return inputs;
}

}  // namespace foldtune::test
