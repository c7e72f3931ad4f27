/// NumPy's .npy files, versions 1.0, 2.0 and 3.0: the magic "\x93NUMPY", the version as two bytes,
/// the header's length as a little-endian u16 (version 1.0) or u32, the header, a Python dictionary
/// such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, and the elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/files/npy_dtype.h"

namespace foldtune {

/// Where the elements lie, each of them once.
struct NpyArray {
  NpyElements elements;
  std::vector<std::uint64_t> shape;  ///< empty for a scalar
  bool is_fortran_order = false;     ///< the first axis is the innermost in memory, not the last
  std::uint64_t count = 0;           ///< elements; 1 for a scalar
  std::uint64_t data_offset = 0;     ///< bytes from the beginning of the file
};

/// Bytes from the beginning of a file in which a header ends that is no longer than NumPy's own.
inline constexpr std::size_t kNpyHeadBytes = 65536 + 12;

/// Whether a file that begins with these bytes is meant as .npy.
bool is_npy(std::span<const std::byte> head);

/// The bytes before the elements of a file: an array in C order, version 1.0. bf16, which NumPy has
/// no type for, is written as 2 raw bytes.
std::string make_npy_head(ElementType type, std::span<const std::uint64_t> shape);

/// Reads the header of a file of `file_size` bytes, of which `head` is the beginning: all of it, or
/// kNpyHeadBytes. `file` names it in messages. Types are those of parse_npy_descr. Throws FileError
/// for a file that is damaged, cut short or too long; InvalidArgument for elements of another type
/// than `wanted`, or than any that there is.
NpyArray parse_npy(std::span<const std::byte> head, std::uint64_t file_size,
                   const std::optional<WantedType>& wanted, std::string_view file);

}  // namespace foldtune
