/// JSON of which no key is there twice, where others would leave one of the two out in silence.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace foldtune {

/// `Json` is nlohmann::json or ordered_json. Throws std::invalid_argument for what is no JSON, and
/// for a key that an object has twice.
template <class Json>
Json parse_unique_json(std::string_view text) {
  std::vector<std::set<std::string>> objects;  // the keys of those that are open
  const auto add = [&](int, typename Json::parse_event_t event, const Json& parsed) {
    using Event = typename Json::parse_event_t;
    if (event == Event::object_start) objects.emplace_back();
    if (event == Event::object_end) objects.pop_back();
    if (event == Event::key) {
      const auto& key = parsed.template get_ref<const std::string&>();
      if (!objects.back().insert(key).second) {
        throw std::invalid_argument("the key '" + key + "' is there twice");
      }
    }
    return true;
  };
  try {
    return Json::parse(text, add);
  } catch (const typename Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 1: ..."; it repeats all of a
    // number that is too large.
    constexpr std::size_t kShownBytes = 300;
    const std::string_view what = error.what();
    const std::size_t begin = what.find("] ") + 2;
    throw std::invalid_argument("it cannot be read as JSON: " +
                                std::string(what.substr(begin, kShownBytes)));
  }
}

}  // namespace foldtune
