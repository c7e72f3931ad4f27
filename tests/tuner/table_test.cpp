#include "tuner/text/table.h"

#include "tests/catch.h"

namespace foldtune {
namespace {

Table make_table() {
  Table table({{"name"}, {"us", Align::right}, {"config"}});
  table.add_row({"a", "1.5", "x y z"});
  table.add_row({"long name", "100", ""});
  return table;
}

TEST_CASE("Columns are as wide as their widest cell, and numbers are aligned to the right") {
  CHECK(make_table().to_string(0) ==
        "name        us  config\n"
        "a          1.5  x y z\n"
        "long name  100\n");
}

TEST_CASE("A table that fits is not changed by the width") {
  CHECK(make_table().to_string(22) == make_table().to_string(0));
}

TEST_CASE("Where a table is too wide, its last column goes below each row") {
  CHECK(make_table().to_string(21) ==
        "name        us\n"
        "    config\n"
        "a          1.5\n"
        "    x y z\n"
        "long name  100\n"
        "\n");
}

TEST_CASE("What is still too wide is cut, and shows it") {
  CHECK(make_table().to_string(10) ==
        "name   ...\n"
        "    config\n"
        "a      ...\n"
        "    x y z\n"
        "long na...\n"
        "\n");
}

TEST_CASE("A table without rows is its titles") {
  Table table({{"a"}, {"b"}});
  CHECK(table.empty());
  CHECK(table.to_string(0) == "a  b\n");
}

TEST_CASE("Text is cut to any width") {
  CHECK(cut("12345", 0) == "12345");
  CHECK(cut("12345", 5) == "12345");
  CHECK(cut("12345", 4) == "1...");
  CHECK(cut("12345", 2) == "..");
}

TEST_CASE("Text is broken between words, under its label") {
  CHECK(wrap("why  one two three", 0, 5) == "why  one two three");
  CHECK(wrap("why  one two three", 18, 5) == "why  one two three");
  CHECK(wrap("why  one two three", 13, 5) == "why  one two\n     three");
  CHECK(wrap("why  one two three", 12, 5) == "why  one two\n     three");
  CHECK(wrap("why  one two three", 11, 5) == "why  one\n     two\n     three");
}

TEST_CASE("A word that is longer than a line has one of its own") {
  CHECK(wrap("a /a/long/path b", 6, 2) == "a /a/long/path\n  b");
  CHECK(wrap("x a /a/long/path b", 6, 2) == "x a\n  /a/long/path\n  b");
}

}  // namespace
}  // namespace foldtune
