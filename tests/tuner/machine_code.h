/// What NVRTC made of a kernel, whatever else is in its image.
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <string_view>

#include "runtime/device/compiler.h"

namespace foldtune::test {

/// The instructions of the kernels in a cubin, in their order; their names do not count. Empty if
/// one has none.
inline std::string machine_code(const CompiledKernel& compiled) {
  const std::string_view image = compiled.image;
  const auto read = [&](auto& place, std::size_t offset) {
    std::memcpy(&place, image.substr(offset, sizeof(place)).data(), sizeof(place));
  };
  Elf64_Ehdr header;
  read(header, 0);
  Elf64_Shdr names;
  read(names, header.e_shoff + header.e_shstrndx * header.e_shentsize);
  std::string code;
  for (const std::string& kernel : compiled.lowered_names) {
    std::string_view text;
    for (int i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section;
      read(section, header.e_shoff + static_cast<std::size_t>(i) * header.e_shentsize);
      const char* const name = image.data() + names.sh_offset + section.sh_name;
      if (name == ".text." + kernel) text = image.substr(section.sh_offset, section.sh_size);
    }
    if (text.empty()) return {};
    code += text;
  }
  return code;
}

}  // namespace foldtune::test
