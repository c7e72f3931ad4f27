#include "runtime/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

namespace foldtune {
namespace {

std::system_error error_of(const std::filesystem::path& path) {
  return std::system_error(errno, std::generic_category(), path.string());
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  const char* const parent = getenv("TMPDIR");
  std::string path =
      std::string(parent != nullptr && *parent != '\0' ? parent : "/tmp") + "/foldtune-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) throw error_of(path);
  path_ = std::filesystem::absolute(path);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // what cannot be removed is left to the system's own cleaning
  std::filesystem::remove_all(path_, ignored);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) throw error_of(path);
  return bytes;
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw error_of(path);
}

}  // namespace foldtune
