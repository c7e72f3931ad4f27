#include "runtime/compile/host_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace foldtune {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\\";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

/// The length of a comment, a literal or a line of the preprocessor at the begin of the text; 0 for
/// other code. `before` is the character before it, `is_line_start` whether blanks alone are.
std::size_t length_without_code(std::string_view text, char before, bool is_line_start) {
  if (text.starts_with("/*")) return std::min(text.find("*/", 2), text.size() - 2) + 2;
  if (text.starts_with("//") || (is_line_start && text[0] == '#')) {
    std::size_t end = text.find('\n');
    while (end < text.size() && text[end - 1] == '\\') end = text.find('\n', end + 1);
    return std::min(end, text.size());
  }
  const bool is_digit_mark = text[0] == '\'' && is_word(before);  // 1'000
  if ((text[0] != '"' && text[0] != '\'') || is_digit_mark) return 0;
  std::size_t end = 1;
  while (end < text.size() && text[end] != text[0] && text[end] != '\n') {
    end += text[end] == '\\' ? 2 : 1;
  }
  return std::min(end + 1, text.size());
}

/// Blanks in place of comments and literals, and of the preprocessor's lines, which begin with a
/// semicolon then: they end what is before them. All else is where it was. Raw strings are not
/// known.
std::string with_code_alone(std::string_view text) {
  std::string code(text);
  bool is_line_start = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length =
        length_without_code(text.substr(at), at == 0 ? ' ' : text[at - 1], is_line_start);
    is_line_start = text[at] == '\n' || (is_line_start && kBlanks.find(text[at]) < kBlanks.size());
    const bool is_directive = length > 0 && text[at] == '#';
    const std::size_t end = at + length;
    if (is_directive) code[at++] = ';';
    for (; at < end; ++at) {
      if (code[at] != '\n') code[at] = ' ';
    }
    if (length == 0) ++at;
  }
  return code;
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
  std::size_t at = text.find(word, from);
  const auto is_part_of_longer = [&] {
    const std::size_t end = at + word.size();
    return (at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end]));
  };
  while (at != std::string_view::npos && is_part_of_longer()) at = text.find(word, at + 1);
  return at;
}

/// Takes a word out of a declaration, with what follows it in parentheses; false without it.
bool take_out(std::string& declaration, std::string_view word) {
  const std::size_t begin = find_word(declaration, word);
  if (begin == std::string::npos) return false;
  std::size_t end = begin + word.size();
  const std::size_t next = declaration.find_first_not_of(kBlanks, end);
  if (next != std::string::npos && declaration[next] == '(') {
    int depth = 0;
    end = next;
    do {
      depth +=
          static_cast<int>(declaration[end] == '(') - static_cast<int>(declaration[end] == ')');
    } while (++end < declaration.size() && depth > 0);
  }
  declaration.replace(begin, end - begin, 1, ' ');
  return true;
}

/// What replaces the declaration of dynamic shared memory without its `extern __shared__`.
std::string dynamic_shared_on_host(std::string declaration) {
  constexpr const char* kRefusal =
      "static_assert(false, \"on the CPU device, dynamic shared memory is declared as 'extern "
      "__shared__ TYPE NAME[];'\")";
  for (const char* alignment : {"__align__", "alignas", "__attribute__"}) {
    while (take_out(declaration, alignment)) {
    }
  }
  std::string_view rest = trimmed(declaration);
  for (const char bracket : {']', '['}) {
    if (!rest.ends_with(bracket)) return kRefusal;
    rest.remove_suffix(1);
    rest = trimmed(rest);
  }
  std::size_t name = rest.size();
  while (name > 0 && is_word(rest[name - 1])) --name;
  const std::string_view type = trimmed(rest.substr(0, name));
  if (name == rest.size() || type.empty() || type.ends_with(',') ||
      type.find('[') != std::string_view::npos) {
    return kRefusal;
  }
  // Outside of functions it would be read while the library is loaded, and no block runs.
  return fmt::format(
      "static_assert(*__builtin_FUNCTION() != 0, \"on the CPU device, dynamic "
      "shared memory is declared within a function\"); {0}* const {1} = "
      "static_cast<{0}*>(::foldtune::platform::current->dynamic_shared)",
      type, rest.substr(name));
}

/// Dynamic shared memory as CUDA declares it, `extern __shared__ float cache[];`, which no macro
/// can change to what templates/device/cuda_on_host.cuh has of it. The lines stay where they are.
std::string with_dynamic_shared(const std::string& source) {
  constexpr std::string_view kShared = "__shared__";
  const std::string code = with_code_alone(source);
  std::string result;
  std::size_t copied = 0;
  for (std::size_t at = find_word(code, kShared); at != std::string::npos;
       at = find_word(code, kShared, at + 1)) {
    if (at < copied) continue;
    const std::size_t begin = code.find_first_not_of(kBlanks, code.find_last_of(";{}", at) + 1);
    const std::size_t end = std::min(code.find(';', at), code.size());
    std::string declaration = code.substr(begin, end - begin);
    const auto lines = static_cast<std::size_t>(std::ranges::count(declaration, '\n'));
    take_out(declaration, kShared);
    if (!take_out(declaration, "extern")) continue;
    result += source.substr(copied, begin - copied);
    result += dynamic_shared_on_host(std::move(declaration));
    result.append(lines, '\n');
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
