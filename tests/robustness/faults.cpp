// What a program meets on a bad day, preloaded into it: no privileges are needed, so it works in a
// container that may mount nothing. Environment variables say what happens:
//   FAULTS_DISK_BYTES=N    the disk is full after N more bytes
//   FAULTS_KILL_AT=N       SIGKILL in the middle of the Nth write to a file
//   FAULTS_COUNT_TO=FILE   the number of those writes is added to FILE at the end
//   FAULTS_FILE_SYSTEM=N   statfs tells the type N of every file system
//   FAULTS_CLOCK_STEP=N    time() jumps N seconds at every second call, and back at the next
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

long long number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? -1 : std::atoll(text);
}

const long long kDiskBytes = number("FAULTS_DISK_BYTES");
const long long kKillAt = number("FAULTS_KILL_AT");
std::atomic<long long> written{0};
std::atomic<long long> writes{0};

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool is_file(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

/// How much of a write is done: less than `bytes`, nothing for -1 with errno set.
ssize_t allowed(int file, std::size_t bytes) {
  if (!is_file(file)) return static_cast<ssize_t>(bytes);
  if (kDiskBytes < 0) return static_cast<ssize_t>(bytes);
  if (written.fetch_add(static_cast<long long>(bytes)) + static_cast<long long>(bytes) <=
      kDiskBytes) {
    return static_cast<ssize_t>(bytes);
  }
  errno = ENOSPC;
  return -1;
}

/// Counts a change of a file, and ends the process at the chosen one, half of it done.
template <typename HalfDone>
void strike(int file, HalfDone half_done) {
  if (!is_file(file) || writes.fetch_add(1) + 1 != kKillAt) return;
  half_done();
  ::kill(::getpid(), SIGKILL);
}

ssize_t write_at(int file, const void* data, std::size_t bytes, off64_t place) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t, off64_t)>("pwrite64");
  strike(file, [&] { (void)real(file, data, bytes / 2, place); });
  return allowed(file, bytes) < 0 ? -1 : real(file, data, bytes, place);
}

int resize(int file, off64_t bytes) {
  static auto* const real = next<int(int, off64_t)>("ftruncate64");
  strike(file, [] {});
  return real(file, bytes);
}

int tell_file_system(const char* path, struct statfs64* status) {
  static auto* const real = next<int(const char*, struct statfs64*)>("statfs64");
  const int result = real(path, status);
  if (const long long type = number("FAULTS_FILE_SYSTEM"); type >= 0) status->f_type = type;
  return result;
}

struct Counter {
  ~Counter() {
    const char* const path = std::getenv("FAULTS_COUNT_TO");
    if (path == nullptr) return;
    if (std::FILE* const file = std::fopen(path, "a")) {
      std::fprintf(file, "%lld\n", writes.load());
      std::fclose(file);
    }
  }
} counter;

}  // namespace

extern "C" {

ssize_t pwrite64(int file, const void* data, std::size_t bytes, off64_t place) {
  return write_at(file, data, bytes, place);
}
ssize_t pwrite(int file, const void* data, std::size_t bytes, off_t place) {
  return write_at(file, data, bytes, place);
}
ssize_t write(int file, const void* data, std::size_t bytes) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t)>("write");
  strike(file, [&] { (void)real(file, data, bytes / 2); });
  return allowed(file, bytes) < 0 ? -1 : real(file, data, bytes);
}
int ftruncate64(int file, off64_t bytes) noexcept { return resize(file, bytes); }
int ftruncate(int file, off_t bytes) noexcept { return resize(file, bytes); }
int statfs64(const char* path, struct statfs64* status) noexcept {
  return tell_file_system(path, status);
}
int statfs(const char* path, struct statfs* status) noexcept {
  return tell_file_system(path, reinterpret_cast<struct statfs64*>(status));  // The same on LP64.
}

std::time_t time(std::time_t* result) noexcept {
  static std::atomic<int> calls{0};
  const long long step = number("FAULTS_CLOCK_STEP");
  struct timespec now {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  std::time_t seconds = now.tv_sec;
  if (step != -1 && calls.fetch_add(1) % 2 == 1) seconds += step;
  if (result != nullptr) *result = seconds;
  return seconds;
}

}  // extern "C"
