#include "runtime/stream_watch.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "foldtune/error.h"
#include "runtime/log.h"
#include "runtime/shared_library.h"
#include "runtime/toolkit.h"

namespace foldtune {
namespace {

// The few declarations that are needed of cupti_callbacks.h, which the toolkit's smaller packages
// lack.
constexpr int kCuptiSuccess = 0;
constexpr unsigned kCuptiResourceDomain = 3;
constexpr unsigned kCuptiStreamCreated = 3;
constexpr unsigned kCuptiStreamDestroyStarting = 4;
using CuptiSubscriber = void*;
using CuptiCallback = void(void* user_data, unsigned domain, unsigned id, const void* data);

/// CUpti_ResourceData, as the callbacks of streams get it.
struct CuptiStreamData {
  void* context;
  Stream stream;
  void* reserved;
};

struct Cupti {
  SharedLibrary library = SharedLibrary::open(
      library_candidates({.variable = "FOLDTUNE_CUPTI",
                          .names = {"libcupti.so", "libcupti.so.13", "libcupti.so.12"},
                          .folders = {"lib64", "lib", "extras/CUPTI/lib64"}}));
  int (*subscribe)(CuptiSubscriber*, CuptiCallback*, void*) =
      library.symbol<int(CuptiSubscriber*, CuptiCallback*, void*)>("cuptiSubscribe");
  int (*unsubscribe)(CuptiSubscriber) = library.symbol<int(CuptiSubscriber)>("cuptiUnsubscribe");
  int (*enable)(std::uint32_t, CuptiSubscriber, unsigned, std::uint32_t) =
      library.symbol<int(std::uint32_t, CuptiSubscriber, unsigned, std::uint32_t)>(
          "cuptiEnableCallback");
  int (*result_string)(int, const char**) =
      library.symbol<int(int, const char**)>("cuptiGetResultString");

  void check(int result, const char* doing) const {
    if (result == kCuptiSuccess) return;
    const char* text = nullptr;
    result_string(result, &text);
    throw Unavailable(
        fmt::format("{}: {} (error {}) of {}; a profiler or debugger may have CUPTI already", doing,
                    text == nullptr ? "unknown error" : text, result, library.name()));
  }
};

// Called inside of the driver, by the thread that creates or destroys the stream: whatever else
// would be done here could wait for a lock that this thread or another one holds there.
void on_stream_event(void* destroyed, unsigned /*domain*/, unsigned id, const void* data) noexcept {
  const Stream stream = static_cast<const CuptiStreamData*>(data)->stream;
  if (id == kCuptiStreamCreated) static_cast<DestroyedStreams*>(destroyed)->on_created(stream);
  if (id == kCuptiStreamDestroyStarting) {
    static_cast<DestroyedStreams*>(destroyed)->on_destroyed(stream);
  }
}

/// Keeps the library that this is part of from being unloaded, since CUPTI calls it from now on.
void stay_loaded() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&on_stream_event), &self) == 0) return;
  dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);  // never given back; null for a program
}

void subscribe(DestroyedStreams& destroyed) {
  // Never closed, since it calls back until the process ends.
  static const Cupti& cupti = *new Cupti;
  CuptiSubscriber subscriber = nullptr;
  cupti.check(cupti.subscribe(&subscriber, on_stream_event, &destroyed), "subscribing to CUPTI");
  stay_loaded();
  for (const unsigned id : {kCuptiStreamCreated, kCuptiStreamDestroyStarting}) {
    const int result = cupti.enable(1, subscriber, kCuptiResourceDomain, id);
    if (result != kCuptiSuccess) cupti.unsubscribe(subscriber);
    cupti.check(result, "asking CUPTI to tell of streams");
  }
}

// Never destroyed: streams may be, after every static object.
DestroyedStreams& destroyed_streams() {
  static auto* const only = new DestroyedStreams;
  return *only;
}

bool try_to_subscribe() {
  try {
    subscribe(destroyed_streams());
    return true;
  } catch (const Unavailable& error) {
    log(LogLevel::info, [&] {
      return fmt::format(
          "destroyed streams are not refused, since CUPTI, which tells of them, cannot be used; "
          "FOLDTUNE_CUPTI names its libcupti.so if that is in no usual place\n({})",
          error.what());
    });
    return false;
  }
}

bool is_default(Stream stream) {
  constexpr std::uintptr_t kPerThread = 2;  // CU_STREAM_PER_THREAD, above CU_STREAM_LEGACY and null
  return reinterpret_cast<std::uintptr_t>(stream) <= kPerThread;
}

}  // namespace

bool begin_stream_watch() {
  static const bool is_watching = try_to_subscribe();
  return is_watching;
}

bool was_destroyed(Stream stream) { return destroyed_streams().contains(stream); }

void DestroyedStreams::on_created(Stream stream) {
  const std::lock_guard lock(mutex_);
  handles_.erase(stream);
}

void DestroyedStreams::on_destroyed(Stream stream) {
  if (is_default(stream)) return;
  const std::lock_guard lock(mutex_);
  handles_.insert(stream);
}

bool DestroyedStreams::contains(Stream stream) const {
  const std::lock_guard lock(mutex_);
  return handles_.contains(stream);
}

}  // namespace foldtune
