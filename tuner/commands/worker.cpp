// foldtune worker: tries configurations for another process of this program, which starts it.
#include <CLI/CLI.hpp>
#include <memory>

#include "runtime/device.h"
#include "tuner/commands/commands.h"
#include "tuner/device_evaluator.h"
#include "tuner/worker/serve.h"

namespace foldtune {
namespace {

struct Arguments {
  std::string device;
  std::uint64_t seed = 1;
};

}  // namespace

Action prepare_worker(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<Arguments>();
  app.add_option("--device", arguments->device, "cuda:N or cpu")->type_name("NAME")->required();
  app.add_option("--seed", arguments->seed, "Of the inputs [1]")->type_name("N");
  app.footer("Reads requests from stdin and writes replies to stdout: tuner/worker/protocol.h.");
  return [arguments] {
    const int status = run_worker([&](const WorkerLine& line) {
      const std::unique_ptr<Device> device = open_device(arguments->device);
      DeviceEvaluator evaluator(*device, arguments->seed);
      serve(evaluator, line);
    });
    return status == 0 ? ExitCode::ok : ExitCode::internal;
  };
}

}  // namespace foldtune
