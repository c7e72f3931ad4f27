// foldtune devices: what there is to tune and to run on.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/inspect/device_listing.h"
#include "tuner/inspect/row_fields.h"
#include "tuner/measure/measure.h"
#include "tuner/text/format.h"
#include "tuner/text/print.h"
#include "tuner/text/table.h"

namespace foldtune {
namespace {

void print_json(const DeviceListing& listing) {
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (const ListedDevice& device : listing.devices) {
    const DeviceRecord& record = device.info.record;
    const double gbps = peak_gbps(record);
    devices.push_back({
        {"id", device.info.id},
        {"kind", record.kind},
        {"name", record.name},
        {"architecture", record.architecture},
        {"multiprocessor_count", record.multiprocessor_count},
        {"memory_bytes", device.info.memory_bytes},
        {"l2_bytes", or_null(record.l2_bytes, record.l2_bytes > 0)},
        {"memory_clock_khz", or_null(record.memory_clock_khz, record.memory_clock_khz > 0)},
        {"memory_bus_bits", or_null(record.memory_bus_bits, record.memory_bus_bits > 0)},
        {"theoretical_bandwidth_gbps", or_null(gbps, gbps > 0)},
        {"driver", record.driver},
        {"fingerprint", record.fingerprint()},
        {"compiler", or_null(device.compiler, device.fault.empty())},
        {"compiler_fault", or_null(device.fault, !device.fault.empty())},
    });
  }
  const nlohmann::ordered_json json{
      {"devices", devices},
      {"cuda_fault", or_null(listing.cuda_fault, !listing.cuda_fault.empty())},
  };
  print_indented(json);
}

std::string or_dash(const std::string& text, bool is_known) { return is_known ? text : "-"; }

void print_table(const DeviceListing& listing) {
  Table table({{"device"},
               {"name"},
               {"arch"},
               {"SMs", Align::right},
               {"memory", Align::right},
               {"L2", Align::right},
               {"clock", Align::right},
               {"bus", Align::right},
               {"GB/s", Align::right},
               {"driver, compiler"}});
  for (const ListedDevice& device : listing.devices) {
    const DeviceRecord& record = device.info.record;
    const double gbps = peak_gbps(record);
    const std::string compiler =
        device.fault.empty() ? device.compiler : std::string("no compiler");
    table.add_row(
        {device.info.id, record.name, record.architecture,
         fmt::to_string(record.multiprocessor_count),
         or_dash(format_bytes(device.info.memory_bytes), device.info.memory_bytes > 0),
         or_dash(format_bytes(static_cast<std::uint64_t>(record.l2_bytes)), record.l2_bytes > 0),
         or_dash(fmt::format("{} MHz", record.memory_clock_khz / 1000),
                 record.memory_clock_khz > 0),
         or_dash(fmt::format("{} bit", record.memory_bus_bits), record.memory_bus_bits > 0),
         gbps > 0 ? fmt::format("{:.0f}", gbps) : "-",
         record.driver == compiler ? compiler : fmt::format("{}, {}", record.driver, compiler)});
  }
  print_to(stdout, "{}", Lines{table.to_string(terminal_width(stdout))});
  if (!listing.cuda_fault.empty())
    print_to(stdout, "\nNo CUDA device: {}\n", Lines{listing.cuda_fault});
  for (const ListedDevice& device : listing.devices) {
    if (device.fault.empty()) continue;
    print_to(stdout, "\nNo compiler for {}: {}\n", device.info.id, Lines{device.fault});
  }
  print_to(stdout,
           "\nGB/s: in theory, from the memory's clock and bus. The CPU device runs the same "
           "kernels\nthread by thread: {}.\n",
           kCpuTimes);
}

}  // namespace

Action prepare_devices(CLI::App& app, const std::string&) {
  auto as_json = std::make_shared<bool>(false);
  app.add_flag("--json", *as_json, "Print JSON: an object with the array \"devices\"");
  app.footer(
      "Lists all CUDA devices, or says why there is none, and the CPU device, which is always "
      "there.\nThe names in the first column are those that --device takes.\n\n"
      "Example:\n  foldtune devices --json");
  return [as_json] {
    const DeviceListing listing = list_devices();
    *as_json ? print_json(listing) : print_table(listing);
    return ExitCode::ok;
  };
}

}  // namespace foldtune
