/// What NumPy calls the types of elements.
#pragma once

#include <optional>
#include <string_view>

#include "foldtune/catalog.h"

namespace foldtune {

/// The type of elements whose `descr` in a .npy header is this one. bf16, which NumPy has no type
/// for, is read from '<u2' and from 2 raw bytes ('|V2') if it is `wanted`; bool is read as u8 if
/// that is. `file` names the file in messages. Throws InvalidArgument for elements of another type
/// than `wanted`, or than any that there is.
ElementType npy_element_type(std::string_view descr, std::optional<ElementType> wanted,
                             std::string_view file);

}  // namespace foldtune
