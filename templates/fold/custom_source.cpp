#include "templates/fold/custom_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "templates/catalog.h"

namespace foldtune {
namespace {

/// A function whose expression stands on lines of its own, which a compiler calls by `name`. So it
/// calls the lines around it, which it blames for a value of the wrong type, and for an end that
/// comes too early.
std::string function(std::string_view declaration, std::string_view name,
                     const std::string& expression) {
  const auto last_line = 1 + std::ranges::count(expression, '\n');
  return fmt::format(
      "  static FOLDTUNE_DEVICE {0} {{\n#line 1 \"{1}\"\n    return (\n#line 1 \"{1}\"\n{2}\n"
      "#line {3} \"{1}\"\n    );\n#line 1 \"custom operator\"\n  }}\n",
      declaration, name, expression, last_line);
}

}  // namespace

std::string custom_source(const CustomOperator& op) {
  std::string types;
  std::string parameters;
  constexpr std::string_view kNames = "xyzw";
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const std::string_view type = device_name(op.inputs[i]);
    types += fmt::format("{}{}", i == 0 ? "" : ", ", type);
    parameters += fmt::format("[[maybe_unused]] Held<{}> {}, ", type, kNames[i]);
  }
  std::string text = "namespace foldtune {\n";
  const bool is_struct = op.accumulator.size() > 1 || !op.accumulator.front().name.empty();
  if (is_struct) {
    text += "struct CustomAccumulator {\n";
    for (const AccumulatorField& field : op.accumulator) {
      text += fmt::format("  {} {};\n", device_name(field.type), field.name);
    }
    text += "};\n";
  } else {
    text += fmt::format("using CustomAccumulator = {};\n", device_name(op.accumulator[0].type));
  }
  text += "struct CustomOperator {\n";
  text += fmt::format("  using Inputs = TypeList<{}>;\n", types);
  text += "  using Accumulator = CustomAccumulator;\n";
  text += "  static constexpr Instruction kInstruction = Instruction::none;\n";
  text += function("Accumulator identity()", "identity", op.identity);
  text += function(fmt::format("Accumulator map({}[[maybe_unused]] uint64 i)", parameters), "map",
                   op.map);
  text += function("Accumulator combine(const Accumulator& a, const Accumulator& b)", "combine",
                   op.combine);
  text += function(fmt::format("Held<{}> finish(const Accumulator& a, [[maybe_unused]] uint64 n)",
                               device_name(op.result)),
                   "finish", op.finish);
  text += "};\n}  // namespace foldtune\n";
  return text;
}

}  // namespace foldtune
