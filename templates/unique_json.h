/// JSON of which no key is there twice, where others would leave one of the two out in silence.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace foldtune {

/// `Json` is nlohmann::json or ordered_json. Throws its exceptions, and std::invalid_argument for a
/// key that an object has twice.
template <class Json>
Json parse_unique_json(std::string_view text) {
  std::vector<std::set<std::string>> objects;  // the keys of those that are open
  return Json::parse(text, [&](int, typename Json::parse_event_t event, const Json& parsed) {
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
  });
}

}  // namespace foldtune
