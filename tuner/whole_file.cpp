#include "tuner/whole_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include "tuner/file_error.h"
#include "tuner/output_file.h"

namespace foldtune {

void write_whole_file(const std::filesystem::path& path, std::string_view bytes,
                      std::string_view what) {
  std::error_code ignored;  // without a folder, writing fails
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), ignored);
  OutputFile file(path.string(), std::string(what));
  file.write(bytes);
  file.commit();
}

std::string read_whole_file(const std::filesystem::path& path, std::string_view what) {
  errno = 0;
  const std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  const bool is_read = stream.is_open() && (text.good() || errno == 0);  // an empty file, too
  if (!is_read) {
    throw FileError(fmt::format("reading the {} {}: {}", what, path.string(),
                                std::generic_category().message(errno != 0 ? errno : EIO)));
  }
  return text.str();
}

}  // namespace foldtune
