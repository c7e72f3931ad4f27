#include "runtime/stream_watch.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "foldtune/error.h"
#include "runtime/log.h"
#include "runtime/shared_library.h"

namespace foldtune {
namespace {

// The few declarations that are needed of cupti_callbacks.h, which comes with the whole toolkit
// alone.
using Subscriber = struct CUpti_Subscriber_st*;
constexpr int kCuptiSuccess = 0;
constexpr int kResourceDomain = 3;
constexpr std::uint32_t kStreamCreated = 3;
constexpr std::uint32_t kStreamDestroyed = 4;
struct ResourceData {
  void* context;
  Stream stream;
  void* descriptor;
};
using Callback = void(void* watch, int domain, std::uint32_t event, const void* data);

std::vector<std::string> cupti_candidates() {
  std::vector<std::string> candidates{"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
  std::vector<std::string> toolkits{"/usr/local/cuda"};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* const toolkit = std::getenv(variable)) toolkits.emplace_back(toolkit);
  }
  for (const std::string& toolkit : toolkits) {
    candidates.push_back(toolkit + "/lib64/libcupti.so");
    candidates.push_back(toolkit + "/extras/CUPTI/lib64/libcupti.so");
  }
  return candidates;
}

/// Called by the thread that makes or destroys a stream, inside of the driver.
void on_stream(void* watch, int domain, std::uint32_t event, const void* data) {
  if (domain != kResourceDomain || data == nullptr) return;
  auto* const streams = static_cast<StreamWatch*>(watch);
  const Stream stream = static_cast<const ResourceData*>(data)->stream;
  if (event == kStreamCreated) streams->note_created(stream);
  if (event == kStreamDestroyed) streams->note_destroyed(stream);
}

/// CUPTI tells `watch` of streams for the life of the process. Throws Unavailable.
void subscribe(StreamWatch* watch) {
  SharedLibrary library = SharedLibrary::open(cupti_candidates());
  auto* const subscribe = library.symbol<int(Subscriber*, Callback*, void*)>("cuptiSubscribe");
  auto* const enable =
      library.symbol<int(std::uint32_t, Subscriber, int, std::uint32_t)>("cuptiEnableCallback");
  Subscriber subscriber = nullptr;
  int result = subscribe(&subscriber, on_stream, watch);
  for (const std::uint32_t event : {kStreamCreated, kStreamDestroyed}) {
    if (result == kCuptiSuccess) result = enable(1, subscriber, kResourceDomain, event);
  }
  if (result != kCuptiSuccess) {
    throw Unavailable(fmt::format("CUPTI gives its error {}; a profiler may have it", result));
  }
  static SharedLibrary* const open = new SharedLibrary(std::move(library));  // until the end
  (void)open;
}

}  // namespace

StreamWatch* StreamWatch::get() {
  // Never destroyed: the driver may destroy streams after every other static object.
  static StreamWatch* const watching = []() -> StreamWatch* {
    try {
      auto watch = std::make_unique<StreamWatch>();
      subscribe(watch.get());
      return watch.release();
    } catch (const Unavailable& error) {
      log(LogLevel::info, [&] {
        return fmt::format("destroyed streams are not told from others: {}", error.what());
      });
      return nullptr;
    }
  }();
  return watching;
}

void StreamWatch::note_created(Stream stream) {
  const std::lock_guard lock(mutex_);
  destroyed_.erase(stream);
}

void StreamWatch::note_destroyed(Stream stream) {
  const std::lock_guard lock(mutex_);
  destroyed_.insert(stream);
}

bool StreamWatch::was_destroyed(Stream stream) const {
  const std::lock_guard lock(mutex_);
  return destroyed_.contains(stream);
}

}  // namespace foldtune
