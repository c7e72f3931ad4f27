#include "tuner/exchange/input_bytes.h"

#include <sys/stat.h>

#include <fstream>
#include <string>
#include <thread>

#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tuner/files/file_error.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("InputBytes: of a pipe a limited number of bytes is taken, of a file any") {
  const test::TemporaryFolder folder;
  const std::string text(1000, 'x');
  const std::string fifo = folder.file("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  for (const std::uint64_t most : {999, 1000}) {
    std::jthread writer([&] { std::ofstream(fifo, std::ios::binary) << text; });
    try {
      const InputBytes bytes(fifo, most);
      CHECK(most == 1000);
    } catch (const FileError& error) {
      CHECK(most == 999);
      CHECK_THAT(error.what(), ContainsSubstring("it gives more than 999"));
    }
  }
  std::ofstream(folder.file("file"), std::ios::binary) << text;
  std::string read(2000, '\0');
  const InputBytes bytes(folder.file("file"), /*max_piped=*/999);
  for (int again = 0; again < 2; ++again) CHECK(bytes.begin()(read.data(), read.size()) == 1000);
}

TEST_CASE("InputBytes: what is neither a file nor a pipe is refused") {
  for (const char* const path : {"/dev/zero", "/dev/null", "/proc"}) {
    CAPTURE(path);
    CHECK_THROWS_WITH(InputBytes(path), ContainsSubstring("it is neither a file nor a pipe"));
  }
}

}  // namespace
}  // namespace foldtune
