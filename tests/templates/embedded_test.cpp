#include "templates/embedded.h"

#include <algorithm>
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
  std::set<std::string> expected{"templates/device/host_thread.h"};
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

TEST_CASE("The fingerprint follows every text and every name") {
  const std::vector<EmbeddedFile> files{{"a", "text"}, {"b", "more"}};
  const std::string before = fingerprint(files);
  CHECK(before.size() == 32);
  CHECK(fingerprint(files) == before);
  const std::vector<std::vector<EmbeddedFile>> changed{
      {{"a", "text"}, {"b", "morf"}},
      {{"a", "text"}, {"c", "more"}},
      {{"a", "text"}},
      {{"b", "more"}, {"a", "text"}},
      {{"a", "tex"}, {"b", "tmore"}},
      {{"at", "ext"}, {"b", "more"}},
  };
  std::set<std::string> fingerprints{before};
  for (const std::vector<EmbeddedFile>& other : changed) fingerprints.insert(fingerprint(other));
  CHECK(fingerprints.size() == 1 + changed.size());
}

TEST_CASE("The fingerprint of the templates is that of all embedded files") {
  CHECK(template_fingerprint() == fingerprint(embedded_files()));
  const auto all = embedded_files();
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<EmbeddedFile> files(all.begin(), all.end());
    files[i].text = "";
    CHECK(template_fingerprint() != fingerprint(files));
  }
}

}  // namespace
}  // namespace foldtune::test
