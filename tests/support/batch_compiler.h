/// Compiles the variants of a test ahead of their launch: on all cores, many in one program.
#pragma once

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/device/compiler.h"
#include "templates/family.h"

namespace foldtune::test {

/// A program and the variants that it is the program of.
struct ProgramGroup {
  Program program;
  std::vector<Variant> variants;
};

/// Every distinct program of the variants once.
std::vector<ProgramGroup> group_by_program(const std::vector<Variant>& variants);

/// Kernels that were compiled, by the keys of their programs, so that a later test that wants one
/// of them need not compile it again. Not thread-safe.
class CompiledPrograms {
 public:
  bool contains(const std::string& key) const { return kernels_.contains(key); }
  CompiledKernel get(const std::string& key) const;
  /// `batch` has the image, which several programs share.
  void add(const std::string& key, std::shared_future<CompiledKernel> batch,
           std::vector<std::string> lowered_names);

 private:
  struct Entry {
    std::shared_future<CompiledKernel> batch;
    std::vector<std::string> lowered_names;
  };
  std::map<std::string, Entry> kernels_;
};

/// Compiling a variant takes mostly the time to read the templates, so several are compiled as one
/// program that has all their name expressions. What a test loads, as `Plan` does, is the image of
/// that program with the lowered names of one variant: the same text, the same options and the same
/// instances of the templates as when it is compiled alone, beside others in one image.
class BatchCompiler {
 public:
  /// Begins at once. The compiler must outlive this, and `known`, where there is one: what it has
  /// is not compiled, and what is compiled is added to it. `jobs`: compilations at a time; 0: one
  /// per core.
  BatchCompiler(const Compiler& compiler, std::vector<ProgramGroup> groups, std::size_t jobs = 0,
                CompiledPrograms* known = nullptr);
  BatchCompiler(const BatchCompiler&) = delete;
  BatchCompiler& operator=(const BatchCompiler&) = delete;
  ~BatchCompiler();

  const std::vector<ProgramGroup>& groups() const { return groups_; }

  /// The compilation of `groups()[index]`; waits for it. Throws what the compiler threw.
  CompiledKernel get(std::size_t index) const;

 private:
  void work();

  /// Programs that are compiled as one.
  struct Batch {
    std::vector<std::size_t> groups;
    std::promise<CompiledKernel> promise;
    std::shared_future<CompiledKernel> compiled;
  };

  const Compiler& compiler_;
  const std::vector<ProgramGroup> groups_;
  CompiledPrograms* const known_;
  std::vector<Batch> batches_;
  std::map<std::size_t, std::size_t> batch_of_;  // by group; none for those that were known
  std::atomic<std::size_t> next_batch_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace foldtune::test
