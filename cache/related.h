/// Results that a search may begin with.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cache/config_store.h"

namespace foldtune {

/// The ids of the measurements that `ConfigStore::related` returns, in its order. Throws
/// `SQLite::Exception`.
std::vector<std::int64_t> related_ids(SQLite::Database& database, const TuningKey& key,
                                      const BucketDistance& distance, std::size_t most);

}  // namespace foldtune
