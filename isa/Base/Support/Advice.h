// Adds a remedy to an error about an invalid input file, unless the error states one already.
#pragma once

#include "isa/Base/Support/Error.h"

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
