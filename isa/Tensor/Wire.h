// The wire format of Protocol Buffers, read from an untrusted byte string field by field
// (https://protobuf.dev/programming-guides/encoding/).
//
// Our own reader instead of generated code: a tensor's raw data stay where they are in the mapped file, where
// libprotobuf would copy them and stop at 2 GiB; a fifteen-line format needs no code generator; and the
// reference, which reads these files too, shares no library with the compiler's.
#pragma once

#include "isa/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilerig {

enum class WireType : uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::varint;
  uint64_t value = 0;               // of a varint
  std::span<const std::byte> bytes; // of all others; four or eight of a fixed one

  std::string_view text() const { return {reinterpret_cast<const char *>(bytes.data()), bytes.size()}; }
};

class WireReader {
public:
  explicit WireReader(std::span<const std::byte> message) : message(message) {}

  // The next field, or none at the end.
  Result<std::optional<WireField>> next();
  // A number of a packed field.
  Result<uint64_t> varint();
  bool atEnd() const { return at == message.size(); }

private:
  Error error(const char *what) const;

  std::span<const std::byte> message;
  size_t at = 0;
};

// Writing: what the few fields of our own files need.
void putVarint(std::string &out, uint64_t value);
void putTag(std::string &out, uint32_t number, WireType type);

} // namespace tilerig
