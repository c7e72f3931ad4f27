#include "runtime/device/cuda/driver_version.h"

#include "tests/catch.h"

namespace foldtune::test {
namespace {

constexpr const char* kCompilerLine = "\nGCC version:  gcc version 12.3.0 (Ubuntu 12.3.0-1)\n";

TEST_CASE("Driver version: both kinds of kernel module tell theirs") {
  CHECK(parse_driver_version(std::string("NVRM version: NVIDIA UNIX x86_64 Kernel Module  "
                                         "580.159.04  Tue Oct  7 03:22:16 UTC 2025") +
                             kCompilerLine) == "580.159.04");
  CHECK(parse_driver_version(
            std::string("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  "
                        "Release Build  (builder@host-1.2.3)  Tue Oct  7 03:22:16 UTC 2025") +
            kCompilerLine) == "580.159.04");
  CHECK(parse_driver_version("NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  540.3") ==
        "540.3");
}

TEST_CASE("Driver version: what is none is not taken for one") {
  for (const char* const text :
       {"", "\n", "NVRM version:", "NVRM version: NVIDIA UNIX x86_64 Kernel Module",
        "NVRM version: 580 .5 580. 580..4 580.159.04.1 580.159b 5,8", "580.159.04"}) {
    CAPTURE(text);
    CHECK(parse_driver_version(text).empty());
    CHECK(parse_driver_version(text + std::string(kCompilerLine)).empty());
  }
}

}  // namespace
}  // namespace foldtune::test
