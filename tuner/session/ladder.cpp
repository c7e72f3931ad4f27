#include "tuner/session/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "tuner/session/textbook.h"

namespace foldtune {
namespace {

using Json = nlohmann::json;

struct Row {
  Problem problem;
  std::string name;
  std::variant<Config, LibraryFunction, NotLinked> how;
  std::string published;
  std::vector<Shape> shapes;
};

struct Section {
  char letter = 'A';
  std::string title;
  /// The one of the shapes that the published figures are of; empty: all.
  std::string published_shape;
  double flops_per_element = 0;
  std::vector<Row> rows;
};

Row read_row(const Json& json, const Json& section) {
  const std::string name = json.at("name");
  const Family& family = textbook_family(json.at("family").get<std::string>());
  const std::optional<Problem> problem = problem_of(family, json.at("problem").get<std::string>());
  if (!problem) throw std::invalid_argument(fmt::format("the problem of {}", name));
  Row row{.problem = *problem,
          .name = name,
          .how = {},
          .published = json.value("published", ""),
          .shapes = {}};
  if (json.contains("config")) {
    row.how = config_from_json(family, json["config"].dump());
  } else if (json.contains("library")) {
    row.how = LibraryFunction{json["library"]};
  } else {
    row.how = NotLinked{json.at("not_linked")};
  }
  for (const std::string shape : json.contains("shapes") ? json["shapes"] : section.at("shapes")) {
    row.shapes.push_back(parse_shape(family, shape).value());
  }
  return row;
}

std::vector<Section> read_sections() {
  const auto files = textbook_files();
  const auto list = std::ranges::find(files, "ladder.json", &EmbeddedFile::name);
  std::vector<Section> sections;
  for (const Json& json : Json::parse(list->text)) {
    Section section{.letter = json.at("section").get<std::string>().front(),
                    .title = json.at("title"),
                    .published_shape = json.value("published_shape", ""),
                    .flops_per_element = json.value("flops_per_element", 0.0),
                    .rows = {}};
    for (const Json& row : json.at("rows")) section.rows.push_back(read_row(row, json));
    sections.push_back(std::move(section));
  }
  return sections;
}

const std::vector<Section>& all_sections() {
  static const std::vector<Section> sections = read_sections();
  return sections;
}

}  // namespace

const std::string& ladder_sections() {
  static const std::string letters = [] {
    std::string text;
    for (const Section& section : all_sections()) text += section.letter;
    return text;
  }();
  return letters;
}

std::string_view ladder_section_title(char section) {
  const auto found = std::ranges::find(all_sections(), section, &Section::letter);
  return found == all_sections().end() ? std::string_view() : found->title;
}

std::vector<LadderKernel> make_ladder(const LadderOptions& options) {
  std::vector<LadderKernel> kernels;
  for (const Section& section : all_sections()) {
    if (options.sections.find(section.letter) == std::string::npos) continue;
    for (const Row& row : section.rows) {
      std::vector<Shape> shapes = row.shapes;
      if (options.count > 0) shapes = {shape_of_count(row.problem.family(), options.count)};
      const std::size_t count = row.problem.family().extents().size() - 1;  // the others are 1
      for (const Shape& shape : shapes) {
        const bool is_published = options.count > 0 || section.published_shape.empty() ||
                                  to_text(row.problem.family(), shape) == section.published_shape;
        LadderKernel kernel{.workload = {.problem = row.problem, .shape = shape}};
        kernel.section = section.letter;
        kernel.name = row.name;
        kernel.how = row.how;
        if (is_published) kernel.published = row.published;
        kernel.flops = section.flops_per_element * static_cast<double>(shape[count]);
        kernels.push_back(std::move(kernel));
      }
    }
  }
  return kernels;
}

}  // namespace foldtune
