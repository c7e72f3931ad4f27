#include "runtime/api/call_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "cache/field_text.h"
#include "cache/no_file_size_signal.h"
#include "runtime/lookup/lookup.h"
#include "runtime/support/descriptor.h"
#include "templates/family.h"

namespace foldtune {
namespace {

constexpr mode_t kMode = 0644;

class CallRecord {
 public:
  CallRecord(std::string path, std::function<void(const std::string&)> notify)
      : path_(std::move(path)), notify_(std::move(notify)) {}

  void add(const Workload& workload) {
    const std::string options = tune_options(workload);
    const std::string line =
        options.empty() ? fmt::format(
                              "# {}: an operator of the program's own, which `foldtune tune "
                              "--custom` tunes\n",
                              to_string(workload))
                        : options.substr(1) + '\n';
    const std::lock_guard lock(mutex_);
    if (lines_.insert(line).second) append(line);
  }

 private:
  void append(const std::string& line) const {
    const NoFileSizeSignal no_signal;
    const std::string obstacle = try_append(line);
    if (obstacle.empty()) return;
    notify_(fmt::format("recording calls in {}, which FOLDTUNE_RECORD names: {}; the calls go on",
                        path_, obstacle));
  }

  /// Empty, or why it could not be. In one piece: other processes may write, too. Nothing but a
  /// record is written to, and nothing but a file is waited for.
  std::string try_append(const std::string& line) const {
    const auto failure = [] { return std::generic_category().message(errno); };
    const Descriptor file(
        ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, kMode));
    struct stat status {};
    if (file.number() < 0 || ::fstat(file.number(), &status) != 0) return failure();
    if (!S_ISREG(status.st_mode)) return "it is no regular file";
    std::array<char, 2> begin{};
    const ssize_t held = ::pread(file.number(), begin.data(), begin.size(), 0);
    if (held < 0) return failure();
    const std::string_view text(begin.data(), static_cast<std::size_t>(held));
    if (!text.empty() && text != "--" && text != "# ") {
      return "it holds something else than a record, which is left as it is; name another file";
    }
    // After a line that was cut, as by a full disk, or typed without its end.
    char last = '\n';
    if (status.st_size > 0 && ::pread(file.number(), &last, 1, status.st_size - 1) < 0) {
      return failure();
    }
    const std::string whole = last == '\n' ? line : '\n' + line;
    const ssize_t written = ::write(file.number(), whole.data(), whole.size());
    if (written < 0) return failure();
    return written == static_cast<ssize_t>(whole.size()) ? "" : "it took a part of the line alone";
  }

  const std::string path_;
  const std::function<void(const std::string&)> notify_;
  std::mutex mutex_;
  std::set<std::string> lines_;
};

}  // namespace

std::string tune_options(const Workload& workload) {
  const Problem& problem = workload.problem;
  const Family& family = problem.family();
  const ProblemKey key = make_problem_key(workload);
  const auto fields = words_of(key.problem);
  if (problem.custom() != nullptr || !fields) return {};
  std::string text = fmt::format(" --family {}", key.family);
  for (const FieldWord& field : *fields) text += fmt::format(" --{} {}", field.name, field.value);
  text += fmt::format(" {}", shape_option(family, workload.shape));
  if (workload.layout != usual_layout(problem, workload.shape)) {
    text += fmt::format(" --layout {}", key.layout);
  }
  if (workload.conditions != Conditions{}) text += fmt::format(" --conditions {}", key.conditions);
  return text;
}

std::function<void(const Workload& workload)> record_of_environment(
    std::function<void(const std::string&)> notify) {
  const char* const path = std::getenv("FOLDTUNE_RECORD");
  if (path == nullptr || *path == '\0') return nullptr;
  // One file, wherever the program goes.
  std::error_code ignored;
  std::string absolute = std::filesystem::absolute(path, ignored).string();
  if (ignored) absolute = path;
  return [record = std::make_shared<CallRecord>(std::move(absolute), std::move(notify))](
             const Workload& workload) { record->add(workload); };
}

}  // namespace foldtune
