// A program for a GPU as a translation unit for the host's compiler.
#include "runtime/compile/host_program.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace foldtune::test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string unit_of(const std::string& source) {
  return host_program({.source = source, .name_expressions = {}});
}

TEST_CASE("Host program: dynamic shared memory as CUDA declares it") {
  for (const auto& [source, type, name] : std::vector<std::array<std::string, 3>>{
           {"extern __shared__ float cache[];", "float", "cache"},
           {"extern __shared__ __align__(16) unsigned char bytes [ ] ;", "unsigned char", "bytes"},
           {"extern  __shared__\tfloat cache[];", "float", "cache"},
           {"__shared__ extern float cache[];", "float", "cache"},
           {"extern /* of the block */ __shared__ float /* all */ cache[];", "float", "cache"},
           {"extern __shared__ alignas(16) float cache[];", "float", "cache"},
           {"extern alignas(alignof(float4)) __shared__ float cache[];", "float", "cache"},
           {"extern __shared__ __align__(sizeof(float)) float cache[];", "float", "cache"},
           {"extern __shared__ __align__ (16) float cache[];", "float", "cache"},
           {"extern __shared__ float cache[] __attribute__((aligned(16)));", "float", "cache"},
           {"#define SUM(a, b) \\\n  ((a) + (b))\nextern __shared__ float cache[];", "float",
            "cache"},
           {"#if 0\nit isn't\n#endif\nextern __shared__ float cache[];", "float", "cache"},
           {"const char a = '\"'; extern __shared__ float cache[];", "float", "cache"},
           {"extern __shared__ decltype(x) cache[];", "decltype(x)", "cache"},
           {"extern __shared__ float* rows[];", "float*", "rows"},
           {"extern __shared__ std::pair<int, int> pairs[];", "std::pair<int, int>", "pairs"}}) {
    CAPTURE(source);
    CHECK_THAT(unit_of("{\n#define A B\n" + source + " }"),
               ContainsSubstring("; " + type + "* const " + name + " = static_cast<" + type +
                                 "*>(::foldtune::platform::current->dynamic_shared)"));
  }
}

TEST_CASE("Host program: a declaration of dynamic shared memory that is not known is refused") {
  for (const std::string source :
       {"extern __shared__ float (*rows)[4];", "extern __shared__ float cache[4];",
        "extern __shared__ []", "extern __shared__ float a[], b[];", "extern  __shared__",
        "extern __shared__ float a, b[];", "extern __shared__ float cache[][1];",
        "extern __shared__ float* cache;", "extern __shared__ float cache"}) {
    CAPTURE(source);
    const std::string unit = unit_of(source);
    CHECK_THAT(unit, ContainsSubstring("is declared as 'extern __shared__ TYPE NAME[];'"));
    CHECK_THAT(unit, !ContainsSubstring(source));
  }
}

TEST_CASE("Host program: what declares no dynamic shared memory stays as it is") {
  for (const std::string source :
       {"/* extern __shared__ */ __constant__ int table[];", "// extern __shared__ float cache[];",
        "const char* a = \"extern __shared__ float cache[];\";",
        "#define CACHE extern __shared__ float cache[]", "extern int a; __shared__ float cache[4];",
        "extern __shared__x float cache[];", "int a = 1'000'000; //",
        "/* extern __shared__ float cache[];", "# __shared__",
        "\"\\\" extern __shared__ float cache[];"}) {
    CAPTURE(source);
    CHECK_THAT(unit_of(source), ContainsSubstring("\n" + source + "\n"));
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
