/// A description that tests change.
#pragma once

#include <nlohmann/json.hpp>

namespace foldtune {

inline nlohmann::json copy_description() {
  return nlohmann::json::parse(R"json({
    "name": "copy", "source": "copy.cu", "extents": ["n"],
    "fields": {"T": ["f32", "i64"]},
    "tunables": {"BLOCK": {"values": [256, 64, 128], "default": 128}, "PER_THREAD": [1, 2]},
    "constraints": ["BLOCK * PER_THREAD <= 256"],
    "arguments": [{"name": "input", "access": "input", "type": "T", "elements": "n"},
                  {"name": "output", "access": "output", "type": "T", "elements": "n"},
                  {"name": "notes", "access": "scratch", "bytes": "8 * BLOCK"}],
    "launches": [{"kernel": "copy", "grid": "ceil_div(n, BLOCK * PER_THREAD)", "block": ["BLOCK"],
                  "arguments": ["input", "output", "notes", {"value": "n", "type": "u64"}]}]})json");
}

}  // namespace foldtune
