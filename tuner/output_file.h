/// Where what is written goes: a file that is there as a whole or not at all, or the standard
/// output.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace foldtune {

/// Writes to a temporary file first: beside `path`, or for the standard output, which gets nothing
/// of what fails, to one without a name. Failures throw FileError.
class OutputFile {
 public:
  /// `path` is "-" for the standard output. `what` is the kind of the file, for errors: "export".
  OutputFile(std::string path, std::string what);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Without `commit`, what was written is gone.
  ~OutputFile();

  void write(std::string_view bytes);
  /// Forgets what was written.
  void restart();
  /// Once this returns, the file is on the disk, in the place of one that was there.
  void commit();

 private:
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };

  bool is_standard_output() const { return path_ == "-"; }
  [[noreturn]] void fail() const;
  void copy_to_standard_output();

  std::string path_;
  std::string what_;
  std::string temporary_;  // Empty: none is left.
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace foldtune
