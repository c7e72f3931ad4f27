// scale_and_bias [DEVICE]: reduces an array, scales the sum and adds a bias, in a single kernel.
#include <cstdio>
#include <foldtune/foldtune.hpp>
#include <string>
#include <vector>

#include "../common/device_array.h"
#include "../common/run_example.h"

namespace {

int run(const std::string& device) {
  std::vector<float> values(1 << 20);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 8);

  foldtune::Context context({.device = device, .database = {}});
  const foldtune::Reducer scale_and_bias = context.reducer(
      foldtune::make_reduction({.name = "scale_and_bias", .finish = "a * 0.5f + 1.0f"}));

  DeviceArray<float> input(device, values);
  DeviceArray<float> output(device, {0.0f});
  scale_and_bias(input.data(), values.size(), output.data());
  const float result = output.read().front();

  float expected = 0;  // exact: all partial sums are integers below 2^24
  for (const float value : values) expected += value;
  expected = expected * 0.5f + 1.0f;

  const foldtune::Explanation explanation = scale_and_bias.explain(values.size());
  std::printf("%.1f, expected %.1f, on %s\n", static_cast<double>(result),
              static_cast<double>(expected), context.device_name().c_str());
  std::printf("%s (%s: %s)\n", explanation.config.c_str(), to_string(explanation.source),
              explanation.reason.c_str());
  return result == expected ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_example(argc, argv, run); }
