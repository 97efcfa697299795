#include "isa/Base/Tensor/Wire.h"

#include <fmt/core.h>

namespace tilerig {

Error WireReader::error(const char *description) const {
  return invalidInput(fmt::format("protobuf at byte {}", at), description);
}

Result<uint64_t> WireReader::varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (atEnd())
      return error("the message ends inside a number");
    auto byte = std::to_integer<uint64_t>(message[at]);
    if (shift == 63 && byte > 1)
      return error("the number exceeds 64 bits");
    ++at;
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80)
      return value;
  }
  return error("the number exceeds 64 bits");
}

Result<std::optional<WireField>> WireReader::next() {
  if (atEnd())
    return std::optional<WireField>();
  TILERIG_TRY(uint64_t tag, varint());
  WireField field;
  if (tag >> 3 == 0 || tag >> 32 != 0)
    return error("the field number is out of range");
  field.number = static_cast<uint32_t>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  uint64_t length = 0;
  switch (field.type) {
  case WireType::varint: {
    TILERIG_TRY(field.value, varint());
    return std::optional(field);
  }
  case WireType::fixed64:
    length = 8;
    break;
  case WireType::bytes: {
    TILERIG_TRY(length, varint());
    break;
  }
  case WireType::fixed32:
    length = 4;
    break;
  default:
    return error("the field is a group or has an unknown wire type");
  }
  if (length > message.size() - at)
    return error("the field is longer than its message");
  field.bytes = message.subspan(at, length);
  at += length;
  return std::optional(field);
}

void putVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void putTag(std::string &out, uint32_t number, WireType type) {
  putVarint(out, uint64_t{number} << 3 | static_cast<uint64_t>(type));
}

} // namespace tilerig
