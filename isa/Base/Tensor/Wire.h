// Parses the wire format of Protocol Buffers from an untrusted byte string, field by field
// (https://protobuf.dev/programming-guides/encoding/).
//
// This replaces generated code for three reasons: a tensor's raw data stay in the mapped file, whereas
// libprotobuf would copy them and is limited to 2 GiB; so simple a format needs no code generator; and the
// reference interpreter, which reads these files too, shares no library with the compiler.
#pragma once

#include "isa/Base/Support/Error.h"

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
  uint64_t value = 0; // value of a field of type varint
  // Content of a field of any wire type but varint; 4 or 8 bytes for a type of fixed width.
  std::span<const std::byte> bytes;

  std::string_view text() const { return {reinterpret_cast<const char *>(bytes.data()), bytes.size()}; }
};

class WireReader {
public:
  explicit WireReader(std::span<const std::byte> message) : message(message) {}

  // The next field of the message, or nullopt at its end.
  Result<std::optional<WireField>> next();
  // Returns the next number of a packed field.
  Result<uint64_t> varint();
  bool atEnd() const { return at == message.size(); }

private:
  Error error(const char *description) const;

  std::span<const std::byte> message;
  size_t at = 0;
};

// The following functions append to `out` a varint, or the tag (number and wire type) that begins a field.
void putVarint(std::string &out, uint64_t value);
void putTag(std::string &out, uint32_t number, WireType type);

} // namespace tilerig
