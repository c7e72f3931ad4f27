#include "templates/embedded.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace foldtune::test {
namespace {

const std::filesystem::path kSourceRoot = FOLDTUNE_SOURCE_ROOT;

TEST_CASE("Every kernel source of the tree is embedded, and nothing else but what the host needs") {
  std::set<std::string> expected{"templates/device/host_math.h", "templates/device/host_thread.h"};
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(kSourceRoot / "templates")) {
    if (entry.path().extension() == ".cuh") {
      expected.insert(entry.path().lexically_relative(kSourceRoot).generic_string());
    }
  }
  std::set<std::string> embedded;
  for (const EmbeddedFile& file : embedded_files()) embedded.emplace(file.name);
  CHECK(embedded == expected);
  CHECK(embedded.size() > 5);
}

TEST_CASE("Embedded text is the file's text") {
  for (const EmbeddedFile& file : embedded_files()) {
    INFO(file.name);
    std::ifstream stream(kSourceRoot / file.name, std::ios::binary);
    REQUIRE(stream);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    CHECK(file.text == text);
    // It is handed over with a terminating zero, as NVRTC takes names too.
    CHECK(file.name.data()[file.name.size()] == '\0');
  }
}

}  // namespace
}  // namespace foldtune::test
