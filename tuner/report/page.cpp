#include "tuner/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "tuner/report/page_sources.h"

namespace foldtune {
namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";

std::string_view source(std::string_view name) {
  const auto sources = page_sources();
  const auto found = std::ranges::find(sources, name, &EmbeddedFile::name);
  if (found == sources.end()) throw std::logic_error(fmt::format("the page has no {}", name));
  return found->text;
}

/// In JSON a '<' stands in strings alone. Escaped, it can begin neither "</script>" nor "<!--".
std::string script_safe(const nlohmann::ordered_json& data) {
  const std::string text =
      data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string make_page(const nlohmann::ordered_json& data) {
  std::string page;
  std::string_view rest = source("page.html");
  // What is put in is not looked through again, whatever it contains.
  while (true) {
    const std::size_t open = rest.find(kOpen);
    page += rest.substr(0, open);
    if (open == std::string_view::npos) return page;
    rest.remove_prefix(open + kOpen.size());
    const std::size_t close = rest.find(kClose);
    const std::string_view name = rest.substr(0, close);
    if (name == "data") {
      page += script_safe(data);
    } else {
      page += source(name);
    }
    rest.remove_prefix(close + kClose.size());
  }
}

}  // namespace foldtune
