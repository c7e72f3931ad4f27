/// The version of the NVIDIA driver, without NVML, whose start alone takes milliseconds.
#pragma once

#include <string>
#include <string_view>

namespace foldtune {

/// "580.159.04" of the text of /proc/driver/nvidia/version; empty if there is none in it.
std::string parse_driver_version(std::string_view text);

/// That of the loaded kernel module; empty where that file cannot be read.
std::string kernel_module_version();

}  // namespace foldtune
