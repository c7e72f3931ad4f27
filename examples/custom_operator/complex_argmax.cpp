// complex_argmax [DEVICE]: the index of the complex number of the largest magnitude, the real and
// the imaginary parts being arrays of their own. Of equal magnitudes the lowest index is found.
#include <cstdint>
#include <cstdio>
#include <foldtune/foldtune.hpp>
#include <string>
#include <vector>

#include "../common/device_array.h"
#include "../common/run_example.h"

namespace {

using foldtune::ElementType;

foldtune::CustomOperator complex_argmax() {
  return {.name = "complex_argmax",
          .inputs = {ElementType::f32, ElementType::f32},
          .accumulator = {{.name = "value", .type = ElementType::f32},
                          {.name = "index", .type = ElementType::u64}},
          .identity = "Accumulator{-1.0f, ~0ull}",
          .map = "Accumulator{x * x + y * y, i}",
          .combine = "a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b",
          .finish = "a.index",
          .result = ElementType::u64};
}

/// Small integers, so that squares are exact and the largest comes up more than once.
std::vector<float> make_part(std::uint32_t seed) {
  std::vector<float> part(1 << 20);
  for (float& value : part) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(seed >> 24) - 128.0f;
  }
  return part;
}

std::uint64_t expected_index(const std::vector<float>& real, const std::vector<float>& imaginary) {
  const auto squared = [&](std::size_t i) {
    return real[i] * real[i] + imaginary[i] * imaginary[i];
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < real.size(); ++i) {
    if (squared(i) > squared(best)) best = i;
  }
  return best;
}

int run(const std::string& device) {
  const std::vector<float> real = make_part(1);
  const std::vector<float> imaginary = make_part(2);

  foldtune::Context context({.device = device, .database = {}});
  const foldtune::Reducer argmax = context.reducer(foldtune::make_reduction(complex_argmax()));

  DeviceArray<float> x(device, real);
  DeviceArray<float> y(device, imaginary);
  DeviceArray<std::uint64_t> output(device, {0});
  argmax({x.data(), y.data()}, real.size(), output.data());
  const std::uint64_t index = output.read().front();
  const std::uint64_t expected = expected_index(real, imaginary);

  const foldtune::Explanation explanation = argmax.explain(real.size());
  std::printf("index %llu, expected %llu, on %s\n", static_cast<unsigned long long>(index),
              static_cast<unsigned long long>(expected), context.device_name().c_str());
  std::printf("%s (%s: %s)\n", explanation.config.c_str(), to_string(explanation.source),
              explanation.reason.c_str());
  return index == expected ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_example(argc, argv, run); }
