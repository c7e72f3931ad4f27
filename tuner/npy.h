/// NumPy's .npy files, versions 1.0, 2.0 and 3.0: the magic "\x93NUMPY", the version as two bytes,
/// the header's length as a little-endian u16 (version 1.0) or u32, the header, a Python dictionary
/// such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, and the elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "foldtune/catalog.h"

namespace foldtune {

/// Where the elements lie. Their order is not told: a fold takes the elements of an array in the
/// order of the file, which for a contiguous array holds each element once.
struct NpyArray {
  ElementType type = ElementType::f32;
  std::uint64_t count = 0;        ///< elements; 1 for a scalar
  std::uint64_t data_offset = 0;  ///< bytes from the beginning of the file
};

/// Bytes from the beginning of a file in which a header ends that is no longer than NumPy's own.
inline constexpr std::size_t kNpyHeadBytes = 65536 + 12;

/// Whether a file that begins with these bytes is meant as .npy.
bool is_npy(std::span<const std::byte> head);

/// Reads the header of a file of `file_size` bytes, of which `head` is the beginning: all of it, or
/// kNpyHeadBytes. `file` names it in messages. bf16, which NumPy has no type for, is read from
/// '<u2' and from 2 raw bytes ('|V2') if it is `wanted`; bool is read as u8 if that is. Throws
/// FileError for a file that is damaged, cut short or too long; InvalidArgument for elements of
/// another type than `wanted`, or than any that there is.
NpyArray parse_npy(std::span<const std::byte> head, std::uint64_t file_size,
                   std::optional<ElementType> wanted, std::string_view file);

}  // namespace foldtune
