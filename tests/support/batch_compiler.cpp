#include "tests/support/batch_compiler.h"

#include <algorithm>
#include <map>
#include <string>

namespace foldtune::test {

std::vector<ProgramGroup> group_by_program(const std::vector<Variant>& variants) {
  std::vector<ProgramGroup> groups;
  std::map<std::string, std::size_t> group_of;
  for (const Variant& variant : variants) {
    Program program = make_program(variant);
    const auto [found, is_new] = group_of.emplace(program.key(), groups.size());
    if (is_new) groups.push_back({.program = std::move(program), .variants = {}});
    groups[found->second].variants.push_back(variant);
  }
  // Those that are compiled as one lie side by side.
  std::ranges::stable_sort(groups, {}, [](const ProgramGroup& group) {
    return std::pair{group.program.needs_toolkit, group.program.source};
  });
  return groups;
}

BatchCompiler::BatchCompiler(const Compiler& compiler, std::vector<ProgramGroup> groups,
                             std::size_t jobs)
    : compiler_(compiler), groups_(std::move(groups)) {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (batches_.empty() || batches_.back().size == kMaxBatch ||
        !groups_[i - 1].program.goes_with(groups_[i].program)) {
      batches_.push_back({.first = i, .size = 0, .promise = {}, .compiled = {}});
    }
    ++batches_.back().size;
    batch_of_.push_back(batches_.size() - 1);
  }
  for (Batch& batch : batches_) batch.compiled = batch.promise.get_future().share();
  if (jobs == 0) jobs = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t i = 0; i < std::min(jobs, batches_.size()); ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

BatchCompiler::~BatchCompiler() { next_batch_ = batches_.size(); }

void BatchCompiler::work() {
  for (;;) {
    const std::size_t number = next_batch_++;
    if (number >= batches_.size()) return;
    Batch& batch = batches_[number];
    try {
      Program program = groups_[batch.first].program;
      for (std::size_t i = batch.first + 1; i < batch.first + batch.size; ++i) {
        const std::vector<std::string>& names = groups_[i].program.name_expressions;
        program.name_expressions.insert(program.name_expressions.end(), names.begin(), names.end());
      }
      batch.promise.set_value(compiler_.compile(program));
    } catch (...) {
      batch.promise.set_exception(std::current_exception());
    }
  }
}

CompiledKernel BatchCompiler::get(std::size_t index) const {
  const Batch& batch = batches_[batch_of_[index]];
  const CompiledKernel& all = batch.compiled.get();
  auto name = all.lowered_names.begin();
  for (std::size_t i = batch.first; i < index; ++i) {
    name += static_cast<std::ptrdiff_t>(groups_[i].program.name_expressions.size());
  }
  const auto count = static_cast<std::ptrdiff_t>(groups_[index].program.name_expressions.size());
  return {.image = all.image, .lowered_names = {name, name + count}, .compile_ms = all.compile_ms};
}

}  // namespace foldtune::test
