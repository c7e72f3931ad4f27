// The reader of zip files, as .npz is: any file is refused, or its members lie within it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "foldtune/error.h"
#include "tuner/files/file_kind.h"
#include "tuner/files/zip.h"

namespace foldtune {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void parse(std::span<const std::byte> file) {
  describe_foreign_file(file.first(std::min(file.size(), kKindBytes)), "file");
  try {
    const ZipDirectory directory =
        find_zip_directory(file.last(std::min(file.size(), kZipTailBytes)), file.size(), "file");
    require(directory.offset <= file.size() && directory.size <= file.size() - directory.offset);
    for (const ZipMember& member :
         parse_zip_directory(file.subspan(directory.offset, directory.size), directory, "file")) {
      const auto header = file.subspan(member.header_offset).first<kZipHeaderBytes>();
      const std::uint64_t begin = find_zip_data(header, member, directory, "file");
      require(begin <= file.size() && member.size <= file.size() - begin);
    }
  } catch (const Error&) {  // refused
  }
}

}  // namespace
}  // namespace foldtune

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  foldtune::parse(std::as_bytes(std::span(data, size)));
  return 0;
}
