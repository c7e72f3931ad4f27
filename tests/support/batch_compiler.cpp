#include "tests/support/batch_compiler.h"

#include <algorithm>
#include <map>
#include <string>

namespace foldtune::test {
namespace {

/// Programs that are compiled as one. Larger batches gain little (NVRTC 13 on two cores takes 62 ms
/// per variant alone, 25 ms in batches of 4, 15 ms of 16), and loading them takes longer.
constexpr std::size_t kBatch = 12;

}  // namespace

std::vector<ProgramGroup> group_by_program(const std::vector<Variant>& variants) {
  std::vector<ProgramGroup> groups;
  std::map<std::string, std::size_t> group_of;
  for (const Variant& variant : variants) {
    Program program = make_program(variant);
    const auto [found, is_new] = group_of.emplace(program.name_expressions.front(), groups.size());
    if (is_new) groups.push_back({.program = std::move(program), .variants = {}});
    groups[found->second].variants.push_back(variant);
  }
  return groups;
}

BatchCompiler::BatchCompiler(const Compiler& compiler, std::vector<ProgramGroup> groups,
                             std::size_t jobs)
    : compiler_(compiler),
      groups_(std::move(groups)),
      promises_((groups_.size() + kBatch - 1) / kBatch) {
  for (auto& promise : promises_) batches_.push_back(promise.get_future().share());
  if (jobs == 0) jobs = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t i = 0; i < std::min(jobs, promises_.size()); ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

BatchCompiler::~BatchCompiler() { next_batch_ = promises_.size(); }

void BatchCompiler::work() {
  for (;;) {
    const std::size_t batch = next_batch_++;
    if (batch >= promises_.size()) return;
    try {
      Program program{.source = groups_[batch * kBatch].program.source, .name_expressions = {}};
      const std::size_t end = std::min(groups_.size(), (batch + 1) * kBatch);
      for (std::size_t i = batch * kBatch; i < end; ++i) {
        const std::vector<std::string>& names = groups_[i].program.name_expressions;
        program.name_expressions.insert(program.name_expressions.end(), names.begin(), names.end());
      }
      promises_[batch].set_value(compiler_.compile(program));
    } catch (...) {
      promises_[batch].set_exception(std::current_exception());
    }
  }
}

CompiledKernel BatchCompiler::get(std::size_t index) const {
  const CompiledKernel& all = batches_[index / kBatch].get();
  auto name = all.lowered_names.begin();
  for (std::size_t i = index / kBatch * kBatch; i < index; ++i) {
    name += static_cast<std::ptrdiff_t>(groups_[i].program.name_expressions.size());
  }
  const auto count = static_cast<std::ptrdiff_t>(groups_[index].program.name_expressions.size());
  return {.image = all.image, .lowered_names = {name, name + count}, .compile_ms = all.compile_ms};
}

}  // namespace foldtune::test
