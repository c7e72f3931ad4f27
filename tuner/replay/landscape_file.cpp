// Landscapes as files. The format is described in landscape.h.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>

#include "cache/store_error.h"
#include "foldtune/error.h"
#include "tuner/file_error.h"
#include "tuner/problem_json.h"
#include "tuner/replay/landscape.h"
#include "tuner/whole_file.h"

namespace foldtune {
namespace {

constexpr const char* kFormat = "foldtune_landscape";
constexpr int kFormatVersion = 1;
constexpr const char* kExtension = ".landscape";

/// Digits of a time: timings repeat to three of them, so that two more tell all there is.
constexpr int kTimeDigits = 5;
constexpr int kDeviationDigits = 2;

nlohmann::ordered_json to_json(const DeviceRecord& device) {
  return {{"kind", device.kind},
          {"name", device.name},
          {"architecture", device.architecture},
          {"multiprocessor_count", device.multiprocessor_count},
          {"memory_clock_khz", device.memory_clock_khz},
          {"memory_bus_bits", device.memory_bus_bits},
          {"l2_bytes", device.l2_bytes},
          {"driver", device.driver}};
}

DeviceRecord device_from_json(const nlohmann::json& json) {
  return {.kind = json.at("kind"),
          .name = json.at("name"),
          .architecture = json.at("architecture"),
          .multiprocessor_count = json.at("multiprocessor_count"),
          .memory_clock_khz = json.at("memory_clock_khz"),
          .memory_bus_bits = json.at("memory_bus_bits"),
          .l2_bytes = json.at("l2_bytes"),
          .driver = json.at("driver")};
}

nlohmann::ordered_json header_of(const Landscape& landscape) {
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  nlohmann::ordered_json labels = nlohmann::ordered_json::object();
  for (const Tunable& tunable : rules(family_of(landscape.problem.op)).tunables) {
    names.push_back(tunable.name);
    if (tunable.labels.empty()) continue;
    for (const std::string_view label : tunable.labels) {
      labels[std::string(tunable.name)].push_back(label);
    }
  }
  return {{kFormat, kFormatVersion},
          {"device", to_json(landscape.device)},
          {"compiler", landscape.compiler},
          {"template_fingerprint", landscape.template_fingerprint},
          {"read_bandwidth_gbps", landscape.read_bandwidth_gbps},
          {"compile_ms", landscape.compile_ms},
          {"problem", problem_to_json(landscape.problem)},
          {"tunables", names},
          {"labels", labels}};
}

/// The words of a line.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

template <class T>
std::optional<T> parse_number(std::string_view word) {
  T value{};
  const char* const end = word.data() + word.size();
  const auto result = std::from_chars(word.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

/// One column of the rows.
struct Column {
  const Tunable* tunable;
  std::vector<std::string> labels;  ///< of the file, which may be in another order than ours
};

/// Lines of a file, counted for errors.
class Lines {
 public:
  Lines(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  bool at_end() const { return rest_.empty(); }

  std::string_view next() {
    ++number_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw FileError(fmt::format("reading the landscape {}, line {}: {}; record it again", file_,
                                number_, what));
  }

 private:
  std::string_view rest_;
  const std::string& file_;
  int number_ = 0;
};

nlohmann::json read_header(Lines& lines) {
  std::string text;
  while (!lines.at_end()) {
    const std::string_view line = lines.next();
    text += fmt::format("{}\n", line);
    if (line == "}") break;
  }
  nlohmann::json header = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object() || !header.contains(kFormat)) {
    lines.fail("this is no landscape, which begins with a JSON object");
  }
  if (header[kFormat] != kFormatVersion) {
    lines.fail(fmt::format("this is version {} of the format, and not {}", header[kFormat].dump(),
                           kFormatVersion));
  }
  return header;
}

/// Every tunable of the family has to be there: what a missing one stood at is not known.
std::vector<Column> read_columns(const nlohmann::json& header, Family family) {
  std::vector<Column> columns;
  std::set<std::string> names;
  for (const std::string name : header.at("tunables")) {
    const auto tunables = rules(family).tunables;
    const auto tunable = std::ranges::find(tunables, std::string_view(name), &Tunable::name);
    if (tunable == tunables.end()) {
      throw std::invalid_argument(fmt::format("there is no tunable \"{}\"", name));
    }
    if (!names.insert(name).second) {
      throw std::invalid_argument(fmt::format("the tunable {} is there twice", name));
    }
    Column column{.tunable = &*tunable, .labels = {}};
    if (!tunable->labels.empty()) column.labels = header.at("labels").at(name);
    columns.push_back(std::move(column));
  }
  for (const Tunable& tunable : rules(family).tunables) {
    if (!names.contains(std::string(tunable.name))) {
      throw std::invalid_argument(fmt::format("the tunable {} is missing", tunable.name));
    }
  }
  return columns;
}

/// The value of a tunable; empty if it has none of that text.
std::optional<int> read_value(const Column& column, std::string_view word) {
  std::optional<int> value = parse_number<int>(word);
  if (value && !column.labels.empty()) {
    if (*value < 0 || static_cast<std::size_t>(*value) >= column.labels.size()) return std::nullopt;
    const auto& ours = column.tunable->labels;
    const auto label = std::ranges::find(ours, column.labels[static_cast<std::size_t>(*value)]);
    value = static_cast<int>(label - ours.begin());
  }
  const auto& values = column.tunable->values;
  if (!value || std::ranges::find(values, *value) == values.end()) return std::nullopt;
  return value;
}

LandscapePoint read_point(const Lines& lines, std::string_view line,
                          const std::vector<Column>& columns, const Params& first) {
  const std::vector<std::string_view> words = words_of(line);
  const std::size_t least = columns.size() + 1;
  if (words.size() < least || words.size() > least + 1) {
    lines.fail(fmt::format("{} words, and not {} tunables and what came of them", words.size(),
                           columns.size()));
  }
  LandscapePoint point{.params = first};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::optional<int> value = read_value(columns[i], words[i]);
    if (!value) {
      lines.fail(fmt::format("{} is no value of {}", words[i], columns[i].tunable->name));
    }
    columns[i].tunable->set(point.params, *value);
  }
  const std::string_view result = words[columns.size()];
  if (words.size() == least) {
    try {
      point.outcome = parse_outcome(result);
    } catch (const StoreError&) {
      point.outcome = Outcome::ok;
    }
    if (point.outcome == Outcome::ok) lines.fail(fmt::format("{} is no failure", result));
    return point;
  }
  const std::optional<double> median = parse_number<double>(result);
  const std::optional<double> deviation = parse_number<double>(words.back());
  // Not the negation of its opposite: a NaN is none of both.
  const bool is_usable =
      median && *median > 0 && *median < 1e12 && deviation && *deviation >= 0 && *deviation < 1e12;
  if (!is_usable) lines.fail(fmt::format("{} {} is no time", result, words.back()));
  point.median_us = *median;
  point.mad_us = *deviation;
  return point;
}

std::vector<LandscapePoint> read_points(Lines& lines, const std::vector<Column>& columns,
                                        const Problem& problem) {
  std::vector<LandscapePoint> points;
  std::set<std::vector<int>> seen;
  while (!lines.at_end()) {
    const std::string_view line = lines.next();
    if (line.empty()) continue;
    points.push_back(read_point(lines, line, columns, rules(family_of(problem.op)).first));
    std::vector<int> values;
    values.reserve(columns.size());
    for (const Column& column : columns) {
      values.push_back(column.tunable->get(points.back().params));
    }
    if (!seen.insert(values).second) lines.fail("this configuration is there twice");
  }
  return points;
}

[[noreturn]] void fail_reading(const std::filesystem::path& path, std::string_view what) {
  throw FileError(fmt::format("reading the landscape {}: {}", path.string(), what));
}

}  // namespace

std::string to_text(const Landscape& landscape) {
  std::string text = "{\n";
  const nlohmann::ordered_json header = header_of(landscape);
  std::size_t left = header.size();
  for (const auto& [key, value] : header.items()) {
    text += fmt::format("\"{}\": {}{}\n", key,
                        value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                        --left > 0 ? "," : "");
  }
  text += "}\n";
  const auto tunables = rules(family_of(landscape.problem.op)).tunables;
  for (const LandscapePoint& point : landscape.points) {
    for (const Tunable& tunable : tunables) {
      text += fmt::format("{} ", tunable.get(point.params));
    }
    text += point.outcome == Outcome::ok ? fmt::format("{:.{}g} {:.{}g}\n", point.median_us,
                                                       kTimeDigits, point.mad_us, kDeviationDigits)
                                         : fmt::format("{}\n", to_string(point.outcome));
  }
  return text;
}

Landscape parse_landscape(std::string_view text, const std::string& file) {
  Lines lines(text, file);
  const nlohmann::json header = read_header(lines);
  try {
    Landscape landscape{.device = device_from_json(header.at("device")),
                        .compiler = header.at("compiler"),
                        .template_fingerprint = header.at("template_fingerprint"),
                        .read_bandwidth_gbps = header.at("read_bandwidth_gbps"),
                        .compile_ms = header.at("compile_ms"),
                        .problem = problem_from_json(header.at("problem")),
                        .points = {}};
    const auto columns = read_columns(header, family_of(landscape.problem.op));
    landscape.points = read_points(lines, columns, landscape.problem);
    return landscape;
  } catch (const nlohmann::json::exception& error) {
    lines.fail(error.what());
  } catch (const std::invalid_argument& error) {
    lines.fail(error.what());
  } catch (const InvalidArgument& error) {
    lines.fail(error.what());
  }
}

void write_landscape(const std::filesystem::path& path, const Landscape& landscape) {
  write_whole_file(path, to_text(landscape), "landscape");
}

Landscape read_landscape(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail_reading(path, std::strerror(errno));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) fail_reading(path, "it cannot be read");
  return parse_landscape(text, path.string());
}

std::vector<Landscape> read_landscapes(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == kExtension) paths.push_back(entry.path());
  }
  if (error) fail_reading(folder, error.message());
  if (paths.empty()) fail_reading(folder, "there is no file *.landscape in this folder");
  std::ranges::sort(paths);
  std::vector<Landscape> landscapes;
  landscapes.reserve(paths.size());
  for (const std::filesystem::path& path : paths) landscapes.push_back(read_landscape(path));
  return landscapes;
}

}  // namespace foldtune
