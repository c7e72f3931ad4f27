// sum [DEVICE]: adds a million numbers.
#include <foldtune/foldtune.hpp>

#include "../common/device_array.h"
#include "../common/run_example.h"

int main(int argc, char** argv) {
  return run_example(argc, argv, [](const std::string& device) {
    foldtune::Context context({.device = device, .database = {}});
    DeviceArray<float> input(device, std::vector<float>(1 << 20, 0.5f));

    const float sum = foldtune::sum_value(context, input.data(), input.size());

    std::printf("%.1f on %s\n", static_cast<double>(sum), context.device_name().c_str());
    return sum == 524288 ? 0 : 1;
  });
}
