#include "tuner/files/input_array.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <numeric>
#include <thread>

#include "foldtune/error.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tests/tuner/npy_file.h"
#include "tests/tuner/npz_file.h"
#include "tuner/files/file_error.h"

namespace foldtune {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::npy_file;
using test::npy_header;
using test::npz_file;

class Folder {
 public:
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string path(const std::string& name) const { return folder_.file(name); }

 private:
  test::TemporaryFolder folder_;
};

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string npy_of(const std::vector<float>& values) {
  return npy_file(npy_header("<f4", fmt::format("({},)", values.size())), bytes_of(values));
}

InputArray open(const std::string& name, std::optional<ElementType> type = std::nullopt,
                InputFormat format = InputFormat::by_content) {
  std::optional<WantedType> wanted;
  if (type) wanted = WantedType{.type = *type};
  return {name, wanted, format};
}

template <class T>
std::vector<T> read(const InputArray& array, ElementOrder order = ElementOrder::c_order) {
  std::vector<T> values(array.count());
  array.read(order, [&](std::uint64_t offset, std::span<const std::byte> piece) {
    REQUIRE(offset + piece.size() <= values.size() * sizeof(T));
    std::memcpy(reinterpret_cast<std::byte*>(values.data()) + offset, piece.data(), piece.size());
  });
  return values;
}

TEST_CASE("Big-endian elements and truth values are read as this machine has them") {
  const Folder folder;
  const std::string big =
      folder.write("big", npy_file(npy_header(">i2", "(2,)"), std::string("\x01\x02\xff\xfe", 4)));
  CHECK(read<std::int16_t>(open(big)) == std::vector<std::int16_t>{0x102, -2});
  const std::string truth =
      folder.write("truth", npy_file(npy_header("|b1", "(3,)"), std::string("\0\1\xff", 3)));
  CHECK(read<std::uint8_t>(open(truth)) == std::vector<std::uint8_t>{0, 1, 1});
}

TEST_CASE("An array of Fortran order is read in C order where that is asked for") {
  const Folder folder;
  const auto shape = GENERATE(ArrayShape{2, 3}, ArrayShape{3, 4, 5}, ArrayShape{1, 6},
                              ArrayShape{6, 1}, ArrayShape{7}, ArrayShape{2, 1, 3, 1}, ArrayShape{},
                              ArrayShape{2, 0, 3}, ArrayShape{64, 65});
  CAPTURE(shape);
  const auto count =
      std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies());
  std::vector<std::int32_t> wanted(count);  // each element is its number in C order
  std::iota(wanted.begin(), wanted.end(), 0);
  std::vector<std::int32_t> in_file(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const ArrayShape indices = to_indices(shape, i);
    std::uint64_t place = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) place = place * shape[axis] + indices[axis];
    in_file[place] = static_cast<std::int32_t>(i);
  }
  const std::string file = folder.write(
      "f", npy_file(npy_header("<i4", format_shape(shape), "True"), bytes_of(in_file)));
  CHECK(read<std::int32_t>(open(file)) == wanted);
  CHECK(read<std::int32_t>(open(file), ElementOrder::any) == in_file);
  CHECK(open(file).shape() == shape);
}

TEST_CASE("Arrays of .npz files are read by name") {
  const Folder folder;
  const std::string one = folder.write("one.npz", npz_file({{"x.npy", npy_of({1, 2})}}));
  CHECK(read<float>(open(one)) == std::vector<float>{1, 2});
  CHECK(open(one).name() == one + ":x");
  const std::string two =
      folder.write("two:odd.npz", npz_file({{"x.npy", npy_of({1, 2})}, {"a:y.npy", npy_of({3})}}));
  CHECK(read<float>(open(two + ":x")) == std::vector<float>{1, 2});
  CHECK(read<float>(open(two + ":x.npy")) == std::vector<float>{1, 2});
  CHECK(read<float>(open(two + ":a:y")) == std::vector<float>{3});
  CHECK_THROWS_WITH(open(two),
                    ContainsSubstring("2 arrays (x, a:y)") && ContainsSubstring(two + ":x"));
  CHECK_THROWS_WITH(open(two + ":z"), ContainsSubstring("no array 'z': it has x, a:y"));
  // Of two of one name NumPy has the last.
  const std::string same =
      folder.write("same.npz", npz_file({{"x.npy", npy_of({1, 2})}, {"x.npy", npy_of({3})}}));
  CHECK(read<float>(open(same)) == std::vector<float>{3});
  CHECK_THROWS_AS(open(two + ":z"), InvalidArgument);
  CHECK_THROWS_AS(open(two + ":x", ElementType::f64), InvalidArgument);
  CHECK_THROWS_WITH(open(folder.write("x.npy", npy_of({1})) + ":x"),
                    ContainsSubstring("not an .npz file"));
}

