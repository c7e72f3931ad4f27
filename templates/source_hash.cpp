#include "templates/source_hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

namespace foldtune {
namespace {

/// Those of several characters, longer ones first.
constexpr std::array<std::string_view, 27> kPunctuators{
    "<<=", ">>=", "<=>", "->*", "...", "::", "++", "--", "->", ".*", "<<", ">>", "<=", ">=",
    "==",  "!=",  "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : rest_(text) {}

  std::string run() {
    while (!rest_.empty()) step();
    end_directive();
    return std::move(tokens_);
  }

 private:
  void step() {
    if (rest_.starts_with("\\\n")) {
      skip(2);
    } else if (rest_.front() == '\n') {
      end_directive();
      is_line_start_ = true;
      rest_.remove_prefix(1);
    } else if (is_space(rest_.front())) {
      skip(1);
    } else if (rest_.starts_with("//")) {
      skip(line_length());
    } else if (rest_.starts_with("/*")) {
      const std::size_t end = rest_.find("*/", 2);
      skip(end == std::string_view::npos ? rest_.size() : end + 2);
    } else {
      take(token_length());
    }
  }

  /// Of the rest of the line, which goes on after a backslash at its end.
  std::size_t line_length() const {
    std::size_t end = rest_.find('\n');
    while (end != std::string_view::npos && end > 0 && rest_[end - 1] == '\\') {
      end = rest_.find('\n', end + 1);
    }
    return std::min(end, rest_.size());
  }

  std::size_t token_length() const {
    const char first = rest_.front();
    if (first == '"' || first == '\'') return literal_length(first);
    if (is_word(first)) return word_length();
    for (const std::string_view op : kPunctuators) {
      if (rest_.starts_with(op)) return op.size();
    }
    return 1;
  }

  std::size_t literal_length(char quote) const {
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '\\') {
        ++i;
      } else if (rest_[i] == quote) {
        return i + 1;
      }
    }
    return rest_.size();
  }

  /// Names, and numbers with their point, their exponent's sign and the marks between digits.
  std::size_t word_length() const {
    const bool is_number = is_digit(rest_.front());
    std::size_t i = 1;
    for (; i < rest_.size(); ++i) {
      const char c = rest_[i];
      const char before = rest_[i - 1];
      const bool is_exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
      const bool is_in_number =
          is_number && (c == '.' || c == '\'' || ((c == '+' || c == '-') && is_exponent));
      if (!is_word(c) && !is_in_number) break;
    }
    return i;
  }

  void take(std::size_t length) {
    const bool begins_directive = is_line_start_ && rest_.front() == '#';
    if (begins_directive) is_directive_ = true;
    // `#define F (x)` is not `#define F(x)`; `# define` is `#define`.
    if (is_directive_ && is_after_space_ && !begins_directive && !is_at_begin_) tokens_ += ' ';
    is_at_begin_ = begins_directive;
    tokens_.append(rest_.substr(0, length)).push_back('\n');
    rest_.remove_prefix(length);
    is_line_start_ = false;
    is_after_space_ = false;
  }

  void skip(std::size_t length) {
    rest_.remove_prefix(std::min(length, rest_.size()));
    is_after_space_ = true;
  }

  void end_directive() {
    if (is_directive_) tokens_ += '\n';
    is_directive_ = false;
    is_after_space_ = false;
  }

  std::string_view rest_;
  std::string tokens_;
  bool is_line_start_ = true;
  bool is_directive_ = false;
  bool is_at_begin_ = false;  ///< of a directive: after its `#`
  bool is_after_space_ = false;
};

/// The hashes of some files, each made when it is asked for first.
class Hashes {
 public:
  explicit Hashes(std::span<const EmbeddedFile> files)
      : files_(files), hashes_(files.size()), is_open_(files.size()) {}

  std::uint64_t of(std::size_t index) {
    if (hashes_[index]) return *hashes_[index];
    const EmbeddedFile& file = files_[index];
    if (is_open_[index]) throw std::logic_error(fmt::format("{} includes itself", file.name));
    is_open_[index] = true;
    std::string text = tokens_of(file.text);
    for (const std::string_view name : included_files(file.text)) {
      const auto found = std::ranges::find(files_, name, &EmbeddedFile::name);
      if (found == files_.end()) continue;
      text += fmt::format("{:016x}\n", of(static_cast<std::size_t>(found - files_.begin())));
    }
    hashes_[index] = XXH3_64bits(text.data(), text.size());
    return *hashes_[index];
  }

 private:
  std::span<const EmbeddedFile> files_;
  std::vector<std::optional<std::uint64_t>> hashes_;
  std::vector<bool> is_open_;
};

/// With "#" for "%:", which means the same.
std::string with_plain_hashes(std::string_view text) {
  constexpr std::string_view kDigraph = "%:";
  std::string plain;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kDigraph), text.size());
    plain += text.substr(0, end);
    if (end < text.size()) plain += '#';
    text.remove_prefix(std::min(text.size(), end + kDigraph.size()));
  }
  return plain;
}

}  // namespace

std::string tokens_of(std::string_view text) { return Tokenizer(text).run(); }

std::vector<std::string_view> included_files(std::string_view text) {
  constexpr std::string_view kInclude = "#include \"";
  std::vector<std::string_view> names;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(kInclude)) continue;
    const std::string_view name = line.substr(kInclude.size());
    names.push_back(name.substr(0, name.find('"')));
  }
  return names;
}

std::string find_include_fault(std::string_view text) {
  constexpr std::string_view kBegin = "#\n";
  constexpr std::array<std::string_view, 3> kWords{"include\n", "include_next\n", "import\n"};
  const std::string all = tokens_of(with_plain_hashes(text));
  for (std::size_t at = all.find(kBegin); at != std::string::npos; at = all.find(kBegin, at)) {
    at += kBegin.size();
    const auto word = std::ranges::find_if(
        kWords, [&](std::string_view one) { return all.compare(at, one.size(), one) == 0; });
    if (word == kWords.end()) continue;
    at += word->size();
    std::string name = all.substr(at, all.find("\n\n", at) - at);
    std::erase_if(name, [](char c) { return c == '\n' || c == ' '; });
    const bool is_literal = name.starts_with('"') || name.starts_with('<');
    const bool is_absolute = is_literal && name.substr(1).starts_with('/');
    if (is_literal && !is_absolute && name.find("..") == std::string::npos) continue;
    return fmt::format("it includes {}, a file of yours, whose changes would go unseen", name);
  }
  return {};
}

std::vector<std::uint64_t> source_hashes(std::span<const EmbeddedFile> files) {
  Hashes hashes(files);
  std::vector<std::uint64_t> all;
  all.reserve(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) all.push_back(hashes.of(i));
  return all;
}

}  // namespace foldtune
