#include "tuner/commands/run_task.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tuner/verify/number.h"

namespace foldtune {

nlohmann::ordered_json number_json(ElementType type, const std::byte* number) {
  const std::string text = format_number_of(type, number);
  if (!is_floating(type)) return nlohmann::ordered_json::parse(text);
  const auto value = static_cast<double>(read_number(type, number).floating);
  if (!std::isfinite(value)) return text;
  return value;
}

}  // namespace foldtune
