/// An image of the host compiler, loaded into this process.
#pragma once

#include <string>
#include <vector>

#include "runtime/compiler.h"
#include "runtime/shared_library.h"
#include "templates/host_thread.h"

namespace foldtune {

/// A file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor();

  int number() const { return number_; }

 private:
  int number_;
};

class CpuImage {
 public:
  /// Throws DeviceError if the image cannot be loaded.
  explicit CpuImage(const CompiledKernel& compiled);

  const std::string& name(std::size_t index) const { return names_.at(index); }
  host::Entry entry(std::size_t index) const { return entries_.at(index); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<std::string> names_;
  Descriptor file_;  // sanitizers read it when they report
  SharedLibrary library_;
  std::vector<host::Entry> entries_;
};

}  // namespace foldtune
