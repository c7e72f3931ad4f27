/// The fields of problems on the command line: an option of its name for each field of any family,
/// with its help. What there is comes from the families alone.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foldtune/workload.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace foldtune {

/// A field of a name, and the families that have it.
struct FieldOption {
  struct Place {
    const Family* family;
    const Field* field;
  };
  std::string_view name;
  std::vector<Place> places{};
};

/// Of all families, each name once, in their order.
std::vector<FieldOption> field_options();

/// What was typed for fields, by their names.
using FieldTexts = std::map<std::string, std::string, std::less<>>;

enum class Values {
  one,
  list,    ///< of values by comma, or "every"
  filter,  ///< the same, for what is there already
};

/// Adds them, with --family.
void add_field_options(CLI::App& app, FieldTexts& texts, std::string& family, Values values);

/// Adds --family for verbs that only need to know families of files, which they then do.
void add_family_files_option(CLI::App& app);

/// For a footer: the values of fields that have more than the help of an option holds.
std::string describe_field_values();

/// The families that are meant: the one that was named, else all. Throws InvalidArgument, which
/// lists what there is.
std::vector<const Family*> require_families(const std::string& name);

/// The value as families know it: of an integer also "2^10". A filter may also name an operator of
/// the user's as rows do, "name:hash". Throws InvalidArgument, which lists what there is, if no
/// family has it.
std::string require_value(const FieldOption& option, const std::string& text,
                          Values values = Values::one);

/// The values by comma, each once. "every" is each but the one that takes an operator of the
/// user's.
std::vector<std::string> require_values(const FieldOption& option, const std::string& list,
                                        Values kind = Values::list);

inline constexpr std::string_view kEvery = "every";

/// The value that stands for an operator of the user's own, in a field that can.
inline constexpr std::string_view kCustom = "custom";

/// Whether a problem with this field at kCustom is that of its CustomOperator.
bool takes_custom(const FieldOption::Place& place);

}  // namespace foldtune
