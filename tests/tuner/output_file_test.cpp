#include "tuner/files/output_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tuner/files/file_error.h"

namespace foldtune {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A folder with a file that is read.
class OutputFileTest {
 protected:
  OutputFileTest() { std::ofstream(input_) << "precious"; }

  void check_refused(const std::string& path) const {
    CAPTURE(path);
    CHECK_THROWS_AS(OutputFile(path, "page", {folder_.file("other"), input_}), FileError);
    CHECK_THROWS_WITH(OutputFile(path, "page", {folder_.file("other"), input_}),
                      ContainsSubstring("writing the page " + path + ": it is what is read"));
    CHECK(content(input_) == "precious");
  }

  const test::TemporaryFolder folder_;
  const std::string input_ = folder_.file("op.json");
};

TEST_CASE_METHOD(OutputFileTest, "No output replaces a file that is read, by whatever name") {
  fs::create_symlink("op.json", folder_.file("link"));
  fs::create_symlink("link", folder_.file("link-to-link"));
  fs::create_hard_link(input_, folder_.file("hard"));
  check_refused(input_);
  check_refused(folder_.file("./op.json"));
  check_refused(folder_.path() / ".." / folder_.path().filename() / "op.json");
  check_refused(folder_.file("link"));
  check_refused(folder_.file("link-to-link"));
  check_refused(folder_.file("hard"));
}

TEST_CASE_METHOD(OutputFileTest, "No output replaces what became an input while it was made") {
  const std::string target = folder_.file("page");
  OutputFile output(target, "page", {input_});
  output.write("new");
  fs::create_hard_link(input_, target);
  CHECK_THROWS_AS(output.commit(), FileError);
  CHECK(content(input_) == "precious");
  CHECK(content(target) == "precious");
}

TEST_CASE_METHOD(OutputFileTest, "An output is there as a whole, and nothing else is") {
  const std::string target = folder_.file("page");
  {
    OutputFile output(target, "page", {input_});
    output.write("half");
  }
  CHECK_FALSE(fs::exists(target));
  OutputFile output(target, "page", {input_});
  output.write("not this");
  output.restart();
  output.write("all");
  output.commit();
  CHECK(content(target) == "all");
  fs::remove(target);
  OutputFile longest(folder_.file(std::string(255, 'x')), "page", {});
  longest.commit();
  CHECK(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()) == 2);
}

}  // namespace
}  // namespace foldtune
