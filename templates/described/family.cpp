#include "templates/described/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "templates/catalog.h"
#include "templates/described/launcher.h"
#include "templates/described/reference.h"
#include "templates/described/validity.h"
#include "templates/source_hash.h"

namespace foldtune {
namespace {

/// The most bytes of a description or of a source.
constexpr std::size_t kMaxFileBytes = std::size_t{4} << 20;

/// Has the names of CUDA on the CPU device, too; nothing where CUDA's compiler compiles.
constexpr const char* kPrologue =
    "#include \"templates/device/cuda_on_host.cuh\"\n"
    "#include \"templates/device/types.cuh\"\n";

std::string read_file(const std::filesystem::path& path) {
  std::error_code error;  // whatever it is, a file that can be read has none
  const bool is_file = std::filesystem::is_regular_file(path, error) &&
                       std::filesystem::file_size(path, error) <= kMaxFileBytes;
  std::ifstream file;
  if (is_file) file.open(path, std::ios::binary);
  std::string text;
  if (file.is_open()) text.assign(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || !file) {
    throw std::invalid_argument(
        fmt::format("reading {}: it is not there, or no file of at most {} MiB", path.string(),
                    kMaxFileBytes >> 20));
  }
  return text;
}

/// The first valid configuration in the order of a space, with what `config` has of the tunables
/// before the place.
std::optional<Config> find_valid(const Workload& workload, Config config, std::size_t place) {
  const Family& family = workload.problem.family();
  if (place == family.tunables().size()) {
    return family.is_valid(workload, config) ? std::optional(config) : std::nullopt;
  }
  for (const int value : family.tunables()[place].values) {
    config.set(family.tunables()[place], value);
    if (auto found = find_valid(workload, config, place + 1)) return found;
  }
  return std::nullopt;
}

}  // namespace

DescribedFamily::DescribedFamily(Description description, std::string path)
    : description_(std::move(description)), path_(std::move(path)) {
  labels_.reserve(description_.fields.size());
  for (const Description::NamedField& field : description_.fields) {
    labels_.emplace_back(field.labels.begin(), field.labels.end());
    fields_.push_back({.name = field.name,
                       .meaning = "a macro of the kernel",
                       .labels = labels_.back(),
                       .place = fields_.size()});
  }
  extents_.assign(description_.extents.begin(), description_.extents.end());
  for (const Description::NamedTunable& tunable : description_.tunables) {
    tunables_.push_back({.name = tunable.name,
                         .values = tunable.values,
                         .searched = tunable.values,
                         .fallback = tunable.fallback,
                         .place = tunables_.size()});
  }
}

void DescribedFamily::complete(Problem& problem) const {
  for (const Field& field : fields_) {
    if (problem.get(field) == Problem::kUnsaid) problem.set(field, 0);
  }
}

std::string DescribedFamily::describe(const Problem& problem) const {
  std::string text = description_.name;
  for (const Field& field : fields_) text += fmt::format(" {}", this->text(problem, field));
  return text;
}

std::string DescribedFamily::find_fault(const Problem& problem) const {
  return find_reference_fault(*this, problem);
}

std::string DescribedFamily::find_call_fault(const Problem& problem, const Shape& shape) const {
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    if (shape[i] == 0 || shape[i] > kMaxCount) {
      return fmt::format("{} is {}: an extent is from 1 to 2^40", extents_[i], shape[i]);
    }
  }
  if (std::string fault = find_array_fault(*this, problem, shape); !fault.empty()) return fault;
  return find_reference_fault(*this, problem, shape);
}

std::string DescribedFamily::find_fault(const Problem& problem, const Shape& shape) const {
  if (std::string fault = find_call_fault(problem, shape); !fault.empty()) return fault;
  const std::string fault = find_config_fault(*this, Config(*this), shape);
  const Workload workload{.problem = problem, .shape = shape};
  if (fault.empty() || find_valid(workload, Config(*this), 0)) return {};
  return fmt::format("no configuration is valid for the shape {}: of the default, {}",
                     to_text(*this, shape), fault);
}

