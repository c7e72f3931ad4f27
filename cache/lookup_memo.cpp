#include "cache/lookup_memo.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <utility>

#include "cache/hash.h"
#include "cache/network_file_system.h"
#include "cache/private_file.h"

namespace foldtune {
namespace {

constexpr std::string_view kMagic = "foldtune lookup memo 1\n";
constexpr std::size_t kHashBytes = 32;

std::int64_t ns_of(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

std::filesystem::path folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path();
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

/// A regular file that nobody else can have written; else empty.
std::string read_own_file(const std::string& path, std::size_t most_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) return {};
  const bool is_own = S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
                      (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (!is_own || status.st_size <= 0) return {};
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (bytes > most_bytes) return {};
  std::string text(bytes, '\0');
  return ::read(file.number(), text.data(), bytes) == status.st_size ? text : std::string();
}

/// In place of what is there, at once. False if it cannot be done.
bool replace_file(const std::string& path, std::string_view text) {
  std::string temporary = path + ".XXXXXX";
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.number() < 0) return false;
  const bool is_whole =
      ::write(file.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (is_whole && std::rename(temporary.c_str(), path.c_str()) == 0) return true;
  ::unlink(temporary.c_str());
  return false;
}

}  // namespace

SourceStates states_of(const std::vector<std::string>& databases,
                       std::chrono::nanoseconds settled_age) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  SourceStates states{.is_settled = true};
  const auto add = [&](const std::string& path) {
    states.text += serialised_field("path", path);
    struct stat status {};
    // A log without content says as much as none: SQLite makes one to read, and drops it.
    if (::stat(path.c_str(), &status) != 0 || status.st_size == 0) return;
    states.text += serialised_field("device", static_cast<std::int64_t>(status.st_dev)) +
                   serialised_field("file", static_cast<std::int64_t>(status.st_ino)) +
                   serialised_field("bytes", static_cast<std::int64_t>(status.st_size)) +
                   serialised_field("changed", ns_of(status.st_ctim));
    states.is_settled &= ns_of(now) - ns_of(status.st_ctim) > settled_age.count();
  };
  for (const std::string& database : databases) {
    add(database);
    add(database + "-wal");
  }
  return states;
}

std::optional<std::string_view> take_field(std::string_view& text, std::string_view name) {
  std::string_view rest = text;
  if (!rest.starts_with(name) || !rest.substr(name.size()).starts_with('=')) return std::nullopt;
  rest.remove_prefix(name.size() + 1);
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), bytes);
  if (error != std::errc()) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (!rest.starts_with(':') || rest.size() < 2 || bytes > rest.size() - 2) return std::nullopt;
  if (rest[bytes + 1] != ';') return std::nullopt;
  text = rest.substr(bytes + 2);
  return rest.substr(1, bytes);
}

LookupMemo::LookupMemo(const std::string& database, const std::vector<std::string>& bundles,
                       std::chrono::nanoseconds settled_age)
    : database_(database),
      path_(database + "-memo"),
      sources_([&] {
        std::vector<std::string> sources{database};
        sources.insert(sources.end(), bundles.begin(), bundles.end());
        return sources;
      }()),
      states_(states_of(sources_, settled_age)) {
  read();
}

LookupMemo::~LookupMemo() { save(); }

std::optional<std::string> LookupMemo::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  return found->second;
}

void LookupMemo::put(const std::string& key, std::string value) {
  const std::lock_guard lock(mutex_);
  is_changed_ = true;
  entries_.insert_or_assign(key, std::move(value));
}

void LookupMemo::read() {
  const std::string text = read_own_file(path_, kMostBytes);
  std::string_view rest = text;
  if (!rest.starts_with(kMagic) || rest.size() < kMagic.size() + kHashBytes) return;
  rest.remove_prefix(kMagic.size());
  const std::string_view hash = rest.substr(0, kHashBytes);
  rest.remove_prefix(kHashBytes);
  if (hash != hash_hex(rest) || take_field(rest, "states") != states_.text) return;
  while (const auto key = take_field(rest, "key")) {
    const auto value = take_field(rest, "value");
    if (!value) break;
    entries_.emplace(*key, *value);
  }
  has_entries_ = !entries_.empty();
}

void LookupMemo::save() noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (!is_changed_) return;
    is_changed_ = false;
    const bool may_stay = states_.is_settled && states_of(sources_).text == states_.text &&
                          exposures_of(database_).empty() &&
                          network_file_system(folder_of(database_)).empty();
    if (may_stay) write();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): it is looked up again
  }
}

void LookupMemo::write() const {
  std::string body = serialised_field("states", states_.text);
  for (const auto& [key, value] : entries_) {
    const std::string entry = serialised_field("key", key) + serialised_field("value", value);
    if (kMagic.size() + kHashBytes + body.size() + entry.size() <= kMostBytes) body += entry;
  }
  replace_file(path_, std::string(kMagic) + hash_hex(body) + body);
}

}  // namespace foldtune
