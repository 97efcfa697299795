// Reads values of a parsed JSON text, with errors that name their place.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Support/Json.h"

#include <concepts>
#include <initializer_list>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

namespace tilerig {

// A value of a parsed JSON text, and its position in the text for error messages. The value may be missing.
// Functions that read a missing value return an error, so keys can be looked up before it is known whether
// they exist.
struct JsonPlace {
  const Json *value; // the JSON value; null if it is missing
  std::string file;  // name of the JSON text in error messages, usually its file
  std::string path = {};

  // Whether the JSON value exists.
  explicit operator bool() const { return value; }

  // The value of a key of this JSON object; a missing value if this is no object or does not have the key.
  JsonPlace at(std::string_view key) const;
  // The element of this JSON list at `index`.
  JsonPlace at(size_t index) const;
  // A JSON value in this object, given by its key and value (`entry`), for loops over all keys.
  JsonPlace member(std::string_view key, const Json &entry) const;

  // Returns an error that states the position of this JSON value.
  Error refuse(std::string description, std::string remedy = {}) const;
  // Returns an error that says that this JSON value is missing, or that it is not of the expected kind;
  // `wanted` describes this kind, as in "a string".
  Error expected(std::string_view wanted) const;

  // Requires a JSON object, whose keys may have any names.
  Status expectObject() const;
  // Requires a JSON object with no keys other than `known`.
  Status expectObject(std::initializer_list<std::string_view> known) const;
  Status expectList() const;
  // Requires a JSON object whose "file_type" is `type`.
  Status expectFileType(std::string_view type) const;

  Result<std::string> text() const;
  Result<bool> boolean() const;
  // Reads this JSON value as a number that is not less than `least`.
  Result<double> number(double least = std::numeric_limits<double>::lowest()) const;
  // Reads this JSON value as a number from `low` to `high` that is written without fraction and exponent.
  template <std::integral T>
  Result<T> wholeNumber(T low = std::numeric_limits<T>::min(), T high = std::numeric_limits<T>::max()) const;
  // Reads this JSON value as one of several words and returns the index of the word in `words`.
  Result<size_t> indexIn(std::span<const std::string_view> words) const;
};

// The text in quotes for error messages: shortened, with unprintable bytes escaped.
std::string inQuotes(std::string_view text);
// A JSON value as a short text for error messages.
std::string shown(const Json &value);

template <std::integral T>
Result<T> JsonPlace::wholeNumber(T low, T high) const {
  const auto isInRange = [&](auto number) {
    return std::cmp_less_equal(low, number) && std::cmp_less_equal(number, high);
  };
  if (value && (value->is_number_unsigned() ? isInRange(value->get<uint64_t>())
                                            : value->is_number_integer() && isInRange(value->get<int64_t>())))
    return value->get<T>();
  return expected(low == high ? std::to_string(low)
                              : "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
}

} // namespace tilerig
