// What the sources of verifyProgram share. Their errors name the spot inside the program; the file or the
// model is put before it at the end.
#pragma once

#include "isa/Program/Program.h"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace tilerig {

// Tensors and their pieces.
Status verifyTensors(const Program &program);

// A reference to a layer stays inside; a program that names no layers works for layer 0.
Status verifyLayer(const Program &program, uint32_t layer);
// Names are there, and there once; `taken` collects them.
Status verifyName(std::unordered_set<std::string_view> &taken, std::string_view name);

// The same error seen from further out: "outer, inner".
inline Error inside(const std::string &outer, Error error) {
  error.place = error.place.empty() ? outer : outer + ", " + error.place;
  return error;
}
// The same for what may be no error; the place is put into words only if it is one.
template <std::invocable Place>
Status inside(Place &&place, Status status) {
  return status ? std::move(status) : Status(inside(std::string(place()), std::move(status).error()));
}

} // namespace tilerig
