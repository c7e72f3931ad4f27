/// What look-ups came to, in a file beside the database: to open a database and to read its schema
/// takes SQLite longer than all the rest of a process's first call.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foldtune {

/// A text that changes whenever a file of the databases does, their logs included.
struct SourceStates {
  std::string text{};
  bool is_settled = false;  ///< None changed so lately that its time could hide another change.
};

/// A file's time is as coarse as a clock tick, of some file systems a second or two: a file may
/// change twice within one.
inline constexpr std::chrono::nanoseconds kSettledAge = std::chrono::seconds(2);

/// Of `databases` (absolute paths), which may be missing.
SourceStates states_of(const std::vector<std::string>& databases,
                       std::chrono::nanoseconds settled_age = kSettledAge);

/// Takes the next field, written by `serialised_field`, off the front of `text`; empty if it is not
/// of this name, or not whole.
std::optional<std::string_view> take_field(std::string_view& text, std::string_view name);

/// Texts under keys that hold for the databases as they are now. A change of any of them makes the
/// file worthless, and the next process that saves replaces it. It is read as a whole when it is
/// opened: it is small. Nothing here is an error: what cannot be read or written is not remembered.
///
/// Member functions may be called from several threads.
class LookupMemo {
 public:
  /// Images of a few dozen kernels.
  static constexpr std::size_t kMostBytes = 1 << 20;

  /// The file beside `database`, an absolute path, over it and the `bundles`.
  LookupMemo(const std::string& database, const std::vector<std::string>& bundles,
             std::chrono::nanoseconds settled_age = kSettledAge);
  LookupMemo(const LookupMemo&) = delete;
  LookupMemo& operator=(const LookupMemo&) = delete;
  /// Saves.
  ~LookupMemo();

  /// Whether an earlier process left anything that holds.
  bool has_entries() const { return has_entries_; }

  /// Empty if nothing is known of the key.
  std::optional<std::string> find(const std::string& key) const;

  /// Remembers it, for later processes, too.
  void put(const std::string& key, std::string value);

  /// Writes the file if anything was put, for this user alone, unless the databases changed since
  /// they were opened, or others may change them (`exposures_of`), or they lie on a network file
  /// system. What does not fit `kMostBytes` is left out.
  void save() noexcept;

 private:
  void read();
  void write() const;

  const std::string database_;
  const std::string path_;
  const std::vector<std::string> sources_;
  const SourceStates states_;
  bool has_entries_ = false;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> entries_;
  bool is_changed_ = false;
};

}  // namespace foldtune
