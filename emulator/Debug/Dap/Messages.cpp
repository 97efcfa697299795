#include "emulator/Debug/Dap/Messages.h"

#include "isa/Base/Support/StrictJson.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace tilerig::emulator {

namespace {

constexpr size_t mostBytes = 64 << 20, mostHeader = 4096;

Error wrong(const std::string &what) {
  return invalidInput("message of the client", what,
                      "a message is a header 'Content-Length: N', an empty line, and N bytes of JSON");
}

Result<size_t> lengthIn(std::string_view header) {
  constexpr std::string_view name = "Content-Length:";
  const size_t at = header.find(name);
  if (at == std::string_view::npos)
    return wrong("its header has no Content-Length");
  std::string_view digits = header.substr(at + name.size());
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  size_t length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (error != std::errc() || length > mostBytes)
    return wrong("its Content-Length is no number, or too large");
  return length;
}

} // namespace

Result<std::optional<Json>> MessageReader::next() {
  constexpr std::string_view separator = "\r\n\r\n";
  const size_t end = buffer.find(separator);
  if (end == std::string::npos) {
    if (buffer.size() > mostHeader)
      return wrong("its header does not end");
    return std::optional<Json>();
  }
  TILERIG_TRY(const size_t length, lengthIn(std::string_view(buffer).substr(0, end)));
  const size_t begin = end + separator.size();
  if (buffer.size() < begin + length)
    return std::optional<Json>();
  auto message = parseStrictJson(std::string_view(buffer).substr(begin, length), "",
                                 {.longest = mostBytes, .deepest = 64});
  buffer.erase(0, begin + length);
  if (!message)
    return wrong("it is no JSON: " + message.error().what);
  if (!message->is_object())
    return wrong("it is no JSON object");
  return std::optional(*std::move(message));
}

Status MessageReader::end() const {
  const bool isHeader = std::string_view("Content-Length:").starts_with(buffer.substr(0, 15)) &&
                        buffer.find("\n\n") == std::string::npos; // its lines end with CR LF
  const bool hasHeader = buffer.find("\r\n\r\n") != std::string::npos;
  return isHeader || hasHeader ? success() : Status(wrong("the stream ends before its header does"));
}

std::string framed(const Json &message) {
  const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  return fmt::format("Content-Length: {}\r\n\r\n{}", text.size(), text);
}

} // namespace tilerig::emulator
