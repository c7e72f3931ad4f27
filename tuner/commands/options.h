/// What several verbs take: numbers, a device, a database.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace foldtune {

/// The type names of options that name files, by which `files_read` tells the two kinds apart.
inline constexpr const char* kFileToRead = "FILE";
inline constexpr const char* kFileToWrite = "OUT";

/// The whole numbers that an option takes.
struct NumberRange {
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
};

/// An option with a whole number. Another text throws InvalidArgument, which says what it takes.
void add_number_option(CLI::App& app, const std::string& flag, const NumberRange& range,
                       const std::function<void(std::uint64_t)>& set, const std::string& help);

// --db, --threads and --seed.
void add_database_option(CLI::App& app, std::optional<std::string>& database);
void add_threads_option(CLI::App& app, int& threads);
void add_seed_option(CLI::App& app, std::uint64_t& seed, const std::string& help);

/// Throws InvalidArgument where both the JSON of a verb and what it writes to `output`, "the
/// export" of `option`, would be on the standard output.
void require_place_for_json(bool as_json, const std::string& output, const std::string& what,
                            const std::string& option);

/// The device that was asked for, else "cuda:0" where there is one, else "cpu", which is said on
/// stderr.
std::string choose_device(const std::optional<std::string>& asked);

/// The database that was asked for, else the default one.
std::string database_path(const std::optional<std::string>& asked);

/// The end of every message about the times of the CPU device.
inline constexpr const char* kCpuTimes = "its results are right, its times say nothing about a GPU";

}  // namespace foldtune
