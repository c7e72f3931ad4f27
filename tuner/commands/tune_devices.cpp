#include "tuner/commands/tune_devices.h"

#include <algorithm>
#include <map>

#include "runtime/device.h"
#include "tuner/commands/options.h"
#include "tuner/worker/worker_evaluator.h"

namespace foldtune {

std::vector<DeviceGroup> choose_devices(const std::optional<std::string>& asked) {
  if (asked != "all") return {{choose_device(asked)}};
  std::map<std::string, DeviceGroup> groups;
  for (const DeviceInfo& info : list_cuda_devices()) {
    groups[info.record.fingerprint()].push_back(info.id);
  }
  std::vector<DeviceGroup> result;
  result.reserve(groups.size());
  for (auto& [fingerprint, group] : groups) result.push_back(std::move(group));
  std::ranges::sort(result);
  return result;
}

std::unique_ptr<Evaluator> open_evaluator(const std::string& device, std::uint64_t seed) {
  return std::make_unique<WorkerEvaluator>(WorkerOptions{.command = worker_command(device, seed)});
}

}  // namespace foldtune
