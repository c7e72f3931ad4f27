/// The device on which the toy families are tested: the CPU device, or FOLDTUNE_TEST_DEVICE, such
/// as "cuda:0".
#pragma once

#include <cstdlib>
#include <string>

namespace foldtune::test {

inline std::string test_device() {
  const char* const device = std::getenv("FOLDTUNE_TEST_DEVICE");
  return device == nullptr ? "cpu" : device;
}

}  // namespace foldtune::test
