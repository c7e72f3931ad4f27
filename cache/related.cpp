#include "cache/related.h"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "cache/field_text.h"
#include "cache/queries.h"
#include "cache/schema.h"

namespace foldtune {
namespace {

/// The likest has the least: the contract's number, the distance of its bucket, the fields that
/// differ, its input.
using Rank = std::tuple<int, int, std::size_t, std::int64_t>;

/// Tells how like a key the rows of kRelated are.
class Likeness {
 public:
  Likeness(const TuningKey& key, const BucketDistance& distance)
      : key_(key), distance_(distance), words_(words_of(key.problem.problem)) {}

  /// Empty if it is not related.
  std::optional<Rank> rank(const SQLite::Statement& row) const {
    const auto is = [&](int column, const std::string& text) {
      return row.getColumn(column).getString() == text;
    };
    const std::string problem = row.getColumn(1).getString();
    const std::string bucket = row.getColumn(3).getString();
    const bool has_layout = is(2, key_.problem.layout);
    const bool has_conditions = is(9, key_.problem.conditions);
    const bool is_problem = problem == key_.problem.problem && has_layout && has_conditions;
    const bool has_templates = is(5, key_.template_fingerprint);
    const bool is_place =
        is(6, key_.device_fingerprint) && is(7, key_.driver) && is(8, key_.compiler);
    const auto ranked = [&](int tier, int distance, std::size_t differing) {
      return Rank(tier, distance, differing, row.getColumn(4).getInt64());
    };

    if (!is_place && !is_problem) return std::nullopt;
    const std::optional<int> distance = distance_(bucket);
    if (is_place && is_problem && has_templates) {
      if (bucket == key_.problem.bucket) return std::nullopt;
      return ranked(1, distance.value_or(std::numeric_limits<int>::max()), 0);
    }
    if (!distance) return std::nullopt;
    if (is_problem) return ranked(3, *distance, 0);
    const auto words = words_of(problem);
    if (!words || !words_) return std::nullopt;
    const std::size_t differing = count_differing(*words, *words_);
    return ranked(2, *distance, differing + (has_layout ? 0 : 1) + (has_conditions ? 0 : 1));
  }

 private:
  const TuningKey& key_;
  const BucketDistance& distance_;
  std::optional<std::vector<FieldWord>> words_;
};

}  // namespace

std::vector<std::int64_t> related_ids(SQLite::Database& database, const TuningKey& key,
                                      const BucketDistance& distance, std::size_t most) {
  SQLite::Statement rows(database, with_views() + kRelated);
  rows.bind(1, key.problem.family);
  const Likeness likeness(key, distance);
  std::vector<std::pair<Rank, std::int64_t>> related;
  while (rows.executeStep()) {
    const std::optional<Rank> rank = likeness.rank(rows);
    if (rank) related.emplace_back(*rank, rows.getColumn(0).getInt64());
  }
  std::ranges::stable_sort(related, {}, &std::pair<Rank, std::int64_t>::first);
  related.resize(std::min(related.size(), most));
  std::vector<std::int64_t> ids;
  ids.reserve(related.size());
  for (const auto& [rank, id] : related) ids.push_back(id);
  return ids;
}

}  // namespace foldtune
