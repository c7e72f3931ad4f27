#include "runtime/cpu_image.h"

#include <fmt/format.h>

#include <exception>
#include <filesystem>

#include "foldtune/error.h"
#include "runtime/sanitizer.h"

namespace foldtune {

CpuImage::CpuImage(const CompiledKernel& compiled) : names_(compiled.lowered_names) {
  open(compiled.image);
  for (const std::string& name : names_) {
    const host::Entry found = library_.find_symbol<void(host::Thread*, void**)>(name.c_str());
    if (found == nullptr) {
      throw DeviceError(fmt::format(
          "Loading a kernel for the CPU device: the image has no {}. Compile it again.", name));
    }
    entries_.push_back(found);
  }
}

// The folder's name is new, since dlopen answers a path that it knows with the library that it
// knows.
void CpuImage::open(const std::string& image) {
  try {
    const std::filesystem::path path = folder_.emplace().path() / "kernel.so";
    write_file(path, image);
    library_ = SharedLibrary::open({path.string()});
  } catch (const std::exception& error) {
    throw DeviceError(
        fmt::format("Loading a kernel for the CPU device: {}\nSet TMPDIR to a folder that can be "
                    "written, and that programs may be run from.",
                    error.what()));
  }
  if (!kAddressSanitizer && !kThreadSanitizer) folder_.reset();
}

}  // namespace foldtune
