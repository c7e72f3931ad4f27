/// Owns a file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace foldtune {

/// A file descriptor that is closed at the end of its life. Move-only.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int number() const { return number_; }  ///< -1: none
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

}  // namespace foldtune
