// What to do about a file that contradicts its own rules, for those of its many errors that do not say it.
#pragma once

#include "isa/Support/Error.h"

#include <string_view>

namespace tilerig {

template <class T>
Result<T> advised(Result<T> result, std::string_view remedy) {
  if (result || result.error().kind != ErrorKind::invalidInput || !result.error().remedy.empty())
    return result;
  Error error = std::move(result).error();
  error.remedy = remedy;
  return error;
}

} // namespace tilerig
