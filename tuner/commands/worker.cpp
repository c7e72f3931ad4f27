// foldtune worker: tries configurations, or compiles, for another process of this program, which
// starts it.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "runtime/device/compiler.h"
#include "runtime/device/device.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/measure/background.h"
#include "tuner/measure/device_evaluator.h"
#include "tuner/worker/serve.h"

namespace foldtune {
namespace {

struct WorkerArguments {
  std::string device;
  std::uint64_t seed = 1;
  std::optional<std::string> architecture;
};

void work(const WorkerArguments& arguments, const WorkerLine& line) {
  if (arguments.architecture) {
    run_in_background();
    return serve(*make_nvrtc_compiler(*arguments.architecture), line);
  }
  const std::unique_ptr<Device> device = open_device(arguments.device);
  DeviceEvaluator evaluator(*device, arguments.seed);
  serve(evaluator, line);
}

}  // namespace

Action prepare_worker(CLI::App& app, const std::string&) {
  auto arguments = std::make_shared<WorkerArguments>();
  CLI::Option_group* const role = app.add_option_group("Role");
  role->add_option("--device", arguments->device, "Tries configurations on cuda:N or cpu")
      ->type_name("NAME");
  role->add_option("--compile-for", arguments->architecture, "Compiles with NVRTC for sm_90")
      ->type_name("ARCHITECTURE");
  role->require_option(1);
  add_seed_option(app, arguments->seed, "Of the inputs [1]");
  app.footer("Reads requests from stdin and writes replies to stdout: tuner/worker/protocol.h.");
  return [arguments] {
    const int status = run_worker([&](const WorkerLine& line) { work(*arguments, line); });
    return status == 0 ? ExitCode::ok : ExitCode::internal;
  };
}

}  // namespace foldtune
