#include "tuner/whole_file.h"

#include <string>
#include <system_error>

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

}  // namespace foldtune
