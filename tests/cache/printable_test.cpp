#include "cache/printable.h"

#include <string>
#include <string_view>

#include "tests/catch.h"

namespace foldtune {
namespace {

using namespace std::string_view_literals;

TEST_CASE("Text without controls is shown as it is") {
  CHECK(printable("") == "");
  CHECK(printable("NVIDIA H200, 3.2 \xc2\xb5s, \xe2\x89\xa4 5%, \xf0\x9f\x98\x80, C:\\tmp") ==
        "NVIDIA H200, 3.2 \xc2\xb5s, \xe2\x89\xa4 5%, \xf0\x9f\x98\x80, C:\\tmp");
}

TEST_CASE("Controls of a terminal are shown by their codes") {
  CHECK(printable("\x1b[2Jgone\x07\x7f\b"sv) == "\\x1b[2Jgone\\x07\\x7f\\x08");
  CHECK(printable("a\0b"sv) == "a\\x00b");
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\u009b31m");
}

TEST_CASE("Ends of lines stay in texts of several lines alone") {
  CHECK(printable("a\r\n\tb") == "a\\r\\n\\tb");
  CHECK(printable_lines("a\r\n\tb\x1b") == "a\\r\n\tb\\x1b");
}

TEST_CASE("What changes a text's direction or is invisible is shown by its code") {
  CHECK(printable("a\xe2\x80\xae"
                  "b") == "a\\u202eb");
  CHECK(printable("\xe2\x81\xa6\xe2\x80\x8b\xef\xbb\xbf\xe2\x80\xa8") ==
        "\\u2066\\u200b\\ufeff\\u2028");
  CHECK(printable("\xf3\xa0\x81\x81") == "\\U000e0041");
}

TEST_CASE("Bytes that are no UTF-8 are shown by their codes") {
  CHECK(printable("\xff\xfe") == "\\xff\\xfe");
  CHECK(printable("\xc3") == "\\xc3");                             // cut off
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");                    // longer than needed
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // half of a pair of UTF-16
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // behind the last character
  CHECK(printable("\x80z") == "\\x80z");
}

}  // namespace
}  // namespace foldtune
