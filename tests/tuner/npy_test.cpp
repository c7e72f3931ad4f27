#include "tuner/files/npy.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "foldtune/error.h"
#include "tests/catch.h"
#include "tests/tuner/npy_file.h"
#include "tuner/files/file_error.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::npy_file;
using test::npy_header;

NpyArray parse(const std::string& file, std::optional<ElementType> type = std::nullopt) {
  const auto bytes = std::as_bytes(std::span(file));
  std::optional<WantedType> wanted;
  if (type) wanted = {.type = *type, .remedy = "leave out --type"};
  return parse_npy(bytes.first(std::min(bytes.size(), kNpyHeadBytes)), file.size(), wanted,
                   "x.npy");
}

std::string zeros(std::size_t bytes) { return std::string(bytes, '\0'); }

TEST_CASE("Arrays of every type that is reduced are read") {
  const std::vector<std::pair<const char*, ElementType>> types{
      {"|i1", ElementType::i8},  {"|u1", ElementType::u8},  {"<i2", ElementType::i16},
      {"<u2", ElementType::u16}, {"<i4", ElementType::i32}, {"<u4", ElementType::u32},
      {"<i8", ElementType::i64}, {"<u8", ElementType::u64}, {"<f2", ElementType::f16},
      {"<f4", ElementType::f32}, {"<f8", ElementType::f64}};
  for (const auto& [dtype, type] : types) {
    CAPTURE(dtype);
    CHECK(parse(npy_file(npy_header(dtype, "(3,)"), zeros(3 * size_of(type)))).elements.type ==
          type);
  }
}

TEST_CASE("A type that NumPy does not have is read from what holds it, if it is asked for") {
  for (const char* dtype : {"<u2", "|V2", "<V2"}) {
    CAPTURE(dtype);
    const NpyArray array = parse(npy_file(npy_header(dtype, "(3,)"), zeros(6)), ElementType::bf16);
    CHECK(array.elements.type == ElementType::bf16);
  }
  CHECK_THROWS_WITH(parse(npy_file(npy_header("|V2", "(3,)"), zeros(6))),
                    ContainsSubstring("--type bf16"));
  CHECK_THROWS_WITH(parse(npy_file(npy_header("<f2", "(3,)"), zeros(6)), ElementType::bf16),
                    ContainsSubstring("f16 (float16), not bf16"));
}

TEST_CASE("bool is read as u8, whether that is asked for or not") {
  const std::string truth = npy_file(npy_header("|b1", "(3,)"), zeros(3));
  for (const auto wanted : {std::optional<ElementType>(), std::optional(ElementType::u8)}) {
    const NpyElements elements = parse(truth, wanted).elements;
    CHECK(elements.type == ElementType::u8);
    CHECK(elements.is_bool);
  }
  CHECK_THROWS_WITH(parse(truth, ElementType::i8), ContainsSubstring("bool, not i8 (int8)"));
}

TEST_CASE("A type may be written in every way that numpy.dtype takes") {
  using enum ElementType;
  const std::vector<std::pair<ElementType, std::vector<const char*>>> spellings{
      {i8, {"|i1", "<i1", ">i1", "=i1", "i1", "b", "int8", "byte"}},
      {u8,
       {"|u1", "<u1", ">u1", "=u1", "u1", "B", "uint8", "|b1", "<b1", "b1", "?", "bool", "ubyte",
        "bool_"}},
      {i16, {"<i2", "=i2", "i2", "|i2", "h", "int16", "short"}},
      {u16, {"<u2", "u2", "H", "uint16", "ushort"}},
      {i32, {"<i4", "=i4", "i4", "i", "int32", "intc"}},
      {u32, {"<u4", "u4", "I", "uint32", "uintc"}},
      {i64, {"<i8", "i8", "l", "q", "int64", "int", "int_", "intp", "long", "longlong"}},
      {u64, {"<u8", "u8", "L", "Q", "uint64", "uint", "uintp", "ulong", "ulonglong"}},
      {f16, {"<f2", "=f2", "f2", "e", "float16", "half"}},
      {f32, {"<f4", "=f4", "f4", "f", "<f", "float32", "single"}},
      {f64, {"<f8", "=f8", "f8", "d", "float64", "double", "float", "float_"}}};
  for (const auto& [type, descrs] : spellings) {
    for (const char* descr : descrs) {
      CAPTURE(descr);
      const NpyElements elements =
          parse(npy_file(npy_header(descr, "(3,)"), zeros(3 * size_of(type)))).elements;
      CHECK(elements.type == type);
      CHECK_FALSE(elements.is_swapped);
    }
  }
}

TEST_CASE("Big-endian elements are read, with their bytes in the other order") {
  for (const auto& [descr, type] : std::vector<std::pair<const char*, ElementType>>{
           {">f4", ElementType::f32}, {">i2", ElementType::i16}, {">u8", ElementType::u64}}) {
    CAPTURE(descr);
    const NpyElements elements =
        parse(npy_file(npy_header(descr, "(3,)"), zeros(3 * size_of(type)))).elements;
    CHECK(elements.type == type);
    CHECK(elements.is_swapped);
  }
  CHECK(
      parse(npy_file(npy_header(">u2", "(1,)"), zeros(2)), ElementType::bf16).elements.is_swapped);
}

