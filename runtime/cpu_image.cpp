#include "runtime/cpu_image.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "foldtune/error.h"
#include "runtime/sanitizer.h"
#include "runtime/temporary_folder.h"

namespace foldtune {
namespace {

// A file without a name, so that it also works where no folder may hold what is executed. Number -1
// if the system has none such.
Descriptor write_anonymous_file(std::string_view bytes) {
  Descriptor file(memfd_create("foldtune-kernel", MFD_CLOEXEC));
  while (file.number() >= 0 && !bytes.empty()) {
    const ssize_t written = write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return Descriptor();
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

// dlopen answers a name that it knows with the library that it knows, even if that one's file is
// long closed and something kept it loaded. So each name is new: the serial number is spelled in
// slashes and dots that change nothing.
std::string new_path_of(const Descriptor& file) {
  static std::atomic<std::uint64_t> serial = 0;
  std::string path = "/proc/self/fd";
  for (std::uint64_t bits = ++serial; bits != 0; bits /= 2) path += bits % 2 == 1 ? "/." : "/";
  return fmt::format("{}/{}", path, file.number());
}

SharedLibrary open_image(const Descriptor& file, const std::string& image) {
  std::string failures;
  if (file.number() >= 0) {
    try {
      return SharedLibrary::open({new_path_of(file)});
    } catch (const Unavailable& error) {
      failures = error.what();
    }
  }
  try {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "kernel.so";
    write_file(path, image);
    return SharedLibrary::open({path.string()});
  } catch (const std::exception& error) {
    throw DeviceError(
        fmt::format("Loading a kernel for the CPU device: {}\n{}\nMount /proc, or set TMPDIR to a "
                    "folder that programs may be run from.",
                    failures, error.what()));
  }
}

}  // namespace

void Descriptor::close() noexcept {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

CpuImage::CpuImage(const CompiledKernel& compiled)
    : names_(compiled.lowered_names),
      file_(write_anonymous_file(compiled.image)),
      library_(open_image(file_, compiled.image)) {
  for (const std::string& name : names_) {
    const host::Entry found = library_.find_symbol<void(host::Thread*, void**)>(name.c_str());
    if (found == nullptr) {
      throw DeviceError(fmt::format(
          "Loading a kernel for the CPU device: the image has no {}. Compile it again.", name));
    }
    entries_.push_back(found);
  }
  // A process may hold more kernels than descriptors. Sanitizers read the file when they report.
  if (!kAddressSanitizer && !kThreadSanitizer) file_.close();
}

}  // namespace foldtune
