/// Inputs of the conformance tests: on the host and on the device, with the references of their
/// windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device.h"
#include "tuner/reference.h"

namespace foldtune::test {

/// A part of an input.
struct Window {
  std::uint64_t start = 0;  ///< elements; the start of an input is aligned to 16 bytes
  std::uint64_t count = 0;  ///< elements

  auto operator<=>(const Window&) const = default;
};

class Input {
 public:
  /// Uploads `elements`, of `problem`'s type. The device must outlive this.
  Input(Device& device, const Problem& problem, std::string name, std::vector<std::byte> elements);

  const std::string& name() const { return name_; }
  /// Whether the elements are integers, so that sums are exact while they are small.
  bool has_integers() const { return has_integers_; }
  std::uint64_t size() const { return elements_.size() / element_size_; }  ///< elements

  /// The address of an element on the device.
  const void* at(std::uint64_t element) const;

  /// The fold of a window; computed once.
  const ReferenceValue& reference(const Window& window) const;

 private:
  Problem problem_;
  std::string name_;
  std::size_t element_size_;
  bool has_integers_;
  std::vector<std::byte> elements_;
  DeviceBuffer buffer_;
  mutable std::map<Window, ReferenceValue> references_;
};

/// Two inputs of `count` elements that show a lost or repeated element. For sums, one of random
/// values, and one whose sum every order of additions gives exactly; integers wrap around there.
/// For the extremes, one that ascends, and one that descends.
std::vector<Input> make_telling_inputs(Device& device, const Problem& problem, std::uint64_t count);

/// Inputs of special values: NaN, infinities, signed zeros, denormals, extremes, cancellation.
std::vector<Input> make_special_inputs(Device& device, const Problem& problem, std::uint64_t count);

}  // namespace foldtune::test
