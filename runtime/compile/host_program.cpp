#include "runtime/compile/host_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace foldtune {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

struct SharedArray {
  std::string_view type;
  std::string_view name;
};

/// Of "__align__(16) unsigned char cache[]"; empty for what is no array without a size.
std::optional<SharedArray> parse_shared_array(std::string_view text) {
  constexpr std::string_view kAlignment = "__align__(";
  text = trimmed(text);
  if (text.starts_with(kAlignment))
    text.remove_prefix(std::min(text.find(')'), text.size() - 1) + 1);
  for (const char bracket : {']', '['}) {
    text = trimmed(text);
    if (!text.ends_with(bracket)) return std::nullopt;
    text.remove_suffix(1);
  }
  text = trimmed(text);
  const std::size_t name = text.find_last_of(" \t\r\n>") + 1;
  const SharedArray array = {.type = trimmed(text.substr(0, name)), .name = text.substr(name)};
  // Of what else may follow the words, as in a comment, none is a type.
  const auto may_be_of_type = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_:<>, \t\r\n").find(c) != std::string_view::npos;
  };
  const bool is_type = !array.type.empty() && std::ranges::all_of(array.type, may_be_of_type);
  return is_type && !array.name.empty() ? std::optional(array) : std::nullopt;
}

/// Dynamic shared memory as CUDA declares it, `extern __shared__ float cache[];`, which no macro
/// can change to what templates/device/cuda_on_host.cuh has of it. The lines stay where they are.
std::string with_dynamic_shared(const std::string& source) {
  constexpr std::string_view kDeclaration = "extern __shared__";
  std::string result;
  std::size_t copied = 0;
  for (std::size_t at = source.find(kDeclaration); at != std::string::npos;
       at = source.find(kDeclaration, at + 1)) {
    const std::size_t end = std::min(source.find(';', at), source.size());
    const std::string_view declared = std::string_view(source).substr(at, end - at);
    const auto array = parse_shared_array(declared.substr(kDeclaration.size()));
    if (!array) continue;
    result += source.substr(copied, at - copied);
    result += fmt::format(
        "{0}* const {1} = static_cast<{0}*>(::foldtune::platform::current->dynamic_shared)",
        array->type, array->name);
    result.append(static_cast<std::size_t>(std::ranges::count(declared, '\n')), '\n');
    copied = end;
  }
  return result + source.substr(copied);
}

}  // namespace

std::string host_entry_name(std::size_t index) { return fmt::format("foldtune_entry_{}", index); }

std::string host_program(const Program& program) {
  std::string text = fmt::format(
      "#include \"templates/device/host_math.h\"\n#line 1 \"program\"\n{}\n#include "
      "\"templates/device/platform.cuh\"\n#line 1 \"name expressions\"\n",
      with_dynamic_shared(program.source));
  for (std::size_t i = 0; i < program.name_expressions.size(); ++i) {
    text += fmt::format(
        "extern \"C\" __attribute__((visibility(\"default\"))) void {}(::foldtune::host::Thread* "
        "thread, void** arguments) {{ ::foldtune::platform::run_thread(thread, &{}, arguments); "
        "}}\n",
        host_entry_name(i), program.name_expressions[i]);
  }
  return text;
}

}  // namespace foldtune
