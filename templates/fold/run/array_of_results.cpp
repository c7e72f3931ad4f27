#include "templates/fold/run/array_of_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "tuner/commands/run_task.h"
#include "tuner/files/npy.h"
#include "tuner/verify/number.h"

namespace foldtune {

void ArrayOfResults::open(const std::vector<std::string>& files_read) {
  if (path_) file_.emplace(*path_, "array of results", files_read);
}

void ArrayOfResults::save(std::span<const std::byte> result) {
  if (!file_) return;
  file_->write(make_npy_head(type_, shape_));
  file_->write({reinterpret_cast<const char*>(result.data()), count() * size_of(type_)});
  file_->commit();
}

nlohmann::ordered_json ArrayOfResults::json(std::span<const std::byte> result) const {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < count(); ++i) {
    values.push_back(number_json(type_, result.data() + i * size_of(type_)));
  }
  return {{"shape", shape_}, {"values", values}};
}

std::string ArrayOfResults::text(std::span<const std::byte> result) const {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(count(), kShown); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ",
                        format_number_of(type_, result.data() + i * size_of(type_)));
  }
  if (count() > kShown) text += ", ...";
  text += fmt::format("{}an array {} of {}", text.empty() ? "" : ", ", format_shape(shape_),
                      foldtune::name(type_));
  if (path_) text += fmt::format(", in {}", *path_);
  return text;
}

std::size_t ArrayOfResults::count() const {
  return std::reduce(shape_.begin(), shape_.end(), std::uint64_t{1}, std::multiplies<>());
}

}  // namespace foldtune
