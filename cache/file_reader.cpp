#include "cache/file_reader.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <random>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>

#include "cache/inspection.h"
#include "cache/network_file_system.h"
#include "cache/schema.h"
#include "cache/store_error.h"

namespace foldtune {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

std::int64_t ns_of(const timespec& time) {
  return time.tv_sec * kNanosecondsPerSecond + time.tv_nsec;
}

// A file's time is as coarse as a clock tick, of some file systems a second or two: a file that was
// changed just now may change again without a new time.
bool is_settled(const FileStates& states) {
  constexpr std::int64_t kSettledAge = 2 * kNanosecondsPerSecond;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return ns_of(now) - states.changed_ns > kSettledAge;
}

// SQLite's own handler sleeps for up to 100 ms between two attempts, in which other writers commit
// a hundred times: of eight that write all the time some never get their turn. With short sleeps of
// random length all have the same chance. `patience` is the number of milliseconds.
int wait_for_others(void* patience, int attempts) {
  constexpr int kShortestUs = 200;
  constexpr int kLongestUs = 3000;
  thread_local std::chrono::steady_clock::time_point began;
  thread_local std::minstd_rand random(std::random_device{}());
  const auto now = std::chrono::steady_clock::now();
  if (attempts == 0) began = now;
  if (now - began >= std::chrono::milliseconds(reinterpret_cast<std::intptr_t>(patience))) return 0;
  const int pause_us = std::uniform_int_distribution(kShortestUs, kLongestUs)(random);
  std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
  return 1;
}

// The places are those of www.sqlite.org/fileformat.html.
using Header = std::array<unsigned char, 100>;

std::optional<Header> header_of(SQLite::Database& database) {
  sqlite3_file* file = nullptr;
  Header header{};
  const bool is_read = sqlite3_file_control(database.getHandle(), "main", SQLITE_FCNTL_FILE_POINTER,
                                            &file) == SQLITE_OK &&
                       file->pMethods->xRead(file, header.data(), header.size(), 0) == SQLITE_OK;
  return is_read ? std::optional(header) : std::nullopt;
}

constexpr std::size_t kVersionPlace = 60;
constexpr std::size_t kApplicationPlace = 68;

std::uint32_t number_at(const Header& header, std::size_t place) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) value = value << 8 | header[place + i];
  return value;
}

// Each PRAGMA would be a query. Only where there is no log, which may have another header.
bool has_schema_by_header(SQLite::Database& database) {
  const std::optional<Header> header = header_of(database);
  return header && number_at(*header, kVersionPlace) == kSchemaVersion &&
         number_at(*header, kApplicationPlace) == kApplicationId;
}

// The file may be anybody's, and its schema a program: nothing of it is run. What Foldtune asks
// views for, it brings along (`with_views`).
void distrust(SQLite::Database& database) {
  sqlite3* const handle = database.getHandle();
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
}

/// Whether SQLite cannot keep its files beside this one: for want of a right, or of room.
bool lacks_place_beside(const SQLite::Exception& error) {
  constexpr std::array kOfIndex{SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_SHMMAP};
  const int code = error.getErrorCode();
  return code == SQLITE_CANTOPEN || code == SQLITE_READONLY ||
         std::ranges::count(kOfIndex, error.getExtendedErrorCode()) > 0;
}

std::string immutable_uri(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : path.string()) {
    uri += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02x}", c) : std::string(1, c);
  }
  return uri + "?immutable=1";
}

}  // namespace

std::uint64_t file_bytes(const std::string& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

FileStates states_of(const std::filesystem::path& file) {
  FileStates states;
  // The file last: whoever is just creating the database writes it before its log.
  states.log_bytes = file_bytes(file.string() + "-wal");
  states.journal_bytes = file_bytes(file.string() + "-journal");
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0) {
    states.inode = status.st_ino;
    states.bytes = status.st_size;
    states.changed_ns = ns_of(status.st_ctim);
  }
  return states;
}

