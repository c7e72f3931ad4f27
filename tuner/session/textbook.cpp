#include "tuner/session/textbook.h"

#include <fmt/format.h>

#include <list>
#include <stdexcept>
#include <string>

#include "templates/described/judge/judge.h"

namespace foldtune {
namespace {

struct TextbookFamily {
  explicit TextbookFamily(Description description)
      : family(std::move(description), /*path=*/""), judge(family) {}

  DescribedFamily family;
  DescribedJudge judge;
};

std::string_view text_of(std::string_view name) {
  for (const EmbeddedFile& file : textbook_files()) {
    if (file.name == name) return file.text;
  }
  throw std::invalid_argument(fmt::format("the textbook has no file {}", name));
}

std::list<TextbookFamily> load_all() {
  std::list<TextbookFamily> families;
  for (const EmbeddedFile& file : textbook_files()) {
    if (!file.name.ends_with(".json") || file.name == "ladder.json") continue;
    try {
      Description description = parse_description(file.text);
      description.source = text_of(description.source_name);
      families.emplace_back(std::move(description));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("{}: {}", file.name, error.what()));
    }
  }
  // Only of what stays: a text that cannot be read takes all families with it.
  for (const TextbookFamily& one : families) add_judge(one.judge);
  return families;
}

}  // namespace

const Family& textbook_family(std::string_view name) {
  static const std::list<TextbookFamily> families = load_all();
  for (const TextbookFamily& one : families) {
    if (one.family.name() == name) return one.family;
  }
  const Family* const family = find_family(name);
  if (family == nullptr) throw std::invalid_argument(fmt::format("no family is named {}", name));
  return *family;
}

}  // namespace foldtune
