/// Which rows of the database a verb is about: fields of their problems, such as --op, and
/// --device.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cache/config_store.h"
#include "cache/device_filter.h"
#include "tuner/commands/field_options.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace foldtune {

/// Which rows are asked for, as it was typed.
struct RowFilter {
  std::string family;  ///< "": any
  FieldTexts fields;   ///< lists of values; "every": whatever it is
  std::string device;  ///< as `device_filter` takes it
};

/// Adds the fields' options, --family and --device.
void add_row_filter(CLI::App& app, RowFilter& filter);

/// Adds those of fields and families alone.
void add_problem_filter(CLI::App& app, RowFilter& filter);

/// Adds --device alone, for `device_filter`.
void add_device_filter(CLI::App& app, std::string& device);

/// What it takes, for its help.
inline constexpr const char* kDeviceFilterHelp =
    "Of devices: cpu, cuda:N of this machine, or part of a name, such as h200";

/// The names that `foldtune tune` takes, and more: "cpu" is every CPU device, "cuda:0" what has the
/// name of that GPU of this machine, any other text a part of a device's name, in upper or lower
/// case; "" is any device. Throws InvalidArgument for "cuda:" without a number, Unavailable for a
/// GPU that is not there.
DeviceFilter device_filter(const std::string& text);

/// Whether the filter lets a row through. Throws InvalidArgument for names that there are not, and
/// as `device_filter` does.
std::function<bool(const StoredResult&)> row_test(const RowFilter& filter);

/// The rows that the filter lets through, in their order. Without names all of them, whatever
/// theirs are. Throws as `row_test` does.
std::vector<StoredResult> select(std::vector<StoredResult> rows, const RowFilter& filter);

}  // namespace foldtune
