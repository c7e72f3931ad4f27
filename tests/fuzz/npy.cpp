// The reader of .npy files: any file is refused, or its elements lie within it.
#include "tuner/files/npy.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>

#include "foldtune/error.h"

namespace foldtune {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void parse(std::span<const std::byte> file, const std::optional<WantedType>& wanted) {
  try {
    const NpyArray array =
        parse_npy(file.first(std::min(file.size(), kNpyHeadBytes)), file.size(), wanted, "file");
    require(array.data_offset <= file.size());
    require(array.count == (file.size() - array.data_offset) / size_of(array.elements.type));
    require(!wanted || array.elements.type == wanted->type);
  } catch (const Error&) {  // refused
  }
}

}  // namespace
}  // namespace foldtune

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using foldtune::ElementType;
  const auto file = std::as_bytes(std::span(data, size));
  foldtune::parse(file, std::nullopt);
  for (const ElementType wanted : {ElementType::bf16, ElementType::f32, ElementType::u8}) {
    foldtune::parse(file, foldtune::WantedType{.type = wanted});
  }
  return 0;
}