TEST_CASE("What is no number is refused with what it is, and with what to do") {
  for (const auto& [descr, text] :
       std::vector<std::pair<const char*, const char*>>{{"<c8", "complex"},
                                                        {"<c16", "array.real"},
                                                        {"|O", "Python objects"},
                                                        {"|S4", "strings"},
                                                        {"<U3", "strings"},
                                                        {"<m8[s]", "array.view('int64')"},
                                                        {"<f16", "float64"},
                                                        {"|V4", "can be reduced is int8, uint8"},
                                                        {"f3", "array.astype"}}) {
    CAPTURE(descr);
    CHECK_THROWS_WITH(parse(npy_file(npy_header(descr, "(3,)"), zeros(12))),
                      ContainsSubstring(text));
  }
}

TEST_CASE("The elements follow the header") {
  const std::string header = npy_header("<f4", "(3,)");
  const NpyArray array = parse(npy_file(header, zeros(12)));
  CHECK(array.count == 3);
  CHECK(array.data_offset == 10 + header.size());
}

TEST_CASE("Versions 2.0 and 3.0 have a longer length") {
  const int major = GENERATE(2, 3);
  const std::string header = npy_header("<f4", "(3,)");
  const NpyArray array = parse(npy_file(header, zeros(12), major));
  CHECK(array.count == 3);
  CHECK(array.data_offset == 12 + header.size());
}

TEST_CASE("Shape and order are told") {
  const NpyArray array = parse(npy_file(npy_header("<f4", "(2, 3)", "True"), zeros(24)));
  CHECK(array.shape == std::vector<std::uint64_t>{2, 3});
  CHECK(array.is_fortran_order);
  CHECK_FALSE(parse(npy_file(npy_header("<f4", "(2, 3)"), zeros(24))).is_fortran_order);
  CHECK(parse(npy_file(npy_header("<f4", "()"), zeros(4))).shape.empty());
}

TEST_CASE("Any shape and order is a row of elements") {
  CHECK(parse(npy_file(npy_header("<f4", "()"), zeros(4))).count == 1);
  CHECK(parse(npy_file(npy_header("<f4", "(2, 3)"), zeros(24))).count == 6);
  CHECK(parse(npy_file(npy_header("<f4", "(2, 3, 4,)"), zeros(96))).count == 24);
  CHECK(parse(npy_file(npy_header("<f4", "(2, 3)", "True"), zeros(24))).count == 6);
  CHECK(parse(npy_file(npy_header("<f4", "(0,)"), "")).count == 0);
  CHECK(parse(npy_file(npy_header("<f4", "(0, 18446744073709551615, 3)"), "")).count == 0);
}

TEST_CASE("The dictionary may be written in other ways") {
  const std::string header =
      GENERATE(R"({"shape":(3L,),"fortran_order":False,"descr":"<f4"})",
               "{u'descr': u'<f4', u'fortran_order': False, u'shape': (3,), }\n",
               "{ 'descr' : '<f4' , 'fortran_order' : True , 'shape' : ( 3 , ) }",
               "{'descr':'<f4','fortran_order':False,'shape':(3,)}\n");
  CAPTURE(header);
  CHECK(parse(npy_file(header, zeros(12))).count == 3);
}

TEST_CASE("A file of another type than asked for is refused, and both types are named") {
  const std::string file = npy_file(npy_header("<f8", "(3,)"), zeros(24));
  CHECK(parse(file, ElementType::f64).count == 3);
  CHECK_THROWS_AS(parse(file, ElementType::f32), InvalidArgument);
  CHECK_THROWS_WITH(parse(file, ElementType::f32),
                    ContainsSubstring("f64 (float64), not f32 (float32)"));
}

TEST_CASE("A type that is not reduced is refused by name") {
  CHECK_THROWS_WITH(parse(npy_file(npy_header("<f2", "(3,)"), zeros(6)), ElementType::f32),
                    ContainsSubstring("f16 (float16), not f32"));
  CHECK_THROWS_WITH(parse(npy_file(npy_header("<M8[ns]", "(3,)"), zeros(24))),
                    ContainsSubstring("'<M8[ns]'"));
  for (const char* dtype : {"|V2", "|V4", "<c8", "|S4", "|O", "", "<", "<f16", ">>f4", "<f40"}) {
    CAPTURE(dtype);
    CHECK_THROWS_AS(parse(npy_file(npy_header(dtype, "(3,)"), zeros(12))), InvalidArgument);
  }
}

TEST_CASE("Records are refused, also those of one field") {
  const std::string header =
      "{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': False, 'shape': (3,), }\n";
  CHECK_THROWS_AS(parse(npy_file(header, zeros(24))), InvalidArgument);
  const std::string of_one = "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }\n";
  CHECK_THROWS_WITH(parse(npy_file(of_one, zeros(12))),
                    ContainsSubstring("holds records, whose fields have names"));
}

