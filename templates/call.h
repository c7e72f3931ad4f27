/// The pointers and numbers of one call.
#pragma once

#include <array>
#include <cstddef>

#include "foldtune/catalog.h"
#include "foldtune/workload.h"

namespace foldtune {

/// What a call's kernels do with one of its arguments.
enum class Access {
  input,   ///< an array that is read
  output,  ///< an array that is written, whatever was in it
  scalar,  ///< a number, in host memory
};

/// What a family's calls take, one of several.
struct Argument {
  std::string_view name;  ///< "input"
  Access access = Access::input;
  ElementType type = ElementType::f32;  ///< of its numbers
  /// Bytes of one element: of its number, or of several with an index.
  std::size_t element_bytes = 4;
  std::size_t alignment = 4;  ///< bytes that an array's address is a multiple of
  /// An input whose elements mean something by their places, such as the edges of bins, and which
  /// is small: calls on different data share it.
  bool is_table = false;
  /// A table that is made for one shape, such as the offsets of segments, and read as the arrays
  /// are.
  bool follows_shape = false;
};

/// What one call works on.
struct Call {
  static constexpr std::size_t kMaxArguments = 12;

  Shape shape{};
  /// In the order of Family::arguments: device addresses of arrays, and host addresses of numbers,
  /// which are read before the call returns. `Call call;` leaves them unset, for to zero them all
  /// takes 9 ns of a call's 60: whoever makes a call sets those that its family reads.
  std::array<void*, kMaxArguments> arguments;
  /// That no work still to be done writes the inputs, as Reducer::with_inputs_ready() promises.
  bool inputs_ready = false;
};

}  // namespace foldtune
