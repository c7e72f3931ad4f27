#include "tuner/measure/compile_pool.h"

#include <atomic>
#include <mutex>
#include <thread>

#include "foldtune/error.h"
#include "tests/catch.h"

namespace foldtune {
namespace {

/// Compiles a name expression to "image of NAME", but for those that end in "bad". The first
/// compilation waits until it is let go.
class SlowCompiler final : public Compiler {
 public:
  const std::string& version() const override { return version_; }

  CompiledKernel compile(const Program& program) const override {
    {
      const std::lock_guard lock(mutex_);
      order_.push_back(program.name_expressions.front());
    }
    ++compilations;
    may_go.wait(false);
    CompiledKernel compiled;
    for (const std::string& expression : program.name_expressions) {
      if (expression.ends_with("bad")) throw CompileError(expression + " does not compile");
      compiled.image += "image of " + expression + ";";
      compiled.lowered_names.push_back("_Z" + expression);
    }
    compiled.compile_ms = 12;
    return compiled;
  }

  void let_go() {
    may_go = true;
    may_go.notify_all();
  }

  /// The first kernels of what was compiled.
  std::vector<std::string> order() const {
    const std::lock_guard lock(mutex_);
    return order_;
  }

  mutable std::atomic<int> compilations = 0;
  std::atomic<bool> may_go = false;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::string> order_;
  std::string version_ = "slow 1.0";
};

Program program(std::string source, std::vector<std::string> kernels) {
  return {.source = std::move(source), .name_expressions = std::move(kernels)};
}

TEST_CASE("Compile pool: what waits for the only thread is compiled as one, each with its names") {
  SlowCompiler compiler;
  CompilePool pool(compiler, 1);
  std::vector<CompilePool::Compilation> compilations;
  for (const std::string name : {"a", "b", "c"}) {
    compilations.push_back(pool.request(program("same", {name, name + "2"})));
  }
  const CompilePool::Compilation other = pool.request(program("other", {"d"}));
  compiler.let_go();
  CHECK(compilations[1].get()->lowered_names == std::vector<std::string>{"_Zb", "_Zb2"});
  CHECK(compilations[2].get()->lowered_names == std::vector<std::string>{"_Zc", "_Zc2"});
  CHECK(other.get()->image == "image of d;");
  // The first may have been taken before the others came.
  CHECK(compiler.compilations <= 3);
}

TEST_CASE("Compile pool: the same program is compiled once") {
  SlowCompiler compiler;
  compiler.let_go();
  CompilePool pool(compiler, 2);
  const auto first = pool.request(program("same", {"a"})).get();
  CHECK(pool.request(program("same", {"a"})).get() == first);
  CHECK(compiler.compilations == 1);
}

TEST_CASE("Compile pool: what can wait is begun last, unless it is asked for again") {
  using Urgency = CompilePool::Urgency;
  SlowCompiler compiler;
  CompilePool pool(compiler, 1);
  const auto first = pool.request(program("first", {"first"}));
  while (compiler.compilations == 0) std::this_thread::yield();  // the only thread is busy
  pool.request(program("idle", {"idle"}), Urgency::later);
  pool.request(program("hastened", {"hastened"}), Urgency::later);
  pool.request(program("urgent", {"urgent"}));
  const auto hastened = pool.request(program("hastened", {"hastened"}));
  const auto idle = pool.request(program("idle", {"idle"}), Urgency::later);
  CHECK(pool.waiting() == 3);
  compiler.let_go();
  idle.wait();
  CHECK(hastened.get()->image == "image of hastened;");
  CHECK(compiler.order() == std::vector<std::string>{"first", "urgent", "hastened", "idle"});
  CHECK(pool.waiting() == 0);
}

TEST_CASE("Compile pool: what can wait may be dropped, and asked for again") {
  using Urgency = CompilePool::Urgency;
  SlowCompiler compiler;
  CompilePool pool(compiler, 1);
  const auto first = pool.request(program("first", {"first"}));
  while (compiler.compilations == 0) std::this_thread::yield();  // the only thread is busy
  const auto dropped = pool.request(program("dropped", {"dropped"}), Urgency::later);
  pool.request(program("again", {"again"}), Urgency::later);
  pool.request(program("hastened", {"hastened"}), Urgency::later);
  const auto hastened = pool.request(program("hastened", {"hastened"}));
  pool.drop_later();
  CHECK(pool.waiting() == 1);
  CHECK_THROWS_AS(dropped.get(), std::future_error);
  const auto again = pool.request(program("again", {"again"}), Urgency::later);
  compiler.let_go();
  again.wait();
  CHECK(hastened.get()->image == "image of hastened;");
  CHECK(compiler.order() == std::vector<std::string>{"first", "hastened", "again"});
}

TEST_CASE("Compile pool: one that does not compile spoils no other") {
  SlowCompiler compiler;
  CompilePool pool(compiler, 1);
  const auto first = pool.request(program("same", {"first"}));
  const auto good = pool.request(program("same", {"good"}));
  const auto bad = pool.request(program("same", {"bad"}));
  const auto last = pool.request(program("same", {"last"}));
  compiler.let_go();
  CHECK(good.get()->lowered_names.front() == "_Zgood");
  CHECK(last.get()->lowered_names.front() == "_Zlast");
  CHECK_THROWS_WITH(bad.get(), "bad does not compile");
}

}  // namespace
}  // namespace foldtune