std::filesystem::path linked_file(const std::filesystem::path& path) {
  std::error_code is_lost;
  if (!std::filesystem::is_symlink(path, is_lost)) return path;
  const std::filesystem::path file = std::filesystem::canonical(path, is_lost);
  return is_lost ? path : file;
}

SQLite::Database connect(const std::string& path, int flags, std::chrono::milliseconds patience) {
  // Whoever uses a connection does so under a lock.
  SQLite::Database database(path, flags | SQLite::OPEN_NOMUTEX);
  distrust(database);
  sqlite3_busy_handler(database.getHandle(), wait_for_others,
                       reinterpret_cast<void*>(static_cast<std::intptr_t>(patience.count())));
  return database;
}

bool is_in_wal_mode(SQLite::Database& database) {
  constexpr std::size_t kReadVersionPlace = 19;
  constexpr unsigned char kWriteAheadLog = 2;
  const std::optional<Header> header = header_of(database);
  return header && (*header)[kReadVersionPlace] == kWriteAheadLog;
}

bool has_moved(SQLite::Database& database) {
  int is_elsewhere = 0;
  const int result =
      sqlite3_file_control(database.getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &is_elsewhere);
  return result == SQLITE_OK && is_elsewhere != 0;
}

bool has_own_header(SQLite::Database& database) {
  constexpr std::string_view kMagic = "SQLite format 3";
  const std::optional<Header> header = header_of(database);
  if (!header) return false;
  // What a new one is, as long as its schema is in the log alone.
  constexpr std::uint32_t kNone = 0;
  const std::uint32_t application = number_at(*header, kApplicationPlace);
  return std::ranges::equal(kMagic, std::span(*header).first(kMagic.size())) &&
         (application == kApplicationId || application == kNone);
}

FileReader::FileReader(std::filesystem::path path, const FileStates& states,
                       const OpenOptions& options)
    : path_(std::move(path)), file_(linked_file(path_)), options_(options) {
  open(states);
  if (!options.inspect) return;
  read([&](SQLite::Database& database) {
    inspect(database, path_, options.notify);
    return true;
  });
}

void FileReader::open(const FileStates& states) {
  try {
    opened_ = states;
    connect_to(states);
    if (is_immutable_ && has_schema_by_header(*database_)) return;
    if (has_schema(*database_, path_)) return;
    throw EmptyDatabase(
        fmt::format("cannot read the tuning database {}: nothing is in it yet; tune with it once",
                    path_.string()));
  } catch (...) {
    database_.reset();
    throw;
  }
}

void FileReader::connect_to(const FileStates& states) {
  const bool is_unwritten = states.log_bytes == 0 && states.journal_bytes == 0;
  // Other hosts' changes may be told late there, and are locked out, but for a log, which does not
  // work at all.
  const bool is_on_network = !network_file_system(file_).empty();
  if (is_unwritten && !is_on_network && is_settled(states)) return connect_as_immutable();
  is_immutable_ = false;
  try {
    database_ = connect(path_.string(), SQLite::OPEN_READONLY, options_.patience);
    if (is_unwritten && is_on_network && is_in_wal_mode(*database_)) return connect_as_immutable();
    database_->execAndGet("PRAGMA user_version");  // Opens the log.
  } catch (const SQLite::Exception& error) {
    if (error.getExtendedErrorCode() == SQLITE_READONLY_ROLLBACK) {
      // A writer was cut off: what it left is undone, which readers may not do.
      connect(path_.string(), SQLite::OPEN_READWRITE, options_.patience)
          .execAndGet("PRAGMA user_version");
      return;
    }
    if (!is_unwritten || !lacks_place_beside(error)) throw;
    connect_as_immutable();
  }
}

void FileReader::connect_as_immutable() {
  is_immutable_ = true;
  database_ =
      connect(immutable_uri(path_), SQLite::OPEN_READONLY | SQLite::OPEN_URI, options_.patience);
}

void FileReader::throw_busy() {
  throw SQLite::Exception("the file changes all the time", SQLITE_BUSY);
}

}  // namespace foldtune
