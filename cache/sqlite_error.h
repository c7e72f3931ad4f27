/// SQLite's errors in words for the user.
#pragma once

#include <SQLiteCpp/Exception.h>

#include <filesystem>
#include <string_view>

#include "cache/store_error.h"

namespace foldtune {

/// `doing` as in "cannot store a measurement in the tuning database ...": "store a measurement in".
StoreError describe(const SQLite::Exception& error, std::string_view doing,
                    const std::filesystem::path& path);

}  // namespace foldtune
