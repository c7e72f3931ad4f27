#include "cache/network_file_system.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace foldtune {
namespace {

struct Type {
  std::uint32_t magic;  // statfs's f_type: statfs(2), and the file systems' own sources.
  std::string_view name;
};

constexpr std::array kNetworkTypes{
    Type{0x00006969, "NFS"},      Type{0x0000517B, "SMB"},   Type{0xFE534D42, "SMB"},
    Type{0xFF534D42, "CIFS"},     Type{0x65735546, "FUSE"},  Type{0x01021997, "9P"},
    Type{0x0BD00BD0, "Lustre"},   Type{0x00C36400, "Ceph"},  Type{0x47504653, "GPFS"},
    Type{0x19830326, "BeeGFS"},   Type{0x5346414F, "AFS"},   Type{0x6B414653, "AFS"},
    Type{0x20030528, "OrangeFS"}, Type{0xAAD7AAEA, "PanFS"}, Type{0x01161970, "GFS2"},
    Type{0x7461636F, "OCFS2"},    Type{0x73757245, "Coda"},  Type{0x0000564C, "NCP"},
    Type{0x786F4256, "vboxsf"},
};

}  // namespace

std::string_view network_file_system(const std::filesystem::path& path) {
  struct statfs status {};
  if (::statfs(path.c_str(), &status) != 0) return {};
  const auto magic = static_cast<std::uint32_t>(status.f_type);
  const auto* const found = std::ranges::find(kNetworkTypes, magic, &Type::magic);
  return found == kNetworkTypes.end() ? std::string_view() : found->name;
}

}  // namespace foldtune
