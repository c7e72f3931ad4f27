// What changes the fingerprint of a problem's kernels, and what does not.
#include "templates/fingerprint.h"

#include <algorithm>
#include <list>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "foldtune/reduction.h"
#include "templates/family.h"
#include "templates/histogram/workload.h"
#include "templates/source_hash.h"
#include "tests/catch.h"

namespace foldtune::test {
namespace {

bool is_same_code(std::string_view a, std::string_view b) { return tokens_of(a) == tokens_of(b); }

TEST_CASE("Comments, blank lines and indentation are no code") {
  const std::string code = "int f(int a) {\n  return a / 2;\n}\n";
  CHECK(is_same_code(code, "// f\n\nint f(int a) {  // halves\n\treturn a / 2;\n\n\n}"));
  CHECK(is_same_code(code, "/* a\n b */int f(int /*of*/ a)\n{ return a/2 ; }"));
  CHECK(is_same_code(code, "int f(int a) { return a /\\\n 2; } // ends \\\n here"));
  CHECK(is_same_code("a // b", "a /* without an end"));
}

TEST_CASE("A token that changes, comes or goes is a change of the code") {
  const std::string code = "int f(int a) { return a / 2; }";
  for (const char* other : {"int g(int a) { return a / 2; }", "int f(int a) { return a / 3; }",
                            "int f(int a) { return a // 2; }", "int f(int a) { return a /= 2; }",
                            "int f(inta) { return a / 2; }", "int f(int a) { return a / 2;", ""}) {
    CHECK_FALSE(is_same_code(code, other));
  }
  CHECK_FALSE(is_same_code("a + +b", "a ++b"));
  CHECK_FALSE(is_same_code("1 .x", "1.x"));
  CHECK(is_same_code("x=1e+3f+y;", "x = 1e+3f + y ;"));
  CHECK(is_same_code("x=1'000;", "x = 1'000 ;"));
}

TEST_CASE("In strings and characters everything counts") {
  CHECK_FALSE(is_same_code(R"("a b")", R"("a  b")"));
  CHECK_FALSE(is_same_code(R"("a // b")", R"("a ")"));
  CHECK(is_same_code(R"(f("\" // a", '"', '\'') // b)", R"(f( "\" // a" , '"', '\''))"));
}

TEST_CASE("A line of the preprocessor ends where it ends") {
  const std::string code = "#define F(x) x + 1\nint a;";
  CHECK(is_same_code(code, "  #  define F(x) x + 1  // one\nint a;"));
  CHECK(is_same_code(code, "#define F(x) \\\n  x + 1\nint a;"));
  CHECK_FALSE(is_same_code(code, "#define F(x) x + 1 int a;"));
  CHECK_FALSE(is_same_code(code, "#define F (x) x + 1\nint a;"));
}

/// The embedded files, some of them as somebody changed them.
class Sources {
 public:
  void append(std::string_view name, const std::string& text) {
    changed_.push_back(std::string(find(name)->text) + text);
    find(name)->text = changed_.back().c_str();
  }
  void add(const char* name, const char* text) {
    files_.insert(std::ranges::lower_bound(files_, std::string_view(name), {}, &EmbeddedFile::name),
                  {name, text});
  }
  std::string fingerprint_of(const Problem& problem) const {
    return fingerprint(include_lines(problem), files_, source_hashes(files_));
  }

 private:
  std::vector<EmbeddedFile>::iterator find(std::string_view name) {
    const auto found = std::ranges::find(files_, name, &EmbeddedFile::name);
    REQUIRE(found != files_.end());
    return found;
  }

  std::vector<EmbeddedFile> files_{embedded_files().begin(), embedded_files().end()};
  std::list<std::string> changed_;
};

const Problem kSum = Reduction{.op = Operator::sum};
const Problem kDot = Reduction{.op = Operator::dot};
const Problem kMax = Reduction{.op = Operator::max};
const Problem kHistogram = HistogramWorkload{};

TEST_CASE("What was tuned stays when comments change, and when there is one more operator") {
  Sources sources;
  CHECK(sources.fingerprint_of(kSum) == kernel_fingerprint(kSum));
  sources.append("templates/device/operators/sum.cuh", "\n// Better said.\n");
  sources.append("templates/device/platform.cuh", "/// Better said.");
  sources.add("templates/device/operators/median.cuh", "struct Median {};");
  for (const Problem& problem : {kSum, kDot, kMax, kHistogram}) {
    CHECK(sources.fingerprint_of(problem) == kernel_fingerprint(problem));
  }
}

TEST_CASE("A change of an operator makes stale what is made of it, and nothing else") {
  Sources sources;
  sources.append("templates/device/operators/sum.cuh", "struct Change;");
  CHECK(sources.fingerprint_of(kSum) != kernel_fingerprint(kSum));
  CHECK(sources.fingerprint_of(kDot) != kernel_fingerprint(kDot));
  CHECK(sources.fingerprint_of(kMax) == kernel_fingerprint(kMax));
  CHECK(sources.fingerprint_of(kHistogram) == kernel_fingerprint(kHistogram));
}

TEST_CASE("A change of a family leaves the other one, a change of what they share neither") {
  Sources histograms;
  histograms.append("templates/histogram/counting.cuh", "struct Change;");
  CHECK(histograms.fingerprint_of(kHistogram) != kernel_fingerprint(kHistogram));
  CHECK(histograms.fingerprint_of(kSum) == kernel_fingerprint(kSum));

  Sources shared;
  shared.append("templates/device/types.cuh", "struct Change;");
  for (const Problem& problem : {kSum, kDot, kMax, kHistogram}) {
    CHECK(shared.fingerprint_of(problem) != kernel_fingerprint(problem));
  }

  const Problem ordered = Reduction{.determinism = Determinism::config_independent};
  Sources fixed_order;
  fixed_order.append("templates/reduce/fixed_order.cuh", "struct Change;");
  CHECK(fixed_order.fingerprint_of(ordered) != kernel_fingerprint(ordered));
  CHECK(fixed_order.fingerprint_of(kSum) == kernel_fingerprint(kSum));
}

TEST_CASE("Every problem has one of the fingerprints that there are") {
  const std::vector<std::string>& all = kernel_fingerprints();
  CHECK(std::set(all.begin(), all.end()).size() == all.size());
  for (const Determinism determinism : {Determinism::any, Determinism::config_independent}) {
    for (const Operator op : operators()) {
      const Problem problem = Reduction{.op = op, .determinism = determinism};
      CHECK(kernel_fingerprint(problem).size() == 32);
      CHECK(is_of_these_kernels(kernel_fingerprint(problem)));
    }
  }
  CHECK(is_of_these_kernels(kernel_fingerprint(make_reduction(CustomOperator{.name = "mine"}))));
  CHECK(is_of_these_kernels(kernel_fingerprint(kHistogram)));
  CHECK_FALSE(is_of_these_kernels("templates-1"));
}

TEST_CASE("What includes a file of the user's own is told from what does not") {
  for (const char* const text :
       {"#include \"templates/device/types.cuh\"\n#include <cub/cub.cuh>\n",
        "int a; // #include \"/b\"", "const char* a = \"../b\";\n"}) {
    CAPTURE(text);
    CHECK(find_include_fault(text).empty());
  }
  for (const char* const text :
       {"#include \"/tmp/own.h\"", "int a;\n # include /* */ <../own.h> // it\nint b;",
        "%:include \"/tmp/own.h\"", "#import \"/tmp/own.h\"", "# include_next <../own.h>",
        "#include \"templates/../../own.h\"\n", "#define OWN \"own.h\"\n#include OWN\n"}) {
    CAPTURE(text);
    CHECK(find_include_fault(text).starts_with("it includes "));
  }
}

TEST_CASE("A file that includes itself is an error, not an endless search") {
  const std::vector<EmbeddedFile> circle{{"a", "#include \"b\"\n"}, {"b", "#include \"a\"\n"}};
  CHECK_THROWS_AS(source_hashes(circle), std::logic_error);
}

}  // namespace
}  // namespace foldtune::test
