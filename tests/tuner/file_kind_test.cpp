#include "tuner/files/file_kind.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/catch.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using namespace std::string_literals;

std::string describe(const std::string& content, const std::string& name = "data.bin") {
  return describe_foreign_file(std::as_bytes(std::span(content)), name);
}

TEST_CASE("Formats are known by their content, whatever the name") {
  for (const auto& [content, what] : std::vector<std::pair<std::string, std::string>>{
           {"\x1f\x8b\x08\0\0\0\0\0"s, "gzip"},
           {"\x1f\x9d\x90\x31\x64"s, "compress"},
           {"BZh91AY&SY"s, "bzip2"},
           {"\xfd"
            "7zXZ\0\0"s,
            "xz"},
           {"\x28\xb5\x2f\xfd\0"s, "Zstandard"},
           {"\x89HDF\r\n\x1a\n\0"s, "HDF5"},
           {std::string(512, '\0') + "\x89HDF\r\n\x1a\n"s, "HDF5"},
           {"PAR1\x15\x04"s, "Parquet"},
           {"MATLAB 5.0 MAT-file, Platform: GLNXA64\0"s, "MATLAB"},
           {"CDF\x01\0\0"s, "NetCDF"},
           {"\x80\x04\x95\x10\0\0\0"s, "pickle"},
           {"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"s, "PyTorch"},
           {"\x50\0\0\0\0\0\0\0{\"x\":{\"dtype\":\"F32\"}}\0"s, "safetensors"},
           {std::string(257, '\0') + "ustar\0"s, "tar archive"},
           {"GIF89a\x01\0"s, "GIF"},
           {"RIFF\x24\x27\0\0WAVEfmt "s, "RIFF"},
           {"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"s, "BMP"},
           {std::string(128, '\0') + "DICM", "DICOM"},
           {"\0\0\0\x20"
            "ftypisom"s,
            "MP4"},
           {"Rar!\x1a\x07\x01\0"s, "RAR"},
           {"SQLite format 3\0\x10"s, "SQLite"}}) {
    CAPTURE(what);
    CHECK_THAT(describe(content), ContainsSubstring(what) && ContainsSubstring(": "));
  }
}

TEST_CASE("Text is told from elements") {
  for (const auto& text :
       {"1,2,3\n4,5,6\n"s, "x;y\r\n1.5;2.5\r\n"s, "1 2 3"s, "3.25"s, "-1e-5, nan, inf"s,
        "[1, 2]\n"s, "\xef\xbb\xbf"s + "x,y\n1,2\n", "Gr\xc3\xb6\xc3\x9f" + "e\n1\n"s,
        "\xff\xfe"s + "1\0,\0002\0\n\0"s, std::string(65000, '1') + "\n", "{\"a\": [1, 2, 3, 4]}"s,
        "<row><a>1</a></row>"s, "name,value;one,1;two,2"s}) {
    CAPTURE(text.substr(0, 20));
    CHECK_THAT(describe(text), StartsWith("text") && ContainsSubstring("numpy.loadtxt"));
  }
  // What is cut off in the middle of a character.
  CHECK_THAT(describe("x,\xc3\xb6\n1,\xc3"), StartsWith("text"));
}

TEST_CASE("Elements are told from text") {
  for (const auto& raw :
       {""s, "\0\0\x80\x3f"s, "dddd"s, "\x01\x02\x0a"s, "\xff\xff\n\n"s, "ab\x80\n"s, "\xc3\xc3\n"s,
        "\x5d\0\0\0\1\0\0\0"s, std::string(4, '\xff'), "ABC\x7f\n"s}) {
    CHECK(describe(raw).empty());
  }
}

TEST_CASE("A name that promises a format is believed where the content says nothing") {
  const std::string raw = "\0\0\x80\x3f"s;
  for (const char* name : {"x.npy", "x.NPZ", "x.csv", "x.gz", "x.h5", "x.parquet", "x.xz"}) {
    CAPTURE(name);
    CHECK_THAT(describe(raw, name), StartsWith("named"));
  }
  for (const char* name : {"x", "x.bin", "x.dat", "x.raw", "npy", "x.f32"}) {
    CAPTURE(name);
    CHECK(describe(raw, name).empty());
  }
}

}  // namespace
}  // namespace foldtune