TEST_CASE("A file whose data do not fit its header is refused") {
  const std::string header = npy_header("<f4", "(3,)");
  CHECK_THROWS_WITH(parse(npy_file(header, zeros(11))), ContainsSubstring("cut short"));
  CHECK_THROWS_WITH(parse(npy_file(header, "")), ContainsSubstring("cut short"));
  CHECK_THROWS_WITH(parse(npy_file(header, zeros(13))), ContainsSubstring("too long"));
  CHECK_THROWS_WITH(parse(npy_file(header, zeros(16))), ContainsSubstring("too long"));
  CHECK_THROWS_AS(parse(npy_file(header, zeros(8))), FileError);
}

TEST_CASE("A shape larger than any file is refused without overflow") {
  const std::string shape =
      GENERATE("(18446744073709551615,)", "(18446744073709551616,)", "(4294967296, 4294967296)",
               "(4611686018427387904,)", "(4611686018427387905,)", "(99999999999999999999999,)");
  CAPTURE(shape);
  CHECK_THROWS_AS(parse(npy_file(npy_header("<f4", shape), zeros(4))), FileError);
}

TEST_CASE("A damaged header is refused") {
  const std::string header =
      GENERATE("", " ", "{", "}", "{}", "[]", "None", "{'descr'", "{'descr':", "{'descr': '<f4'",
               "{'descr': '<f4', 'fortran_order': False}", "{'descr': '<f4', 'shape': (1,)}",
               "{'fortran_order': False, 'shape': (1,)}",
               "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
               "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
               "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
               "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
               "{'descr': '<f4', 'fortran_order': false, 'shape': (1,)}",
               "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
               "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
               "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
               "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
               "{'descr': '<f4', 'fortran_order': False, 'shape': (1.0,)}",
               "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
               "{'descr': '<f4', 'fortran_order': False, 'shape': (1,,)}",
               "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1",
               "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
               "{'descr': <f4, 'fortran_order': False, 'shape': (1,)}",
               "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (1,)}",
               "{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}");
  CAPTURE(header);
  CHECK_THROWS_AS(parse(npy_file(header, zeros(4))), FileError);
}

TEST_CASE("More dimensions than NumPy has are refused") {
  std::string shape = "(";
  for (int i = 0; i < 65; ++i) shape += "1, ";
  CHECK_THROWS_AS(parse(npy_file(npy_header("<f4", shape + ")"), zeros(4))), FileError);
}

TEST_CASE("An unknown version is refused") {
  const auto [major, minor] = GENERATE(table<int, int>({{0, 0}, {1, 1}, {4, 0}, {255, 255}}));
  CHECK_THROWS_AS(parse(npy_file(npy_header("<f4", "(1,)"), zeros(4), major, minor)), FileError);
}

TEST_CASE("A header that is longer than the file, or than any array's, is refused") {
  std::string file = npy_file(npy_header("<f4", "(1,)"), zeros(4), 2);
  file[8] = file[9] = file[10] = file[11] = '\xff';
  CHECK_THROWS_WITH(parse(file), ContainsSubstring("cut short within its header"));

  const std::string padded = npy_header("<f4", "(1,)") + std::string(100000, ' ');
  CHECK_THROWS_WITH(parse(npy_file(padded, zeros(4), 2)), ContainsSubstring("longer than"));
}

TEST_CASE("Every beginning of a good file is refused, without reading beyond it") {
  const int major = GENERATE(1, 2);
  const std::string file = npy_file(npy_header("<f4", "(2, 3)"), zeros(24), major);
  for (std::size_t size = 0; size < file.size(); ++size) {
    // Of exactly this size, so that a sanitizer sees what lies beyond.
    const std::string beginning(file.data(), size);
    CAPTURE(size);
    CHECK_THROWS_AS(parse(beginning), FileError);
  }
}

TEST_CASE("Whatever is in a file, it is read or refused") {
  std::mt19937 random(1);
  const std::string good = npy_file(npy_header("<f4", "(2, 3)"), zeros(24));
  constexpr std::string_view kTelling = "{}()[]'\",:0123456789LTrueFalse<>|=fi \n\\\xff\x00";
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string file = good;
    for (unsigned i = 0; i <= random() % 4; ++i) {
      file[random() % file.size()] = kTelling[random() % kTelling.size()];
    }
    if (random() % 4 == 0) file.resize(random() % (file.size() + 8));
    try {
      const NpyArray array = parse(file);
      CHECK(array.data_offset + array.count * size_of(array.elements.type) == file.size());
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 0);
}

TEST_CASE("A raw file is not taken for .npy") {
  CHECK_FALSE(is_npy({}));
  CHECK_FALSE(is_npy(std::as_bytes(std::span(std::string_view("\x93NUMP")))));
  CHECK_FALSE(is_npy(std::as_bytes(std::span(std::string_view("NUMPY file")))));
  CHECK(is_npy(std::as_bytes(std::span(std::string_view("\x93NUMPY")))));
}

}  // namespace
}  // namespace foldtune
