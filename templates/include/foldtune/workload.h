/// What is computed and how much of it, as data: the same types for every family of kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "foldtune/custom.h"
#include "foldtune/export.h"

namespace foldtune {

class Family;  // what supplies kernels: of the library itself

/// One of the values that tell the problems of a family apart: a name of several, or an integer.
/// The command line, JSON, the database and messages take its name from here.
struct Field {
  std::string_view name;                          ///< "accumulator"
  std::string_view meaning;                       ///< a line for help
  std::span<const std::string_view> labels = {};  ///< the names; empty for an integer
  int least = 0;                                  ///< of an integer, the smallest
  int most = 0;                                   ///< the largest
  /// The value where nothing is said: an integer, or a label's place. Empty: it has to be said, or
  /// follows from the others (Family::complete); then it is part of every key.
  std::optional<int> fallback = std::nullopt;
  /// How unlike two problems are that differ in it, for a search that begins with what was good for
  /// others: as so many factors of two of their size.
  double apart = 1;
  std::size_t place = 0;  ///< among the family's fields
};

/// What is computed: a family and a value for each of its fields. A value type.
class FOLDTUNE_API Problem {
 public:
  static constexpr std::size_t kMaxFields = 12;  ///< of a family
  /// Of a field whose value was not said, and does not follow yet.
  static constexpr int kUnsaid = INT32_MIN;

  /// Every field has its fallback.
  explicit Problem(const Family& family);

  const Family& family() const { return *family_; }  ///< whose kernels compute it

  /// An integer, or a label's place.
  int get(const Field& field) const { return values_.at(field.place); }
  /// The same. No value is kUnsaid, which nonsense that was cast to an enumerator may be.
  void set(const Field& field, int value) {
    values_.at(field.place) = value == kUnsaid ? kUnsaid + 1 : value;
  }
  void clear(const Field& field) { values_.at(field.place) = kUnsaid; }  ///< it was not said

  /// The user's own operator, where a field says so; null for all others.
  const std::shared_ptr<const CustomOperator>& custom() const { return custom_; }
  void set_custom(std::shared_ptr<const CustomOperator> custom) { custom_ = std::move(custom); }
  ///< the same

  bool operator==(const Problem& other) const;  ///< custom operators by their name and their hash

 private:
  const Family* family_;
  std::array<int, kMaxFields> values_{};
  std::shared_ptr<const CustomOperator> custom_;
};

/// The fields as text, in the family's order, without those at their fallback:
/// "op=sum type=f32 accumulator=f32 result=f32". Equal problems of a family have equal texts.
FOLDTUNE_API std::string field_text(const Problem& problem);

/// The inverse. Empty for what is unknown. Of a custom operator, "op=name:hash", only its name and
/// types come back.
FOLDTUNE_API std::optional<Problem> problem_of(const Family& family, std::string_view field_text);

/// How much is computed: the extents of one call, which the family names, such as {n}. Those that
/// it has not are 0.
struct Shape {
  static constexpr std::size_t kMaxExtents = 4;      ///< of a family
  std::array<std::uint64_t, kMaxExtents> extents{};  ///< in the family's order

  const std::uint64_t& operator[](std::size_t i) const { return extents[i]; }  ///< one extent
  std::uint64_t& operator[](std::size_t i) { return extents[i]; }              ///< one extent
  bool operator==(const Shape&) const = default;                               ///< of all extents
};

/// The shapes that share what was tuned: each extent rounded by the family, usually to a power of
/// two, of which this is the exponent.
struct Bucket {
  std::array<std::int16_t, Shape::kMaxExtents> classes{};  ///< one for each extent

  bool operator==(const Bucket&) const = default;  ///< of all classes
  /// Class by class.
  bool operator<(const Bucket& other) const { return classes < other.classes; }
};

/// @{
/// "1048576", "4096x100"; "20", "12x7": as in the database, as many as the family has extents, but
/// for some of the first ones that are 1, which a family may leave out.
FOLDTUNE_API std::string to_text(const Family& family, const Shape& shape);
FOLDTUNE_API std::string to_text(const Family& family, const Bucket& bucket);
/// The inverse; empty for another number of extents, or for no numbers.
FOLDTUNE_API std::optional<Shape> parse_shape(const Family& family, std::string_view text);
FOLDTUNE_API std::optional<Bucket> parse_bucket(const Family& family, std::string_view text);
/// @}

/// Where the inputs of calls are, and how the calls are launched: what is fastest may depend on it,
/// so that results are kept under it and looked up by it.
enum class Conditions {
  cold_graph,   ///< inputs come from memory; calls are launched in a CUDA graph
  warm_graph,   ///< inputs are in the L2, as far as they fit; calls are launched in a CUDA graph
  cold_stream,  ///< inputs come from memory; calls follow one another in a stream
  warm_stream,  ///< inputs are in the L2, as far as they fit; calls follow one another in a stream
};

/// @{
/// "cold_graph": the enumerator as text, spelled as here, and its inverse; empty for an unknown
/// name. Static storage: the views stay valid.
FOLDTUNE_API std::string_view name(Conditions conditions);
FOLDTUNE_API std::optional<Conditions> parse_conditions(std::string_view text);
FOLDTUNE_API std::span<const std::string_view> conditions_names();
/// @}

/// Whether they are those of inputs in the L2.
constexpr bool has_warm_inputs(Conditions conditions) {
  return conditions == Conditions::warm_graph || conditions == Conditions::warm_stream;
}

/// What is tuned and looked up: a problem of a shape. (A case, but that C++ has a keyword of it.)
struct Workload {
  Problem problem;  ///< what is computed
  Shape shape{};    ///< how much of it
  /// The class of a call's addresses that needs a program of its own, by its place among those of
  /// the family (Family::layouts): whether they are aligned, for example.
  int layout = 0;
  Conditions conditions = Conditions::cold_graph;  ///< of the calls

  bool operator==(const Workload&) const = default;  ///< of all members
};

/// "sum f32 2^20", "variance f32 to f64 (ddof 1) 1000003", "sum f32 4096 warm_graph": for people.
/// Without the layout, and without conditions that are the usual ones.
FOLDTUNE_API std::string to_string(const Problem& problem);
FOLDTUNE_API std::string to_string(const Workload& workload);  ///< the same

/// Empty if it can be computed, else what is wrong with it. Of a problem: with any shape.
FOLDTUNE_API std::string find_fault(const Problem& problem);
FOLDTUNE_API std::string find_fault(const Workload& workload);  ///< the same

/// Size classes from one power of two to the next.
inline constexpr int kClassesOfOctave = 4;

/// log2 of an extent in steps of a quarter, rounded up: 4 log2, so that a class ends where tiles of
/// a power of two are full; 0 for 0. What most families round by. Of small extents some classes
/// are empty.
FOLDTUNE_API int size_class(std::uint64_t extent);

/// The largest extent of a size class: floor of 2^(size_class / 4).
FOLDTUNE_API std::uint64_t max_of_size_class(int size_class);

}  // namespace foldtune
