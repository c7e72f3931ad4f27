/// An image of the host compiler, loaded into this process.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runtime/compiler.h"
#include "runtime/shared_library.h"
#include "runtime/temporary_folder.h"
#include "templates/host_thread.h"

namespace foldtune {

/// Owns the loaded library. Entries are good as long as it lives.
class CpuImage {
 public:
  /// Throws DeviceError if the image cannot be loaded.
  explicit CpuImage(const CompiledKernel& compiled);

  const std::string& name(std::size_t index) const { return names_.at(index); }
  host::Entry entry(std::size_t index) const { return entries_.at(index); }
  std::size_t size() const { return entries_.size(); }

 private:
  void open(const std::string& image);

  std::vector<std::string> names_;
  std::optional<TemporaryFolder> folder_;  ///< where sanitizers read the library when they report
  SharedLibrary library_;
  std::vector<host::Entry> entries_;
};

}  // namespace foldtune
