#include "tuner/machine_code.h"

#include <elf.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace foldtune {
namespace {

/// e_machine of NVIDIA's GPUs.
constexpr std::uint16_t kCudaMachine = 190;

struct Section {
  std::string_view name;
  std::string_view bytes;  ///< empty where the file holds none, as of uninitialised memory
  std::uint64_t size = 0;
  std::uint32_t link = 0;  ///< another section's index: of symbols, or of their names
};

/// The T at `offset`; empty beyond the end.
template <class T>
std::optional<T> read(std::string_view image, std::uint64_t offset) {
  if (offset > image.size() || image.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, image.data() + offset, sizeof(T));
  return value;
}

/// Empty if there are not so many bytes.
std::string_view part(std::string_view image, std::uint64_t offset, std::uint64_t size) {
  if (offset > image.size() || image.size() - offset < size) return {};
  return image.substr(offset, size);
}

std::string_view name_at(std::string_view names, std::uint64_t offset) {
  if (offset >= names.size()) return {};
  const std::string_view rest = names.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

/// None unless the image is a cubin.
std::vector<Section> sections_of(std::string_view image) {
  const auto header = read<Elf64_Ehdr>(image, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != kCudaMachine) {
    return {};
  }
  std::vector<Elf64_Shdr> headers;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto one = read<Elf64_Shdr>(image, header->e_shoff + i * header->e_shentsize);
    if (!one) return {};
    headers.push_back(*one);
  }
  if (header->e_shstrndx >= headers.size()) return {};
  const Elf64_Shdr& table = headers[header->e_shstrndx];
  const std::string_view names = part(image, table.sh_offset, table.sh_size);
  std::vector<Section> sections;
  for (const Elf64_Shdr& one : headers) {
    const bool has_bytes = one.sh_type != SHT_NOBITS;
    sections.push_back(
        {.name = name_at(names, one.sh_name),
         .bytes = has_bytes ? part(image, one.sh_offset, one.sh_size) : std::string_view(),
         .size = one.sh_size,
         .link = one.sh_link});
  }
  return sections;
}

/// ".text" of ".text.NAME" if NAME is `kernel`'s; else empty.
std::string_view kind_of(std::string_view section, std::string_view kernel) {
  if (!section.ends_with(kernel)) return {};
  section.remove_suffix(kernel.size());
  if (!section.ends_with('.')) return {};
  section.remove_suffix(1);
  return section;
}

/// What a kernel refers to, by names: they tell more apart than need be, and never too little.
std::string describe_relocations(const std::vector<Section>& sections, const Section& relocations) {
  if (relocations.link >= sections.size()) return {};
  const Section& symbols = sections[relocations.link];
  if (symbols.link >= sections.size()) return {};
  std::string text;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= relocations.bytes.size();
       at += sizeof(Elf64_Rela)) {
    const auto one = read<Elf64_Rela>(relocations.bytes, at);
    const auto symbol =
        read<Elf64_Sym>(symbols.bytes, ELF64_R_SYM(one->r_info) * sizeof(Elf64_Sym));
    text += fmt::format("{} {} {} {};", one->r_offset, ELF64_R_TYPE(one->r_info), one->r_addend,
                        symbol ? name_at(sections[symbols.link].bytes, symbol->st_name) : "");
  }
  return text;
}

}  // namespace

std::optional<std::string> hash_machine_code(const CompiledKernel& compiled) {
  const std::vector<Section> sections = sections_of(compiled.image);
  std::string code;
  for (const std::string& kernel : compiled.lowered_names) {
    bool has_text = false;
    for (const Section& section : sections) {
      const std::string_view kind = kind_of(section.name, kernel);
      if (kind == ".rela.text") code += describe_relocations(sections, section);
      if (kind == ".text" || kind == ".nv.shared" || kind.starts_with(".nv.constant")) {
        has_text |= kind == ".text" && !section.bytes.empty();
        code += fmt::format("{} {} ", kind, section.size);
        code += section.bytes;
      }
    }
    if (!has_text) return std::nullopt;
  }
  const XXH128_hash_t hash = XXH3_128bits(code.data(), code.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace foldtune