ElementType DescribedFamily::type_of(const Problem& problem, const std::string& type) const {
  if (const auto parsed = parse_element_type(type)) return *parsed;
  const auto field = std::ranges::find(fields_, type, &Field::name);
  return parse_element_type(text(problem, *field)).value();
}

std::vector<Argument> DescribedFamily::arguments(const Problem& problem) const {
  std::vector<Argument> arguments;
  for (const Description::Array& array : description_.arrays) {
    const ElementType type = type_of(problem, array.type);
    arguments.push_back({.name = array.name,
                         .access = array.access,
                         .type = type,
                         .element_bytes = size_of(type),
                         .alignment = size_of(type)});
  }
  return arguments;
}

std::uint64_t DescribedFamily::elements(const Problem&, std::size_t argument,
                                        const Shape& shape) const {
  std::array<std::int64_t, Shape::kMaxExtents> values{};
  for (std::size_t i = 0; i < extents_.size(); ++i) values[i] = static_cast<std::int64_t>(shape[i]);
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, description_.arrays[argument].elements.evaluate(values)));
}

bool DescribedFamily::is_valid(const Workload& workload, const Config& config) const {
  return find_config_fault(*this, config, workload.shape).empty();
}

Config DescribedFamily::fallback(const Workload& workload, int) const {
  const Config config(*this);
  if (is_valid(workload, config)) return config;
  // Without a valid one the workload has a fault, which says so.
  return find_valid(workload, config, 0).value_or(config);
}

/// What is launched, and how, is part of what was measured, as the source is.
std::string DescribedFamily::include_lines(const Problem&) const {
  return kPrologue + description_.source + "\n" + description_.json;
}

std::vector<std::string> DescribedFamily::all_include_lines() const {
  return {kPrologue + description_.source + "\n" + description_.json};
}

Program DescribedFamily::program(const Variant& variant) const {
  Program program{.source = kPrologue,
                  .name_expressions = description_.kernels,
                  .needs_toolkit = description_.needs_toolkit};
  for (const Field& field : fields_) {
    const std::string label = text(variant.workload.problem, field);
    const auto type = parse_element_type(label);
    program.source += fmt::format("#define {} {}\n", field.name, type ? device_name(*type) : label);
  }
  for (const Tunable& tunable : tunables_) {
    program.source += fmt::format("#define {} {}\n", tunable.name, variant.params.get(tunable));
  }
  program.source +=
      fmt::format("#line 1 \"{}\"\n{}", description_.source_name, description_.source);
  return program;
}

std::unique_ptr<Launcher> DescribedFamily::launcher(const Variant& variant,
                                                    const KernelFacts& facts) const {
  return std::make_unique<DescribedLauncher>(*this, variant, facts.multiprocessor_count);
}

std::vector<std::string> DescribedFamily::files() const {
  return {path_, std::filesystem::path(path_).parent_path() / description_.source_name};
}

std::unique_ptr<DescribedFamily> load_family(const std::string& path) {
  const std::filesystem::path file(path);
  Description description;
  try {
    description = parse_description(read_file(file));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("reading the family {}: {}", path, error.what()));
  }
  const std::filesystem::path source(description.source_name);
  if (source.is_absolute() || source != source.filename()) {
    throw std::invalid_argument(fmt::format(
        "reading the family {}: its source '{}' has to lie beside it", path, source.string()));
  }
  description.source = read_file(file.parent_path() / source);
  if (const std::string fault = find_include_fault(description.source); !fault.empty()) {
    throw std::invalid_argument(
        fmt::format("reading the family {}: of its source {}, {}: put its text into the source",
                    path, source.string(), fault));
  }
  std::error_code error;  // of a name that begins in a folder which is gone
  const std::filesystem::path whole = std::filesystem::absolute(file, error);
  if (error) {
    throw std::invalid_argument(
        fmt::format("reading the family {}: the working folder: {}", path, error.message()));
  }
  return std::make_unique<DescribedFamily>(std::move(description), whole.string());
}

}  // namespace foldtune
