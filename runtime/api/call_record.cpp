#include "runtime/api/call_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
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
    const std::error_code error = try_append(line);
    if (!error) return;
    notify_(fmt::format("recording calls in {}, which FOLDTUNE_RECORD names: {}; the calls go on",
                        path_, error.message()));
  }

  /// In one piece: other processes may write, too. Nothing but a file is waited for, or ends the
  /// program by a signal.
  std::error_code try_append(const std::string& line) const {
    const auto failure = [] { return std::error_code(errno, std::generic_category()); };
    const Descriptor file(
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, kMode));
    struct stat status {};
    if (file.number() < 0 || ::fstat(file.number(), &status) != 0) return failure();
    if (!S_ISREG(status.st_mode)) return std::make_error_code(std::errc::invalid_argument);
    const ssize_t written = ::write(file.number(), line.data(), line.size());
    if (written < 0) return failure();
    const bool is_whole = written == static_cast<ssize_t>(line.size());
    return is_whole ? std::error_code() : std::make_error_code(std::errc::no_space_on_device);
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
  // Nothing is never tuned.
  Shape shape = workload.shape;
  const std::size_t extents = family.extents().size();
  for (std::size_t i = 0; i < extents; ++i) shape[i] = std::max<std::uint64_t>(shape[i], 1);
  text += fmt::format(" --{} {}", extents == 1 ? "n" : "shape", to_text(family, shape));
  if (workload.layout != usual_layout(problem, shape)) {
    text += fmt::format(" --layout {}", key.layout);
  }
  if (workload.conditions != Conditions{}) text += fmt::format(" --conditions {}", key.conditions);
  return text;
}

std::function<void(const Workload& workload)> record_of_environment(
    std::function<void(const std::string&)> notify) {
  const char* const path = std::getenv("FOLDTUNE_RECORD");
  if (path == nullptr || *path == '\0') return nullptr;
  return [record = std::make_shared<CallRecord>(path, std::move(notify))](
             const Workload& workload) { record->add(workload); };
}

}  // namespace foldtune
