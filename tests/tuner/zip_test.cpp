#include "tuner/files/zip.h"

#include <algorithm>
#include <random>
#include <string>

#include "foldtune/error.h"
#include "tests/catch.h"
#include "tests/tuner/npz_file.h"
#include "tuner/files/file_error.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::npz_file;

/// Where a member's bytes lie.
struct Part {
  std::string name;
  bool is_plain;
  std::string data;
};

std::vector<Part> read_parts(const std::string& file) {
  const auto bytes = std::as_bytes(std::span(file));
  const auto tail = bytes.last(std::min(bytes.size(), kZipTailBytes));
  const ZipDirectory directory = find_zip_directory(tail, bytes.size(), "x.npz");
  std::vector<Part> parts;
  for (const ZipMember& member :
       parse_zip_directory(bytes.subspan(directory.offset, directory.size), directory, "x.npz")) {
    const auto header = bytes.subspan(member.header_offset).first<kZipHeaderBytes>();
    const std::uint64_t begin = find_zip_data(header, member, directory, "x.npz");
    parts.push_back({member.name, member.is_plain, file.substr(begin, member.size)});
  }
  return parts;
}

TEST_CASE("A member's checksum is that of zip, in whatever pieces its bytes come") {
  const std::string text = "123456789, and more than eight bytes at once";
  const auto bytes = std::as_bytes(std::span(text));
  Crc32 crc;
  crc.add(bytes.first(9));
  CHECK(crc.value() == 0xcbf43926);
  crc.add(bytes.subspan(9, 1));
  crc.add(bytes.subspan(10));
  CHECK(crc.value() == test::crc32_of(text));
}

TEST_CASE("Members of a zip are found, whatever their headers leave to other places") {
  const bool is_zip64 = GENERATE(false, true);
  const std::string file =
      npz_file({{.name = "x.npy", .data = "first"},
                {.name = "y.npy", .data = "second", .is_zip64 = false},
                {.name = "z.npy", .data = "third", .flags = 8, .is_zip64 = false},
                {.name = "large.npy", .data = "fourth", .is_zip64_entry = true},
                {.name = "empty.npy", .data = ""}},
               is_zip64);
  CHECK(is_zip(std::as_bytes(std::span(file))));
  const std::vector<Part> parts = read_parts(file);
  REQUIRE(parts.size() == 5);
  const std::vector<std::string> data{"first", "second", "third", "fourth", ""};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CAPTURE(parts[i].name);
    CHECK(parts[i].is_plain);
    CHECK(parts[i].data == data[i]);
  }
  CHECK(parts[3].name == "large.npy");
}

TEST_CASE("What numpy.savez writes is read") {
  using namespace std::string_literals;
  const std::string file =
      "PK\x03\x04-\0\0\0\0\0\0\0!\0\x9a\xca\xab\xe7\xff\xff\xff\xff\xff\xff\xff\xff\x05\0\x14\0x."
      "npy"
      "\x01\0\x10\0\x04\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0data"
      "PK\x01\x02-\x03-\0\0\0\0\0\0\0!\0\x9a\xca\xab\xe7\x04\0\0\0\x04\0\0\0\x05\0\0\0\0\0\0\0\0\0"
      "\0\0\x80\x01\0\0\0\0x.npy"
      "PK\x05\x06\0\0\0\0\x01\0\x01\0\x33\0\0\0\x3b\0\0\0\0\0"s;
  const std::vector<Part> parts = read_parts(file);
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].name == "x.npy");
  CHECK(parts[0].data == "data");
}

TEST_CASE("Compressed and encrypted members are told from plain ones") {
  const std::vector<Part> parts =
      read_parts(npz_file({{.name = "x.npy", .data = "first", .method = 8},
                           {.name = "y.npy", .data = "second", .flags = 1},
                           {.name = "z.npy", .data = "third"}}));
  REQUIRE(parts.size() == 3);
  CHECK_FALSE(parts[0].is_plain);
  CHECK_FALSE(parts[1].is_plain);
  CHECK(parts[2].is_plain);
}

TEST_CASE("A zip may be empty, and may have a comment") {
  CHECK(read_parts(npz_file({})).empty());
  std::string file = npz_file({{.name = "x.npy", .data = "first"}});
  file[file.size() - 2] = 9;
  CHECK(read_parts(file + "a comment").size() == 1);
}

TEST_CASE("Every beginning of a zip is refused") {
  const bool is_zip64 = GENERATE(false, true);
  const std::string file = npz_file({{.name = "x.npy", .data = "first"}}, is_zip64);
  for (std::size_t size = 0; size < file.size(); ++size) {
    CAPTURE(size);
    CHECK_THROWS_AS(read_parts(file.substr(0, size)), FileError);
  }
  CHECK_THROWS_WITH(read_parts(file.substr(0, 40)), ContainsSubstring("cut short"));
}

TEST_CASE("Whatever bytes of a zip are changed, its members lie within it or it is refused") {
  std::mt19937 random(1);
  const std::vector<std::string> good{
      npz_file({{.name = "x.npy", .data = "first", .is_zip64_entry = true},
                {.name = "y.npy", .data = "second"}},
               true),
      npz_file({{.name = "x.npy", .data = "first"}})};
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string file = good[random() % good.size()];
    for (unsigned i = 0; i <= random() % 3; ++i) {
      file[random() % file.size()] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    try {
      for (const Part& part : read_parts(file)) CHECK(part.data.size() <= file.size());
    } catch (const FileError&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}

}  // namespace
}  // namespace foldtune
