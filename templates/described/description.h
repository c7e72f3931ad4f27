/// What a file says of a kernel of the user's own: docs/own-kernels.md has the form.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "templates/described/expression.h"
#include "templates/launch.h"

namespace foldtune {

struct Description {
  /// A value of a problem that is a macro of the source: "T" of "f32" and "i32".
  struct NamedField {
    std::string name;
    std::vector<std::string> labels;
  };
  struct NamedTunable {
    std::string name;  ///< also of the macro
    std::vector<int> values;
    int fallback = 0;
  };
  struct Array {
    std::string name;
    Access access = Access::input;  ///< input or output
    /// Of its elements: the name of a type, or of a field whose labels are such names.
    std::string type;
    Expression elements;  ///< of the extents
  };
  /// Device memory between the launches of a call, which they may find in any state.
  struct Scratch {
    std::string name;
    Expression bytes;  ///< of the extents and the tunables
  };
  /// What a kernel gets as a parameter: an array, scratch, or a number.
  struct Parameter {
    enum class Kind { array, scratch, number };
    Kind kind = Kind::array;
    std::size_t place = 0;  ///< of the array or the scratch
    Expression value{};     ///< of a number
    ElementType type = ElementType::u32;
  };
  struct KernelLaunch {
    std::size_t kernel = 0;  ///< its place in `kernels`
    std::array<Expression, 3> grid;
    std::array<Expression, 3> block;
    Expression shared_bytes;
    std::vector<Parameter> parameters;
  };
  /// Of whose results it is an implementation: another family's problem, whose inputs and result
  /// are those of the arrays, in their order.
  struct Reference {
    std::string family;
    std::string problem;  ///< "op=sum type={T}": a field of this family in braces
  };

  std::string name;
  std::string about;
  std::string source_name;  ///< "reduce.cu"
  std::string source;       ///< the text of the kernels
  /// Its own text without white space, and without what changes neither kernels nor launches.
  std::string json;
  bool needs_toolkit = false;
  std::vector<NamedField> fields;
  std::vector<std::string> extents;
  std::vector<NamedTunable> tunables;
  std::vector<Expression> constraints;
  std::vector<Array> arrays;
  std::vector<Scratch> scratch;
  std::vector<std::string> kernels;  ///< names, or name expressions of templates
  std::vector<KernelLaunch> launches;
  std::optional<Reference> reference;
  /// How far two right results may be apart, relative to the larger one: where there is no
  /// reference, every configuration is compared with the first.
  double tolerance = 1e-3;

  /// What expressions may use: the extents, then the tunables, then `multiprocessors`.
  std::vector<std::string> names() const;
};

/// Reads the JSON text of a description; its kernels' text is left empty. Throws
/// std::invalid_argument, which says where and what is wrong.
Description parse_description(std::string_view json);

}  // namespace foldtune
