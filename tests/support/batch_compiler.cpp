#include "tests/support/batch_compiler.h"

#include <algorithm>
#include <map>
#include <span>
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

CompiledKernel CompiledPrograms::get(const std::string& key) const {
  const Entry& entry = kernels_.at(key);
  const CompiledKernel& all = entry.batch.get();
  return {.image = all.image, .lowered_names = entry.lowered_names, .compile_ms = all.compile_ms};
}

void CompiledPrograms::add(const std::string& key, std::shared_future<CompiledKernel> batch,
                           std::vector<std::string> lowered_names) {
  kernels_.try_emplace(key, Entry{std::move(batch), std::move(lowered_names)});
}

BatchCompiler::BatchCompiler(const Compiler& compiler, std::vector<ProgramGroup> groups,
                             std::size_t jobs, CompiledPrograms* known)
    : compiler_(compiler), groups_(std::move(groups)), known_(known) {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Program& program = groups_[i].program;
    if (known_ != nullptr && known_->contains(program.key())) continue;
    if (batches_.empty() || batches_.back().groups.size() == kMaxBatch ||
        !groups_[batches_.back().groups.back()].program.goes_with(program)) {
      batches_.emplace_back();
    }
    batches_.back().groups.push_back(i);
    batch_of_[i] = batches_.size() - 1;
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
      Program program = groups_[batch.groups.front()].program;
      for (const std::size_t i : std::span(batch.groups).subspan(1)) {
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
  const std::string key = groups_[index].program.key();
  const auto found = batch_of_.find(index);
  if (found == batch_of_.end()) return known_->get(key);
  const Batch& batch = batches_[found->second];
  const CompiledKernel& all = batch.compiled.get();
  auto name = all.lowered_names.begin();
  for (const std::size_t i : batch.groups) {
    if (i == index) break;
    name += static_cast<std::ptrdiff_t>(groups_[i].program.name_expressions.size());
  }
  const auto count = static_cast<std::ptrdiff_t>(groups_[index].program.name_expressions.size());
  std::vector<std::string> own(name, name + count);
  if (known_ != nullptr) known_->add(key, batch.compiled, own);
  return {.image = all.image, .lowered_names = std::move(own), .compile_ms = all.compile_ms};
}

}  // namespace foldtune::test
