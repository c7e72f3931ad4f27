// tune_on_miss [DEVICE]: adds a million numbers, and has what was not tuned tuned by the first
// call. What is found is kept in the tuning database, for every later program.
#include <foldtune/foldtune.hpp>

#include "../common/device_array.h"
#include "../common/run_example.h"

int main(int argc, char** argv) {
  return run_example(argc, argv, [](const std::string& device) {
    foldtune::ContextOptions options{.device = device};
    options.on_miss = {.action = foldtune::OnMiss::tune, .budget_s = 5};
    foldtune::Context context(options);
    const foldtune::Reducer sum =
        context.reducer({.op = foldtune::Operator::sum, .type = foldtune::ElementType::f32});
    DeviceArray<float> input(device, std::vector<float>(1 << 20, 0.5f));

    const auto total = sum.value<float>(input.data(), input.size());

    const foldtune::Explanation used = sum.explain(input.size());
    std::printf("%.1f on %s, with a configuration that is %s: %s\n", static_cast<double>(total),
                context.device_name().c_str(), used.reason.c_str(), used.config.c_str());
    return total == 524288 && used.source == foldtune::ConfigSource::exact ? 0 : 1;
  });
}
