#include "tuner/inspect/device_listing.h"

#include <functional>
#include <memory>
#include <utility>

#include "foldtune/error.h"

namespace foldtune {
namespace {

ListedDevice with_compiler(DeviceInfo info, const std::function<std::string()>& version) {
  ListedDevice device{.info = std::move(info), .compiler = {}, .fault = {}};
  try {
    device.compiler = version();
  } catch (const Error& error) {
    device.fault = error.what();
  }
  return device;
}

}  // namespace

DeviceListing list_devices() {
  DeviceListing listing;
  try {
    for (DeviceInfo& info : list_cuda_devices()) {
      const std::string architecture = info.record.architecture;
      listing.devices.push_back(with_compiler(
          std::move(info), [&] { return make_nvrtc_compiler(architecture)->version(); }));
    }
    if (listing.devices.empty()) listing.cuda_fault = "the driver knows none";
  } catch (const Error& error) {
    listing.cuda_fault = error.what();
  }
  const std::unique_ptr<Device> cpu = open_cpu_device();
  listing.devices.push_back(with_compiler(cpu->info(), [&] { return cpu->compiler().version(); }));
  return listing;
}

}  // namespace foldtune
