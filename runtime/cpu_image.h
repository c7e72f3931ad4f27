/// An image of the host compiler, loaded into this process.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "runtime/compiler.h"
#include "runtime/shared_library.h"
#include "templates/host_thread.h"

namespace foldtune {

/// Owns a file descriptor; -1 is none. Move-only.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { close(); }

  int number() const { return number_; }
  void close() noexcept;

 private:
  int number_;
};

/// Owns the loaded library. Entries are good as long as it lives.
class CpuImage {
 public:
  /// Throws DeviceError if the image cannot be loaded.
  explicit CpuImage(const CompiledKernel& compiled);

  const std::string& name(std::size_t index) const { return names_.at(index); }
  host::Entry entry(std::size_t index) const { return entries_.at(index); }
  std::size_t size() const { return entries_.size(); }

 private:
  std::vector<std::string> names_;
  Descriptor file_;
  SharedLibrary library_;
  std::vector<host::Entry> entries_;
};

}  // namespace foldtune
