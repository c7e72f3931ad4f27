/// Inputs of the conformance tests: on the host and on the device, with the references of their
/// windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/device.h"
#include "templates/call.h"
#include "templates/fold/judge/reference.h"

namespace foldtune::test {

/// A part of an input.
struct Window {
  std::uint64_t start = 0;  ///< elements; the start of an input is aligned to 16 bytes
  std::uint64_t count = 0;  ///< elements

  auto operator<=>(const Window&) const = default;
};

/// The arrays that a reduction folds together.
class Input {
 public:
  /// Uploads `arrays`, one per input of the reduction, of as many elements each. The device must
  /// outlive this.
  Input(Device& device, const Reduction& reduction, std::string name,
        std::vector<std::vector<std::byte>> arrays);

  const std::string& name() const { return name_; }
  /// Whether the elements are integers, so that sums are exact while they are small; found out when
  /// first asked, by reading them.
  bool has_integers() const;
  std::uint64_t size() const { return size_; }  ///< elements of each array

  /// The elements of an array, on the host and on the device, aligned to 16 bytes.
  const void* host(std::size_t array) const { return arrays_[array].elements.data(); }
  void* device(std::size_t array) const { return arrays_[array].aligned.data(); }

  /// A call on the elements of a window, on the device. Where it does not begin at a vector, the
  /// arrays are misaligned each in its own way.
  Call call(const Window& window, void* output) const;

  /// The fold of a window; computed once.
  const Reference& reference(const Window& window) const;

 private:
  struct Array {
    ElementType type;
    std::size_t element_size;
    std::vector<std::byte> elements;
    DeviceBuffer aligned;
    DeviceBuffer skewed;  ///< the same behind one more element; empty for the first array
  };

  Reduction reduction_;
  std::string name_;
  std::uint64_t size_;
  std::vector<Array> arrays_;
  mutable std::optional<bool> has_integers_;
  mutable std::map<Window, Reference> references_;
};

/// Whether no order of operations leaves the accumulator's range on the way to a finite result, but
/// for the operators whose intermediate results may.
bool stays_in_range(const Reduction& reduction, const Reference& reference);

/// Products of integers in f64: those of the special inputs leave the range, and what then meets a
/// 0 depends on the order.
bool overflows(const Reduction& reduction);

/// `count` elements of `type`, the nearest to `value(i)` for each index.
std::vector<std::byte> make_elements(ElementType type, std::uint64_t count,
                                     const std::function<long double(std::uint64_t)>& value);

/// Two inputs of `count` elements that show a lost or repeated element: one of random values, and
/// for operators that compare one that ascends, for sums one whose sum every order of additions
/// gives exactly; integers wrap around there.
std::vector<Input> make_telling_inputs(Device& device, const Reduction& reduction,
                                       std::uint64_t count);

/// Inputs of special values: NaN, infinities, signed zeros, denormals, extremes, cancellation,
/// ties.
std::vector<Input> make_special_inputs(Device& device, const Reduction& reduction,
                                       std::uint64_t count);

}  // namespace foldtune::test
