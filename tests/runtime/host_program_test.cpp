// A program for a GPU as a translation unit for the host's compiler.
#include "runtime/compile/host_program.h"

#include <algorithm>
#include <array>
#include <string>

#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string unit_of(const std::string& source) {
  return host_program({.source = source, .name_expressions = {}});
}

TEST_CASE("Host program: dynamic shared memory as CUDA declares it") {
  for (const auto& [source, type, name] :
       {std::array<std::string, 3>{"extern __shared__ float cache[];", "float", "cache"},
        {"extern __shared__ __align__(16) unsigned char bytes [ ] ;", "unsigned char", "bytes"},
        {"extern  __shared__", "", ""},
        {"extern __shared__ float (*rows)[4];", "", ""},
        {"extern __shared__ float cache[4];", "", ""},
        {"extern __shared__ []", "", ""},
        {"/* extern __shared__ */ __constant__ int table[];", "", ""},
        {"extern __shared__ float cache", "", ""},
        {"extern __shared__ std::pair<int, int> pairs[];", "std::pair<int, int>", "pairs"}}) {
    CAPTURE(source);
    const std::string unit = unit_of(source);
    if (name.empty()) {
      CHECK_THAT(unit, ContainsSubstring(source));
    } else {
      CHECK_THAT(unit,
                 ContainsSubstring("\n" + type + "* const " + name + " = static_cast<" + type +
                                   "*>(::foldtune::platform::current->dynamic_shared);\n"));
    }
  }
}

TEST_CASE("Host program: lines stay where they are, and names may be long") {
  const std::string source = "int a;\nextern __shared__ float\n  cache[];\nint b;\n";
  const std::string plain = "int a;\n\n\nint b;\n";
  CHECK(std::ranges::count(unit_of(source), '\n') == std::ranges::count(unit_of(plain), '\n'));
  const std::string name(1'000'000, 'x');
  CHECK_THAT(unit_of("extern __shared__ float " + name + "[];"),
             ContainsSubstring("float* const xxx"));
}

}  // namespace
}  // namespace foldtune::test
