/// A shared library that is opened at run time: libcuda, libnvrtc, the CPU device's kernels.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace foldtune {

/// Owns one dlopen handle. Move-only; pointers to symbols are good as long as it lives. Member
/// functions may be called from several threads.
class SharedLibrary {
 public:
  /// Opens the first of `candidates` (file names or paths, as for dlopen) that can be opened.
  /// Throws Unavailable with everything that was tried and why it failed; the caller adds how to
  /// get it.
  static SharedLibrary open(const std::vector<std::string>& candidates);

  SharedLibrary() = default;
  SharedLibrary(SharedLibrary&& other) noexcept { swap(other); }
  SharedLibrary& operator=(SharedLibrary&& other) noexcept {
    SharedLibrary(std::move(other)).swap(*this);
    return *this;
  }
  ~SharedLibrary();

  /// The candidate that was opened.
  const std::string& name() const { return name_; }

  /// The function `symbol` of type F. Throws Unavailable if the library has none.
  template <class F>
  F* symbol(const char* symbol) const {
    static_assert(std::is_function_v<F>);
    return reinterpret_cast<F*>(address(symbol));
  }

  /// The same, but null if the library has none: for functions that only newer versions have.
  template <class F>
  F* find_symbol(const char* symbol) const noexcept {
    static_assert(std::is_function_v<F>);
    return reinterpret_cast<F*>(find_address(symbol));
  }

 private:
  void swap(SharedLibrary& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(name_, other.name_);
  }
  void* address(const char* symbol) const;
  void* find_address(const char* symbol) const noexcept;

  void* handle_ = nullptr;
  std::string name_;
};

}  // namespace foldtune
