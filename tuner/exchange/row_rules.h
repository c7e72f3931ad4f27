/// What a row has to be, beyond its form: of import, export and doctor. Each returns what is wrong,
/// in words that end a sentence; empty if nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cache/config_store.h"
#include "cache/rows.h"

namespace foldtune {

std::string fault_of_run(const StoredResult& row);

/// Of a row whose run has no fault. Tunables are known of the kernels of this Foldtune; of others
/// the params only have to be plain values. A user's operator is known by a hash alone, so that its
/// params have to be those of its family.
std::string fault_of_measurement(const StoredResult& row);

struct RowVerdict {
  std::string fault{};      ///< that of `fault_of_measurement`
  bool is_unknown = false;  ///< it is that this program lacks the family's file, or has another one
};
RowVerdict judge_measurement(const StoredResult& row);

/// The same of a row with its run. What is not unknown either is taken by no other Foldtune,
/// whatever files of families it is given.
RowVerdict judge_row(const ResultRow& row);

/// "measurement 3: its round is ...", a line of a limited length.
std::string reason_line(std::string_view what, std::int64_t number, const std::string& reason);

}  // namespace foldtune
