#include "runtime/device/device.h"

#include <fmt/format.h>

#include <charconv>

#include "foldtune/error.h"

namespace foldtune {

std::unique_ptr<Device> open_device(const std::string& id) {
  if (id == "cpu") return open_cpu_device();
  constexpr std::string_view kCuda = "cuda:";
  if (id.starts_with(kCuda)) {
    int ordinal = -1;
    const char* const end = id.data() + id.size();
    const auto parsed = std::from_chars(id.data() + kCuda.size(), end, ordinal);
    if (parsed.ec == std::errc() && parsed.ptr == end && ordinal >= 0) {
      return open_cuda_device(ordinal);
    }
  }
  throw InvalidArgument(
      fmt::format("opening the device '{}': no such name; use cuda:N (N from 0) or cpu", id));
}

}  // namespace foldtune
