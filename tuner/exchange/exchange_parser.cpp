#include "tuner/exchange/exchange_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <streambuf>
#include <utility>
#include <vector>

#include "cache/excerpt.h"
#include "tuner/files/file_error.h"

namespace foldtune {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kParsedBytes = std::size_t{64} << 10;

constexpr std::size_t kShownErrorBytes = 300;

std::string quoted_key(const std::string& key) { return fmt::format("\"{}\"", excerpt(key)); }

FileError damaged(std::string_view file, std::string_view what) {
  return FileError(fmt::format(
      "{} is no whole file of `foldtune export`: {}; copy or export it again", file, what));
}

/// The bytes of the source, as long as no row is too long.
class RowBuffer final : public std::streambuf {
 public:
  RowBuffer(const ByteSource& source, std::string_view file)
      : source_(source), file_(file), block_(kParsedBytes) {}

  void begin_row() { row_bytes_ = 0; }

 private:
  int_type underflow() override {
    if (row_bytes_ > kMostRowBytes) {
      throw damaged(file_, fmt::format("a row has more than {} MiB", kMostRowBytes >> 20));
    }
    const std::size_t size = source_(block_.data(), block_.size());
    if (size == 0) return traits_type::eof();
    row_bytes_ += size;
    setg(block_.data(), block_.data(), block_.data() + size);
    return traits_type::to_int_type(block_.front());
  }

  const ByteSource& source_;
  std::string_view file_;
  std::vector<char> block_;
  std::size_t row_bytes_ = 0;  // In whole blocks.
};

/// One value from the parser's events.
class ValueBuilder {
 public:
  explicit ValueBuilder(std::string_view file) : file_(file) {}

  bool is_open() const { return !open_.empty(); }

  void begin(Json container) {
    if (open_.size() == kDeepestRow) throw damaged(file_, "a row is nested too deeply");
    open_.push_back(&place(std::move(container)));
  }
  void end() { open_.pop_back(); }
  void add(Json value) { place(std::move(value)); }

  void set_key(std::string key) {
    if (open_.back()->contains(key)) {
      throw damaged(file_, fmt::format("an object has the key {} twice", quoted_key(key)));
    }
    key_ = std::move(key);
  }

  Json take() { return std::exchange(root_, Json()); }

 private:
  Json& place(Json&& value) {
    if (open_.empty()) return root_ = std::move(value);
    Json& parent = *open_.back();
    if (parent.is_array()) return parent.emplace_back(std::move(value));
    return parent[key_] = std::move(value);
  }

  std::string_view file_;
  Json root_;
  std::vector<Json*> open_;  // Each holds the next one, so none moves while it is open.
  std::string key_;          // Of the next value of an open object.
};

/// Cuts the file into its fields and rows.
class Handler final : public nlohmann::json_sax<Json> {
 public:
  Handler(std::string_view file, const ExchangeVisitor& visitor, RowBuffer& buffer)
      : file_(file), visitor_(visitor), buffer_(buffer), value_(file) {}

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // JSON has none.

  bool start_object(std::size_t) override {
    if (is_in_file_) {
      begin(Json::object());
    } else {
      is_in_file_ = true;
    }
    return true;
  }
  bool end_object() override {
    if (value_.is_open()) end();
    return true;
  }
  bool start_array(std::size_t) override {
    const auto* const name = std::ranges::find(kExchangeListNames, key_);
    if (is_in_file_ && !list_ && !value_.is_open() && name != kExchangeListNames.end()) {
      visitor_.field(key_, Json());
      list_ = static_cast<ExchangeList>(name - kExchangeListNames.begin());
      buffer_.begin_row();
    } else {
      begin(Json::array());
    }
    return true;
  }
  bool end_array() override {
    if (value_.is_open()) {
      end();
    } else {
      list_.reset();
    }
    return true;
  }
  bool key(string_t& text) override {
    if (value_.is_open()) {
      value_.set_key(std::move(text));
      return true;
    }
    if (!keys_.insert(text).second) {
      throw damaged(file_, fmt::format("it has the key {} twice", quoted_key(text)));
    }
    key_ = std::move(text);
    buffer_.begin_row();
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 1: ..."
    const std::string_view what = error.what();
    // It repeats all of a number that is too large.
    throw damaged(
        file_, excerpt(what.substr(std::min(what.size(), what.find("] ") + 2)), kShownErrorBytes));
  }

 private:
  void require_file() const {
    if (!is_in_file_) throw damaged(file_, "it is no JSON object");
  }

  bool add(Json value) {
    require_file();
    value_.add(std::move(value));
    if (!value_.is_open()) give();
    return true;
  }
  void begin(Json container) {
    require_file();
    value_.begin(std::move(container));
  }
  void end() {
    value_.end();
    if (!value_.is_open()) give();
  }

  void give() {
    buffer_.begin_row();
    const Json value = value_.take();
    if (list_) {
      visitor_.row(*list_, value);
    } else if (std::ranges::find(kExchangeListNames, key_) != kExchangeListNames.end()) {
      throw damaged(file_, fmt::format("its {} are no list", key_));
    } else {
      visitor_.field(key_, value);
    }
  }

  std::string_view file_;
  const ExchangeVisitor& visitor_;
  RowBuffer& buffer_;
  ValueBuilder value_;
  bool is_in_file_ = false;           // Within the object that the file is.
  std::optional<ExchangeList> list_;  // Within one.
  std::string key_;                   // Of the file.
  std::set<std::string> keys_;
};

}  // namespace

void parse_exchange(const ByteSource& source, std::string_view file,
                    const ExchangeVisitor& visitor) {
  RowBuffer buffer(source, file);
  std::istream stream(&buffer);
  Handler handler(file, visitor, buffer);
  Json::sax_parse(stream, &handler);
}

}  // namespace foldtune
