#include "bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>

namespace foldtune::bench {

std::string_view Cell::field(const std::string& name) const {
  const auto found = problem.find(name);
  return found == problem.end() ? std::string_view() : found->second;
}

std::string format_elements(std::uint64_t count) {
  if (std::has_single_bit(count)) return fmt::format("2^{}", std::countr_zero(count));
  return fmt::format("{}", count);
}

std::string format_extent(const Cell& cell) {
  return has_own_shape(cell) ? cell.shape : format_elements(cell.count);
}

std::string describe(const Cell& cell) {
  return fmt::format("{} {}{}", cell.case_name, format_extent(cell),
                     is_misaligned(cell) ? " misaligned" : "");
}

const Figure* Row::find(std::string_view contender) const {
  const auto found = std::ranges::find(figures, contender, &Figure::contender);
  return found == figures.end() ? nullptr : *found;
}

const Figure* Row::best_peer() const {
  const Figure* best = nullptr;
  for (const Figure* figure : figures) {
    const bool is_ours = bench::is_ours(figure->contender);
    if (is_ours) continue;
    if (best == nullptr || figure->median_us < best->median_us) best = figure;
  }
  return best;
}

std::vector<Row> rows_of(const Report& report) {
  std::vector<Row> rows;
  // What tells the cells of a report apart.
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Key, std::size_t> places;
  for (const Figure& figure : report.figures) {
    const Cell& cell = figure.cell;
    const auto [place, is_new] =
        places.try_emplace(Key{cell.case_name, cell.layout, cell.shape, cell.manner}, rows.size());
    if (is_new) rows.push_back({.cell = &cell, .figures = {}});
    rows[place->second].figures.push_back(&figure);
  }
  return rows;
}

}  // namespace foldtune::bench
