// Messages of the Debug Adapter Protocol: JSON behind a header with its length.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Support/Json.h"

#include <optional>
#include <string>

namespace tilerig::emulator {

// Takes messages out of a stream of bytes that arrives in parts of any size.
class MessageReader {
public:
  void add(std::string_view bytes) { buffer += bytes; }
  // The next complete message; none if it has not arrived yet. After an error, the stream cannot be read further.
  Result<std::optional<Json>> next();
  // To be called at the end of the stream: an error if what is left is not even the beginning of a message.
  Status end() const;

private:
  std::string buffer;
};

// A message with its header.
std::string framed(const Json &message);

} // namespace tilerig::emulator
