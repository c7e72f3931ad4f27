/// The element types of NumPy's files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "foldtune/catalog.h"

namespace foldtune {

/// What an array is asked to hold.
struct WantedType {
  ElementType type = ElementType::f32;
  /// What to do about an array of another type, for a message: "leave out --type".
  std::string remedy = "convert it with array.astype";
};

/// What the elements of an array are read as, and what reading does to them.
struct NpyElements {
  ElementType type = ElementType::f32;
  bool is_swapped = false;  ///< big-endian, other than this machine
  bool is_bool = false;     ///< any byte but 0 is true: 1
};

/// Reads 'descr' of a header as numpy.dtype does: '<f4', '=f4', 'f4', 'f' and 'float32' are one
/// type, and a byte has no order. bool is read as u8; bf16, which NumPy has no type for, from
/// uint16 and from 2 raw bytes ('|V2') if it is wanted. `file` names the array in messages. Throws
/// InvalidArgument for another type than `wanted`, or than any that is reduced.
NpyElements parse_npy_descr(std::string_view descr, const std::optional<WantedType>& wanted,
                            std::string_view file);

}  // namespace foldtune
