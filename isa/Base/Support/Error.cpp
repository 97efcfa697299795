#include "isa/Base/Support/Error.h"

namespace tilerig {

std::string Error::message() const {
  std::string text = place.empty() ? what : place + ": " + what;
  if (!remedy.empty())
    text += "; " + remedy;
  return text;
}

Error Error::within(const std::string &outer) const {
  Error wider = *this;
  wider.place = place.empty() ? outer : outer + ": " + place;
  return wider;
}

Error usageError(std::string place, std::string description, std::string remedy) {
  return {ErrorKind::usage, std::move(place), std::move(description), std::move(remedy)};
}
Error invalidInput(std::string place, std::string description, std::string remedy) {
  return {ErrorKind::invalidInput, std::move(place), std::move(description), std::move(remedy)};
}
Error unsupported(std::string place, std::string description, std::string remedy) {
  return {ErrorKind::unsupported, std::move(place), std::move(description), std::move(remedy)};
}
Error internalError(std::string place, std::string description) {
  return {ErrorKind::internal, std::move(place), std::move(description),
          "this is a bug of tilerig: please report it"};
}

ExitCode exitCodeOf(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::usage:
    return ExitCode::usage;
  case ErrorKind::invalidInput:
  case ErrorKind::unsupported:
    return ExitCode::input;
  case ErrorKind::internal:
    return ExitCode::internal;
  }
  return ExitCode::internal;
}

} // namespace tilerig
