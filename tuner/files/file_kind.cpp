#include "tuner/files/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace foldtune {
namespace {

using namespace std::string_view_literals;

/// A format that is known by bytes at an offset, or by the ending of a name.
struct Format {
  std::string_view magic;
  std::size_t offset;
  std::string_view ending;
  std::string_view what;
  std::string_view remedy;
};

constexpr std::string_view kSaveArray = "load it in Python and save the array with numpy.save";
constexpr std::string_view kReadHdf5 =
    "read the data set, as h5py does, and save the array with numpy.save";
constexpr std::string_view kReadText =
    "read the numbers, as numpy.loadtxt does, and save the array with numpy.save";

/// Of .gz and the like: what prints their content.
constexpr std::string_view kGzip = "decompress it, as in zcat FILE | foldtune run -";
constexpr std::string_view kBzip2 = "decompress it, as in bzcat FILE | foldtune run -";
constexpr std::string_view kXz = "decompress it, as in xzcat FILE | foldtune run -";
constexpr std::string_view kZstd = "decompress it, as in zstdcat FILE | foldtune run -";
constexpr std::string_view kLz4 = "decompress it, as in lz4cat FILE | foldtune run -";
constexpr std::string_view kNameArray = "name a file of elements";
constexpr std::string_view kUnpack = "unpack it first";

constexpr std::array kFormats{
    Format{"\x1f\x8b\x08", 0, ".gz", "compressed by gzip", kGzip},
    Format{"\x1f\x9d\x90", 0, ".Z", "compressed by compress", kGzip},
    Format{"BZh", 0, ".bz2", "compressed by bzip2", kBzip2},
    Format{"\xfd"
           "7zXZ\0"sv,
           0, ".xz", "compressed by xz", kXz},
    Format{"\x5d\0\0\x80\0"sv, 0, ".lzma", "compressed by lzma", kXz},
    Format{"\x28\xb5\x2f\xfd", 0, ".zst", "compressed by Zstandard", kZstd},
    Format{"\x04\x22\x4d\x18", 0, ".lz4", "compressed by lz4", kLz4},
    Format{"7z\xbc\xaf\x27\x1c", 0, ".7z", "a 7z archive", kUnpack},
    Format{"ustar", 257, ".tar", "a tar archive", kUnpack},
    Format{"\x89HDF\r\n\x1a\n", 0, ".h5", "an HDF5 file", kReadHdf5},
    Format{"\x89HDF\r\n\x1a\n", 512, ".hdf5", "an HDF5 file", kReadHdf5},
    Format{"MATLAB 5.0 MAT-file", 0, ".mat", "a MATLAB file",
           "read the array, as scipy.io.loadmat does, and save it with numpy.save"},
    Format{"CDF\x01", 0, ".nc", "a NetCDF file", kSaveArray},
    Format{"CDF\x02", 0, ".nc", "a NetCDF file", kSaveArray},
    Format{"CDF\x05", 0, ".nc", "a NetCDF file", kSaveArray},
    Format{"PAR1", 0, ".parquet", "a Parquet file",
           "read a column, as pandas.read_parquet does, and save it with numpy.save"},
    Format{"ARROW1", 0, ".arrow", "an Arrow file", kSaveArray},
    Format{"FEA1", 0, ".feather", "a Feather file", kSaveArray},
    Format{"ORC", 0, ".orc", "an ORC file", kSaveArray},
    Format{"\x80\x04\x95", 0, ".pkl", "a Python pickle", kSaveArray},
    Format{"\x80\x05\x95", 0, ".pickle", "a Python pickle", kSaveArray},
    Format{"\x80\x02\x63", 0, ".pt", "a Python pickle", kSaveArray},
    Format{"\x80\x03\x63", 0, ".pth", "a Python pickle", kSaveArray},
    Format{"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20", 0, ".pt", "a PyTorch file", kSaveArray},
    Format{"\0\0\0\0{\""sv, 4, ".safetensors", "a safetensors file", kSaveArray},
    Format{"SIMPLE  =", 0, ".fits", "a FITS file", kSaveArray},
    Format{"II*\0"sv, 0, ".tif", "a TIFF image", kSaveArray},
    Format{"MM\0*"sv, 0, ".tiff", "a TIFF image", kSaveArray},
    Format{"\x89PNG\r\n\x1a\n", 0, ".png", "a PNG image", kSaveArray},
    Format{"\xff\xd8\xff", 0, ".jpg", "a JPEG image", kSaveArray},
    Format{"GIF8", 0, ".gif", "a GIF image", kSaveArray},
    Format{"RIFF", 0, ".wav", "a RIFF file (WAVE, WebP, AVI)", kSaveArray},
    Format{"\0\0\0\0\x36\0\0\0"sv, 6, ".bmp", "a BMP image", kSaveArray},
    Format{"\x76\x2f\x31\x01", 0, ".exr", "an OpenEXR image", kSaveArray},
    Format{"\0\0\0\x0cjP  "sv, 0, ".jp2", "a JPEG 2000 image", kSaveArray},
    Format{"II+\0"sv, 0, ".btf", "a TIFF image", kSaveArray},
    Format{"P5\n", 0, ".pgm", "a PGM image", kSaveArray},
    Format{"P6\n", 0, ".ppm", "a PPM image", kSaveArray},
    Format{"PF\n", 0, ".pfm", "a PFM image", kSaveArray},
    Format{"Pf\n", 0, ".pfm", "a PFM image", kSaveArray},
    Format{"DICM", 128, ".dcm", "a DICOM image", kSaveArray},
    Format{"n+1\0"sv, 344, ".nii", "a NIfTI image", kSaveArray},
    Format{"NRRD000", 0, ".nrrd", "an NRRD image", kSaveArray},
    Format{"OggS", 0, ".ogg", "an Ogg file", kSaveArray},
    Format{"fLaC", 0, ".flac", "a FLAC file", kSaveArray},
    Format{"ID3", 0, ".mp3", "an MP3 file", kSaveArray},
    Format{"ftyp", 4, ".mp4", "an MP4 file", kSaveArray},
    Format{"LZIP", 0, ".lz", "compressed by lzip", kUnpack},
    Format{"\xff\x06\0\0sNaPpY"sv, 0, ".sz", "compressed by Snappy", kUnpack},
    Format{"Rar!\x1a\x07", 0, ".rar", "a RAR archive", kUnpack},
    Format{"\x0e\x03\x13\x01", 0, ".hdf", "an HDF4 file", kSaveArray},
    Format{"Obj\x01", 0, ".avro", "an Avro file", kSaveArray},
    Format{"GRIB", 0, ".grib", "a GRIB file", kSaveArray},
    Format{"root\0"sv, 0, ".root", "a ROOT file", kSaveArray},
    Format{"GGUF", 0, ".gguf", "a GGUF file", kSaveArray},
    Format{"ply\n", 0, ".ply", "a PLY file", kSaveArray},
    Format{"# vtk", 0, ".vtk", "a VTK file", kSaveArray},
    Format{"RDX2\n", 0, ".rdata", "an R file", kSaveArray},
    Format{"RDX3\n", 0, ".rda", "an R file", kSaveArray},
    Format{"\xcf\xfa\xed\xfe", 0, ".dylib", "a program or library", kNameArray},
    Format{"SQLite format 3\0"sv, 0, ".sqlite", "an SQLite database", kNameArray},
    Format{"\x7f"
           "ELF",
           0, ".so", "a program or library", kNameArray},
    Format{"%PDF-", 0, ".pdf", "a PDF document", kNameArray},
};

/// Endings of names alone.
constexpr std::array kArrayEndings{".npy"sv, ".npz"sv, ".zip"sv};
constexpr std::array kTextEndings{".csv"sv, ".tsv"sv, ".txt"sv, ".json"sv};

bool has_magic(std::string_view head, const Format& format) {
  return head.size() > format.offset && head.substr(format.offset).starts_with(format.magic);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

bool is_space(char c) { return c == '\n' || c == '\r' || c == '\t' || c == '\f'; }

/// Whether all bytes are characters of UTF-8 that text has, but for one that is cut off at the end.
bool is_printable(std::string_view text) {
  std::size_t following = 0;  // bytes of the character that are still to come
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues = byte >= 0x80 && byte < 0xc0;
    if (continues != (following > 0)) return false;
    if (following > 0) {
      --following;
    } else if (byte >= 0xc2) {
      if (byte > 0xf4) return false;
      following = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    } else if (byte == 0x7f || byte >= 0xc0 || (byte < ' ' && !is_space(c))) {
      return false;
    }
  }
  return true;
}

/// A few bytes may be elements of 8 bits that happen to be printable. More of them are text, also
/// without ends of lines, as JSON and XML are written: of random bytes one file in ten million is.
bool is_text(std::string_view head) {
  constexpr std::size_t kManyBytes = 16;
  constexpr std::string_view kUtf16 = "\xff\xfe";
  constexpr std::string_view kUtf16BigEndian = "\xfe\xff";
  if (head.size() >= 4 && head.starts_with(kUtf16) && head[3] == '\0') return true;
  if (head.size() >= 4 && head.starts_with(kUtf16BigEndian) && head[2] == '\0') return true;
  if (head.empty() || !is_printable(head)) return false;
  return head.size() >= kManyBytes || head.find('\n') != std::string_view::npos ||
         head.find_first_not_of("0123456789+-.eEinfaNA,; \t\r") == std::string_view::npos;
}

}  // namespace

std::string describe_foreign_file(std::span<const std::byte> head, std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  const auto describe = [](const Format& format) {
    return fmt::format("{}: {}", format.what, format.remedy);
  };
  for (const Format& format : kFormats) {
    if (has_magic(text, format)) return describe(format);
  }
  if (is_text(text)) return fmt::format("text: {}", kReadText);
  const std::string ending = lower(name);
  for (const Format& format : kFormats) {
    if (ending.ends_with(format.ending)) {
      return fmt::format("named {}, and its content is something else: {}", format.ending,
                         kNameArray);
    }
  }
  for (const std::string_view array : kArrayEndings) {
    if (ending.ends_with(array)) {
      return fmt::format("named {}, and does not begin as one: it is damaged", array);
    }
  }
  const bool is_named_text = std::ranges::any_of(
      kTextEndings, [&](std::string_view text_ending) { return ending.ends_with(text_ending); });
  if (is_named_text) return fmt::format("named as text: {}", kReadText);
  return {};
}

}  // namespace foldtune
