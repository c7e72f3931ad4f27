// What a KernelStore does.
#include <SQLiteCpp/Database.h>

#include <filesystem>

#include "tests/cache/kernels.h"
#include "tests/cache/records.h"
#include "tests/cache/temporary_folder.h"
#include "tests/catch.h"
#include "tests/runtime/scoped_variable.h"

namespace foldtune::test {
namespace {

/// The programs that are kept, of a, b, c and d.
std::string programs(const KernelStore& kernels) {
  std::string kept;
  for (const char* program : {"a", "b", "c", "d"}) {
    if (kernels.find(key_of(program))) kept += program;
  }
  return kept;
}

TEST_CASE("kernels: every field comes back as it was put, whatever bytes the image is of") {
  const auto kernels = open_memory_store()->kernels();
  CHECK_FALSE(kernels->find(key_of("a")));
  const KernelRecord kernel = kernel_of(key_of("a"), std::string("\x7f"
                                                                 "ELF\0\xff'\0",
                                                                 8));
  CHECK(kernels->put(kernel, kNoLimit) == 0);
  const auto found = kernels->find(kernel.key);
  REQUIRE(found);
  CHECK(found->record == kernel);
  CHECK_FALSE(found->is_damaged);
  CHECK_FALSE(is_use_to_note(found->used_at));
  CHECK(kernels->usage().kernels == 1);
  CHECK(kernels->usage().bytes == 8);
}

TEST_CASE("kernels: another architecture's or program's is none") {
  const auto kernels = open_memory_store()->kernels();
  kernels->put(kernel_of(key_of("a")), kNoLimit);
  KernelKey other = key_of("a");
  other.architecture = "sm_80";
  CHECK_FALSE(kernels->find(other));
  CHECK_FALSE(kernels->find(key_of("b")));
}

TEST_CASE("kernels: that of the compiler asked for, else that which was put last") {
  const auto kernels = open_memory_store()->kernels();
  const auto found = [&](const std::string& compiler) {
    return kernels->find(key_of("a", compiler))->record.key.compiler;
  };
  kernels->put(kernel_of(key_of("a", "nvrtc 13.0")), kNoLimit);
  kernels->put(kernel_of(key_of("a", "nvrtc 12.8")), kNoLimit);
  CHECK(found("nvrtc 13.0") == "nvrtc 13.0");
  CHECK(found("nvrtc 12.8") == "nvrtc 12.8");
  CHECK(found("nvrtc 13.1") == "nvrtc 12.8");
  CHECK(found("") == "nvrtc 12.8");
  kernels->put(kernel_of(key_of("a", "nvrtc 13.0"), "again"), kNoLimit);
  CHECK(found("") == "nvrtc 13.0");
  CHECK(kernels->usage().kernels == 2);
}

TEST_CASE("kernels: those go first that were not used for the longest time") {
  const auto kernels = open_memory_store()->kernels();
  kernels->put(kernel_of(key_of("a"), "1234"), 12);
  kernels->put(kernel_of(key_of("b"), "1234"), 12);
  kernels->put(kernel_of(key_of("c"), "1234"), 12);
  CHECK(programs(*kernels) == "abc");
  SECTION("by the order of puts") {
    CHECK(kernels->put(kernel_of(key_of("d"), "1234"), 12) == 1);
    CHECK(programs(*kernels) == "bcd");
  }
  SECTION("as many as need be") {
    CHECK(kernels->put(kernel_of(key_of("d"), "123456"), 12) == 2);
    CHECK(programs(*kernels) == "cd");
  }
  SECTION("a smaller limit drops more") {
    CHECK(kernels->put(kernel_of(key_of("d"), "1234"), 4) == 3);
    CHECK(programs(*kernels) == "d");
  }
  SECTION("one that is put again is used again") {
    kernels->put(kernel_of(key_of("a"), "4321"), 12);
    CHECK(kernels->put(kernel_of(key_of("d"), "1234"), 12) == 1);
    CHECK(programs(*kernels) == "acd");
  }
  SECTION("one that is larger than all is not kept, and drops nothing") {
    CHECK(kernels->put(kernel_of(key_of("d"), "1234567890123"), 12) == 0);
    CHECK(programs(*kernels) == "abc");
  }
}

TEST_CASE("kernels: what is erased is gone, and what is not there may be erased") {
  const auto kernels = open_memory_store()->kernels();
  kernels->put(kernel_of(key_of("a")), kNoLimit);
  kernels->erase(key_of("b"));
  kernels->touch(key_of("b"));
  CHECK(programs(*kernels) == "a");
  kernels->erase(key_of("a"));
  CHECK(programs(*kernels).empty());
  CHECK(kernels->usage().bytes == 0);
}

TEST_CASE("kernels: one without an image, a name or a compiler is refused") {
  const auto kernels = open_memory_store()->kernels();
  CHECK(contains(error_of([&] { kernels->put(kernel_of(key_of("a"), ""), kNoLimit); }),
                 "correct the record"));
  CHECK(contains(error_of([&] { kernels->put(kernel_of(key_of("a", "")), kNoLimit); }),
                 "correct the record"));
}

/// A database with the kernels a, b and c, of which a was used last and b before c.
class KernelFile {
 public:
  KernelFile() {
    const auto kernels = open()->kernels();
    for (const char* program : {"a", "b", "c"}) {
      kernels->put(kernel_of(key_of(program), "1234"), kNoLimit);
    }
    exec(
        "UPDATE kernel SET used_at = '2020-01-01T00:00:00Z' WHERE program = 'b';"
        "UPDATE kernel SET used_at = '2020-01-02T00:00:00Z' WHERE program = 'c'");
  }
  std::unique_ptr<ConfigStore> open(OpenMode mode = OpenMode::read_write) const {
    return open_sqlite_store(file(), mode);
  }
  std::string file() const { return folder_.file("tuning.db"); }
  void exec(const std::string& statement) const {
    SQLite::Database(file(), SQLite::OPEN_READWRITE).exec(statement);
  }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("kernels in a file: a use that is noted saves one from being dropped") {
  const KernelFile file;
  const auto kernels = file.open()->kernels();
  CHECK(is_use_to_note(kernels->find(key_of("b"))->used_at));
  kernels->touch(key_of("b"));
  CHECK_FALSE(is_use_to_note(kernels->find(key_of("b"))->used_at));
  CHECK(kernels->put(kernel_of(key_of("d"), "1234"), 12) == 1);
  CHECK_FALSE(kernels->find(key_of("c")));
  CHECK(kernels->find(key_of("b")));
}

TEST_CASE("kernels in a file: a change of any column is damage") {
  const KernelFile file;
  const char* const change =
      GENERATE("image = x'41424344'", "architecture = 'sm_80'", "compiler = 'nvrtc 12.8'",
               "program = 'z'", "lowered_names = '[\"_Z6helper\",\"_Z6reduce\"]'",
               "lowered_names = '[1]'", "template_fingerprint = 'templates-2'", "hash = ''");
  CAPTURE(change);
  file.exec("DELETE FROM kernel WHERE program <> 'a'");
  file.exec(std::string("UPDATE kernel SET ") + change);
  const auto kernels = file.open(OpenMode::read_only)->kernels();
  KernelKey key = key_of("a");
  if (std::string_view(change).starts_with("architecture")) key.architecture = "sm_80";
  if (std::string_view(change).starts_with("program")) key.program = "z";
  const auto found = kernels->find(key);
  REQUIRE(found);
  CHECK(found->is_damaged);
}

TEST_CASE("kernels in a file: one that was opened for reading only refuses changes") {
  const KernelFile file;
  const auto kernels = file.open(OpenMode::read_only)->kernels();
  CHECK(kernels->find(key_of("a")));
  CHECK(contains(error_of([&] { kernels->put(kernel_of(key_of("d")), kNoLimit); }),
                 "opened for reading only"));
  CHECK(contains(error_of([&] { kernels->touch(key_of("a")); }), "opened for reading only"));
}

TEST_CASE("kernels in a file: they outlive the store that gave them") {
  const KernelFile file;
  std::shared_ptr<KernelStore> kernels;
  {
    const auto store = file.open();
    kernels = store->kernels();
  }
  CHECK(kernels->usage().bytes == 12);
}

TEST_CASE("what kept kernels may take is 256 MiB, or what the environment says") {
  const auto bytes_with = [](const char* value) {
    const ScopedVariable variable("FOLDTUNE_CACHE_BYTES", value);
    return default_cache_bytes();
  };
  CHECK(bytes_with("") == 268'435'456);
  CHECK(bytes_with("0") == 0);
  CHECK(bytes_with("1000") == 1000);
  CHECK(bytes_with("16K") == 16'384);
  CHECK(bytes_with("1G") == 1'073'741'824);
  for (const char* value : {"much", "-1", "1T", "1 M", "99999999999G"}) {
    CAPTURE(value);
    CHECK(contains(error_of([&] { bytes_with(value); }), "FOLDTUNE_CACHE_BYTES"));
  }
}

}  // namespace
}  // namespace foldtune::test
