#include "tuner/text/format.h"

#include <string>

#include "cache/excerpt.h"
#include "templates/histogram/space.h"
#include "templates/reduce/space.h"
#include "tests/catch.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("Numbers have four significant digits and no exponent") {
  CHECK(format_number(0.12345) == "0.123");
  CHECK(format_number(1.23456) == "1.235");
  CHECK(format_number(12.3456) == "12.35");
  CHECK(format_number(123.456) == "123.5");
  CHECK(format_number(12345.6) == "12346");
  CHECK(format_number(0) == "0.000");
}

TEST_CASE("Quantities come in units that fit") {
  CHECK(format_us(3.2149) == "3.215 us");
  CHECK(format_us(1500) == "1.500 ms");
  CHECK(format_us(2.5e6) == "2.500 s");
  CHECK(format_seconds(12.4) == "12 s");
  CHECK(format_seconds(0.3) == "0.3 s");
  CHECK(format_seconds(0.001) == "1 ms");
  CHECK(format_seconds(200) == "3 min 20 s");
  CHECK(format_seconds(7500) == "2 h 5 min");
  CHECK(format_seconds(-3) == "0 s");
  CHECK(format_bytes(512) == "512 B");
  CHECK(format_bytes(std::uint64_t{60} << 20) == "60 MiB");
  CHECK(format_bytes(150'110'011'392) == "139.8 GiB");
  CHECK(format_percent(0.9351) == "93.5");
  CHECK(format_percent(0) == "-");
}

TEST_CASE("A configuration fits in a line, whether it comes as params or as JSON") {
  const ReduceParams params{.block_size = 512,
                            .vector_width = 2,
                            .unroll = 8,
                            .tile_layout = TileLayout::split,
                            .block_stage = BlockStage::tree,
                            .final_stage = FinalStage::polling,
                            .waves = 1};
  CHECK(format_config(params) ==
        "block_size=512 vector_width=2 unroll=8 tile_layout=split block_stage=tree "
        "final_stage=polling waves=1");
  CHECK(format_config(to_json(params)) ==
        "block_size=512 vector_width=2 unroll=8 tile_layout=split block_stage=tree "
        "final_stage=polling waves=1");
}

TEST_CASE("A configuration of another version is shown as it is stored") {
  CHECK(format_config(R"({"colour":"red"})") == R"({"colour":"red"})");
}

TEST_CASE("What a configuration leaves out is in the legend of its family") {
  CHECK(format_config(ReduceParams{}) == "block_size=256");
  for (const Family* const family : families()) {
    for (const Tunable& tunable : family->tunables().subspan(1)) {
      CHECK_THAT(config_legend(*family), ContainsSubstring(std::string(tunable.name) + "="));
    }
  }
  CHECK(config_legend(reduce_family()) ==
        "what is not said of reduce is vector_width=4 unroll=4 tile_layout=contiguous "
        "block_stage=shuffle final_stage=last_block waves=0");
}

TEST_CASE("A configuration of a histogram is shown like the others") {
  const Config params = HistogramParams{.block_size = 512};
  CHECK_THAT(format_config(params), ContainsSubstring("block_size=512"));
  CHECK(format_config(to_json(params)) == format_config(params));
}

TEST_CASE("The first line is the text up to its end") {
  CHECK(first_line("one\ntwo") == "one");
  CHECK(first_line("one") == "one");
  CHECK(first_line("").empty());
}

TEST_CASE("A ratio is shown as a change") {
  CHECK(format_change(1.065) == "+6.5%");
  CHECK(format_change(0.98) == "-2.0%");
  CHECK(format_change(1) == "+0.0%");
}

TEST_CASE("A word of a command line has no control characters, and means the same to a shell") {
  CHECK(shell_quoted("2^20") == "2^20");
  CHECK(shell_quoted("a b'c") == "'a b'\\''c'");
  CHECK(shell_quoted("a\nb'\x1b[2J\\") == "$'a\\x0ab\\'\\x1b[2J\\\\'");
}

TEST_CASE("A quotation is cut between characters, and says how much there is") {
  CHECK(excerpt("short") == "short");
  CHECK(excerpt(std::string(200, 'x'), 8) == "xxxxx... (200 bytes)");
  CHECK(excerpt("caf\xc3\xa9 and more", 7) == "caf... (14 bytes)");
  CHECK(shortened("a wordy one:\n" + std::string(50, 'x') + " was", 13) ==
        "a wordy one:\nxxxxxxxxxx... (50 bytes) was");
  CHECK(shortened(std::string(100, 'x') + " y", 1000, 23) ==
        std::string(20, 'x') + "... (102 bytes)");
}

TEST_CASE("The word that was meant is near, or goes on") {
  const std::vector<std::string> verbs{"tune", "show", "landscape", "ladder"};
  CHECK(nearest_word("tnue", verbs) == "tune");
  CHECK(nearest_word("tenu", verbs).empty());  // two of four letters
  CHECK(nearest_word("tunes", verbs) == "tune");
  CHECK(nearest_word("lader", verbs) == "ladder");
  CHECK(nearest_word("landscpae", verbs) == "landscape");
  CHECK(nearest_word("lands", verbs) == "landscape");
  CHECK(nearest_word("fold", verbs).empty());
  CHECK(nearest_word("", verbs).empty());
  CHECK(nearest_word(std::string(100'000, 't'), verbs).empty());
}

}  // namespace
}  // namespace foldtune
