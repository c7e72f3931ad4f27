/// The page: its sources in this folder, a chart library and the data, in one text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace foldtune {

/// An HTML document that needs no other file. No text of the data can end the element that it is
/// in; bytes that are not UTF-8 are replaced.
std::string make_page(const nlohmann::ordered_json& data);

}  // namespace foldtune
