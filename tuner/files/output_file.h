/// Where what is written goes: a file that is there as a whole or not at all, or the standard
/// output.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace foldtune {

/// Whether what is written to `descriptor` goes into a database, or into what SQLite keeps beside
/// one.
bool is_of_database(int descriptor);

/// Whether it goes into one of `files`, by whatever name. A terminal or a device is none.
bool is_one_of(int descriptor, const std::vector<std::string>& files);

/// Whether `path` names the standard output: "-", "/dev/stdout", or the file that it is redirected
/// to.
bool is_standard_output(const std::string& path);

/// Writes to a temporary file first. It has no name: one that nobody else can name, and that is
/// gone with the process, whatever ends it. Where the file system has no such files, it has a name
/// of its own that nobody can guess, beside `path`. Failures throw FileError.
class OutputFile {
 public:
  /// `path` may name the standard output, see above. `what` is the kind of the file, for errors:
  /// "export". `inputs` are the files that this process reads. Throws FileError where `path`, by
  /// whatever name, or the standard output is one of them; where `path` is a database, or a
  /// database's log, none of which is ever replaced; where it is the standard error's file. A
  /// symbolic link of this user or of root stays, and what it leads to is replaced; others' are
  /// refused.
  OutputFile(std::string path, std::string what, std::vector<std::string> inputs = {});
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Without `commit`, what was written is gone.
  ~OutputFile();

  void write(std::string_view bytes);
  /// How many were written.
  std::uint64_t bytes() const { return bytes_; }
  /// Forgets what was written.
  void restart();
  /// Once this returns, the file is on the disk. It has the mode and the owner of one that was
  /// there before, and takes its place.
  void commit();

 private:
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };

  void follow_links();
  bool is_input(const std::string& path) const;
  void require_replaceable() const;
  int open_temporary();
  void take_over_mode() const;
  [[noreturn]] void refuse(std::string_view reason) const;
  [[noreturn]] void fail() const;
  void copy_to_standard_output();

  std::string path_;
  std::string what_;
  bool is_standard_output_;
  std::vector<std::string> inputs_;
  std::string target_;     // What `path_` leads to.
  std::string temporary_;  // Empty: none has a name.
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t bytes_ = 0;
};

}  // namespace foldtune
