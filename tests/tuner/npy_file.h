/// Makes .npy files, good and bad.
#pragma once

#include <cstdint>
#include <string>

namespace foldtune::test {

/// A .npy file with the given header text, as it stands, and data.
inline std::string npy_file(const std::string& header, const std::string& data, int major = 1,
                            int minor = 0) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += static_cast<char>(minor);
  const int length_bytes = major == 1 ? 2 : 4;
  for (int i = 0; i < length_bytes; ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return file + header + data;
}

/// The header that NumPy writes for `dtype` and `shape`, such as "<f4" and "(3, 4)".
inline std::string npy_header(const std::string& dtype, const std::string& shape,
                              const std::string& fortran_order = "False") {
  return "{'descr': '" + dtype + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape +
         ", }          \n";
}

}  // namespace foldtune::test
