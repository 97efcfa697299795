// Reads little-endian fields from an untrusted byte string, one after another.
//
// Fields past the end are read as zero and make ok() false, so a caller reads a whole record and checks once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace tilerig {

class FieldReader {
public:
  explicit FieldReader(std::span<const std::byte> bytes) : rest(bytes) {}

  uint8_t u8() { return number<uint8_t>(); }
  uint16_t u16() { return number<uint16_t>(); }
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }

  std::span<const std::byte> take(uint64_t count) {
    if (count > rest.size()) {
      good = false;
      rest = {};
      return {};
    }
    auto taken = rest.first(static_cast<size_t>(count));
    rest = rest.subspan(taken.size());
    return taken;
  }
  std::string_view text(uint64_t count) {
    auto taken = take(count);
    return {reinterpret_cast<const char *>(taken.data()), taken.size()};
  }
  void skip(uint64_t count) { take(count); }

  // Whether all fields that were read lie inside the byte string.
  bool ok() const { return good; }
  bool atEnd() const { return rest.empty(); }
  size_t left() const { return rest.size(); }

private:
  template <class T>
  T number() {
    T value = 0;
    if (auto bytes = take(sizeof(T)); !bytes.empty())
      std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  std::span<const std::byte> rest;
  bool good = true;
};

} // namespace tilerig
