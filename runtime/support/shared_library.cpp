#include "runtime/support/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "foldtune/error.h"

namespace foldtune {

SharedLibrary SharedLibrary::open(const std::vector<std::string>& candidates) {
  std::string failures;
  for (const std::string& candidate : candidates) {
    // RTLD_NOW: a library that lacks something fails here, not in the middle of a call.
    if (void* const handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      SharedLibrary library;
      library.handle_ = handle;
      library.name_ = candidate;
      return library;
    }
    const char* const reason = dlerror();
    failures += fmt::format("\n  {}: {}", candidate, reason != nullptr ? reason : "unknown error");
  }
  throw Unavailable(
      fmt::format("Opening a shared library: none of these could be loaded.{}\n"
                  "Install it, or add its folder to LD_LIBRARY_PATH.",
                  failures));
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

void* SharedLibrary::address(const char* symbol) const {
  void* const found = find_address(symbol);
  if (found == nullptr) {
    throw Unavailable(
        fmt::format("Looking up {} in {}: the library has no such function. Its "
                    "version is too old or too new; install another one.",
                    symbol, name_));
  }
  return found;
}

void* SharedLibrary::find_address(const char* symbol) const noexcept {
  return handle_ != nullptr ? dlsym(handle_, symbol) : nullptr;
}

}  // namespace foldtune