TEST_CASE("Members of an .npz file that cannot be read are refused with what to do") {
  const Folder folder;
  const std::string packed =
      folder.write("packed", npz_file({{.name = "x.npy", .data = npy_of({1}), .method = 8}}));
  CHECK_THROWS_WITH(open(packed, ElementType::u8), ContainsSubstring("numpy.savez instead"));
  const std::string other = folder.write("other", npz_file({{"x.txt", "1 2 3"}}));
  CHECK_THROWS_WITH(open(other, ElementType::u8), ContainsSubstring("without an .npy file"));
  CHECK_THROWS_WITH(open(folder.write("none", npz_file({}))),
                    ContainsSubstring("without an .npy file"));
  std::string damaged = npz_file({{"x.npy", npy_of({1, 2})}});
  damaged.resize(damaged.size() - 30);
  CHECK_THROWS_AS(open(folder.write("damaged", damaged), ElementType::u8), FileError);
  const std::string raw = npz_file({{"x.npy", "no array"}});
  CHECK_THROWS_AS(open(folder.write("no_npy", raw)), FileError);
}

TEST_CASE("Elements that are not those that were put into an .npz file are refused") {
  const Folder folder;
  const std::string is_fortran_order = GENERATE("False", "True");
  const std::string header = npy_header("<f4", "(2, 2)", is_fortran_order);
  std::string bytes = npz_file({{"x.npy", npy_file(header, bytes_of<float>({1, 2, 3, 4}))}});
  const std::string path = folder.write("x.npz", bytes);
  CHECK(read<float>(open(path)).size() == 4);
  bytes.at(bytes.find(bytes_of<float>({3}))) ^= 1;
  folder.write("x.npz", bytes);
  CHECK_THROWS_WITH(read<float>(open(path)), ContainsSubstring("x.npz:x is damaged"));
  CHECK_THROWS_AS(read<float>(open(path), ElementOrder::any), FileError);
}

TEST_CASE("What holds no elements is refused, unless it is to be raw all the same") {
  const Folder folder;
  for (const auto& [name, content] : std::vector<std::pair<std::string, std::string>>{
           {"table", "1,2\n3,4\n"},
           {"table.csv", "1,2\n3,4\n"},
           {"packed", std::string("\x1f\x8b\x08\0\0\0\0\0", 8)},
           {"zip", npz_file({{"x.txt", "1 2 3"}})},
           {"x.npy", "\1\2\3\4"}}) {
    CAPTURE(name);
    const std::string file = folder.write(name, content);
    CHECK_THROWS_AS(open(file, ElementType::u8), InvalidArgument);
    CHECK_THROWS_AS(open(file), InvalidArgument);
    const InputArray raw = open(file, ElementType::u8, InputFormat::raw);
    CHECK(raw.count() == content.size());
    CHECK_FALSE(raw.shape());
  }
  CHECK_THROWS_WITH(open(folder.write("t", "1\n"), ElementType::u8), ContainsSubstring("--raw"));
  const std::string npy = npy_of({1});
  CHECK(open(folder.write("y.npy", npy), ElementType::u8, InputFormat::raw).count() == npy.size());
}

TEST_CASE("A named pipe is read to its end, however late it is written") {
  const Folder folder;
  const std::string pipe = folder.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::vector<float> values(100'000);  // more than a pipe holds
  std::iota(values.begin(), values.end(), 0.0F);
  const std::string bytes = GENERATE_COPY(bytes_of(values), npy_of(values));
  const std::jthread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::ofstream stream(pipe, std::ios::binary);
    stream << bytes.substr(0, 7) << std::flush;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stream << bytes.substr(7);
  });
  CHECK(read<float>(open(pipe, ElementType::f32)) == values);
}

TEST_CASE("A file whose size the system does not tell is read to its end") {
  CHECK(open("/proc/version", ElementType::u8, InputFormat::raw).count() > 0);
  const Folder folder;
  CHECK(open(folder.write("empty", ""), ElementType::u8).count() == 0);
}

TEST_CASE("The standard input is read, and its .npz members by name") {
  const Folder folder;
  const std::string bytes = npz_file({{"x.npy", npy_of({1, 2})}, {"y.npy", npy_of({3})}});
  const bool is_file = GENERATE(false, true);
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  REQUIRE(::write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  const int before = ::dup(STDIN_FILENO);
  const int file = ::open(folder.write("x.npz", bytes).c_str(), O_RDONLY);
  ::dup2(is_file ? file : ends[0], STDIN_FILENO);
  const std::vector<float> values = read<float>(open("-:y"));
  ::dup2(before, STDIN_FILENO);
  for (const int descriptor : {before, file, ends[0]}) ::close(descriptor);
  CHECK(values == std::vector<float>{3});
}

TEST_CASE("Devices are neither files nor pipes") {
  CHECK_THROWS_WITH(open("/dev/zero", ElementType::u8),
                    ContainsSubstring("neither a regular file nor a pipe"));
}

TEST_CASE("A file of another type is refused with what to do about it") {
  const Folder folder;
  const std::string file = folder.write("x.npy", npy_of({1}));
  CHECK_THROWS_WITH(
      InputArray(file, WantedType{.type = ElementType::f64, .remedy = "name it in --inputs"},
                 InputFormat::by_content),
      ContainsSubstring("f32 (float32), not f64 (float64); name it in --inputs"));
}

}  // namespace
}  // namespace foldtune
