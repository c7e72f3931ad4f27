/// What `foldtune run` says and writes of a result that is an array.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foldtune/catalog.h"
#include "tuner/files/input_array.h"
#include "tuner/files/output_file.h"

namespace foldtune {

class ArrayOfResults {
 public:
  /// Of numbers of the type, with these extents. `path`: the .npy file that was asked for.
  ArrayOfResults(ElementType type, ArrayShape shape, std::optional<std::string> path)
      : type_(type), shape_(std::move(shape)), path_(std::move(path)) {}

  /// Opens the file, which must be none of those that are read. Throws FileError, InvalidArgument.
  void open(const std::vector<std::string>& files_read);
  void save(std::span<const std::byte> result);

  nlohmann::ordered_json json(std::span<const std::byte> result) const;
  /// The first few, and what they are of.
  std::string text(std::span<const std::byte> result) const;

 private:
  std::size_t count() const;

  ElementType type_;
  ArrayShape shape_;
  std::optional<std::string> path_;
  std::optional<OutputFile> file_;
};

}  // namespace foldtune
