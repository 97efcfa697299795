#include "isa/Base/CommandLine/ErrorJson.h"

namespace tilerig {

static const char *nameOf(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::usage:
    return "usage";
  case ErrorKind::invalidInput:
    return "invalidInput";
  case ErrorKind::unsupported:
    return "unsupported";
  case ErrorKind::internal:
    return "internal";
  }
  return "internal";
}

nlohmann::ordered_json asJson(const Error &error) {
  return {
      {"kind", nameOf(error.kind)}, {"place", error.place}, {"what", error.what}, {"remedy", error.remedy}};
}

std::string errorDocument(const Error &error) {
  // Paths may contain invalid UTF-8, which a JSON document must not; such bytes are replaced.
  return nlohmann::ordered_json{{"error", asJson(error)}}.dump(2, ' ', false,
                                                               nlohmann::json::error_handler_t::replace);
}

} // namespace tilerig
