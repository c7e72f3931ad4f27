/// Arrays that are reduced: .npy files, members of .npz files, and raw elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/files/input_file.h"
#include "tuner/files/npy_dtype.h"
#include "tuner/files/zip.h"

namespace foldtune {

/// The extents of an array along its axes.
using ArrayShape = std::vector<std::uint64_t>;

enum class InputFormat {
  by_content,  ///< .npy and .npz are known by their first bytes, and so is what is refused
  raw,         ///< elements from the first byte to the last, whatever they look like
};

/// The order that elements are wanted in.
enum class ElementOrder {
  any,      ///< that of the file
  c_order,  ///< that of the array's indices, of which the last counts fastest: as NumPy counts them
};

class InputArray {
 public:
  /// What a name stands for.
  struct Place {
    std::string path;
    std::string member;  ///< of an .npz file; empty: the only one
  };
  static Place find_place(const std::string& name);

  /// `name` is a path, "-" for the standard input, or, of an .npz file of several arrays,
  /// "data.npz:x". A raw file needs a type. Throws FileError for a file that cannot be read or is
  /// damaged, InvalidArgument for one that does not hold what is wanted.
  InputArray(const std::string& name, const std::optional<WantedType>& wanted, InputFormat format);

  const std::string& name() const { return name_; }  ///< for messages
  ElementType type() const { return elements_.type; }
  std::uint64_t count() const { return count_; }
  std::uint64_t bytes() const { return count_ * size_of(elements_.type); }
  /// Empty of a raw file, which has none; a shape of no extents is that of a scalar.
  const std::optional<ArrayShape>& shape() const { return shape_; }

  /// Hands all elements to `take` in pieces: where a piece begins, in bytes, and the piece. To
  /// bring an array of Fortran order into C order takes memory for all of it: OutOfMemory. Throws
  /// FileError after the last piece if they are not what was put into an .npz file.
  using Take = std::function<void(std::uint64_t offset, std::span<const std::byte> piece)>;
  void read(ElementOrder order, const Take& take) const;

 private:
  InputArray(const Place& place, const std::optional<WantedType>& wanted, InputFormat format);
  void find_npy(std::uint64_t begin, std::uint64_t size, const std::optional<WantedType>& wanted);
  void find_member(const Place& place, const std::optional<WantedType>& wanted);
  void find_raw(const std::optional<WantedType>& wanted);
  void read_converted(std::uint64_t begin, std::span<std::byte> bytes, Crc32& crc) const;
  void require_same(const Crc32& crc) const;
  void read_in_c_order(const Take& take) const;

  InputFile file_;
  std::string name_;
  NpyElements elements_;
  std::optional<ArrayShape> shape_;
  bool is_fortran_order_ = false;
  std::uint64_t count_ = 0;
  std::uint64_t offset_ = 0;          ///< of the first element, in bytes
  std::optional<std::uint32_t> crc_;  ///< of a member of an .npz file, as that has it
  Crc32 crc_of_head_;                 ///< of what is before its elements
};

/// "(2, 3)", as NumPy writes it.
std::string format_shape(const ArrayShape& shape);

/// The indices, one for each axis, of element number `index` in C order.
ArrayShape to_indices(const ArrayShape& shape, std::uint64_t index);

}  // namespace foldtune
