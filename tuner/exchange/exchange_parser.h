/// The JSON of an exported file, a row at a time.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace foldtune {

enum class ExchangeList { runs, measurements };

inline constexpr std::array<std::string_view, 2> kExchangeListNames{"runs", "measurements"};

/// Fills the place with the next bytes, at most so many, and returns how many; 0: the end.
using ByteSource = std::function<std::size_t(char* place, std::size_t most)>;

/// What is found in the file, in its order.
struct ExchangeVisitor {
  /// A key of the file; a list's has no value here, and comes before its rows.
  std::function<void(const std::string& key, const nlohmann::json& value)> field;
  /// The lists come in any order, each at most once.
  std::function<void(ExchangeList list, const nlohmann::json& row)> row;
};

/// More than any row has: the parser holds one row, and no more.
inline constexpr std::size_t kMostRowBytes = std::size_t{16} << 20;
inline constexpr std::size_t kDeepestRow = 8;

/// Goes through the whole file, of which `file` is the name. Throws FileError for what is no JSON,
/// is cut short, is no object of lists, has a key twice, or a row beyond the limits.
void parse_exchange(const ByteSource& source, std::string_view file,
                    const ExchangeVisitor& visitor);

}  // namespace foldtune
