/// The rows of an exported file, as JSON and back. docs/database.md describes them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>

#include "cache/config_store.h"

namespace foldtune {

inline constexpr const char* kExchangeFormat = "foldtune-tuning";

/// Changes with every change of the rows' fields.
inline constexpr int kExchangeVersion = 6;

/// A row lacks a field, or has one of another form. In words that end a sentence.
class RowFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The columns of the result's run, or of its measurement, under their names, after `run_id`. A
/// text that is not UTF-8 is the list of its bytes, a number that was not measured is null, a
/// problem an object of its fields.
nlohmann::ordered_json run_to_json(const StoredResult& row);
nlohmann::ordered_json measurement_to_json(const StoredResult& row);

/// The columns of the key alone.
nlohmann::ordered_json key_to_json(const ProblemKey& key);

/// The inverse, into the result, with a problem's fields in the order of its family. They throw
/// RowFault; whether the values can be is left to row_rules.h.
void read_run(const nlohmann::json& json, StoredResult& row);
void read_measurement(const nlohmann::json& json, StoredResult& row);

}  // namespace foldtune
