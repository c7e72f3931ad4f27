#include "templates/struct_tunables.h"

#include <fmt/format.h>

#include "templates/family.h"

namespace foldtune {

std::string to_template_argument(std::string_view device_struct, const Config& config) {
  std::string text = fmt::format("{}{{", device_struct);
  for (const Tunable& tunable : config.family().tunables()) {
    const int value = config.get(tunable);
    text += fmt::format(".{}=", tunable.name);
    text += tunable.labels.empty() ? fmt::format("{},", value)
                                   : fmt::format("{}::{},", tunable.device_type,
                                                 tunable.labels[static_cast<std::size_t>(value)]);
  }
  text.back() = '}';
  return text;
}

}  // namespace foldtune
